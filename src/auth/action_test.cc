#include "auth/action.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace orrery::auth {
namespace action_test {

TEST(Action, EveryActionHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < kActions; ++i) {
        names.insert(name_of(static_cast<Action>(i)));
    }
    EXPECT_EQ(names.size(), kActions);
    EXPECT_FALSE(names.contains(""));
    EXPECT_EQ(name_of(static_cast<Action>(kActions)), "") << "kLast is not the last action";
    EXPECT_EQ(name_of(Action::kQueryItems), "QueryItems");
}

}  // namespace action_test
}  // namespace orrery::auth
