#include "json/plain_run.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace orrery::json {
namespace plain_run_test {

TEST(PlainRun, EndsAtTheFirstQuoteOrBackslash) {
    std::mt19937 random(7);
    for (int i = 0; i < 20'000; ++i) {
        // Bytes that differ from the wanted ones in one bit, and those above 127, must not count.
        constexpr std::string_view kOthers = "ab#!]\\[\xa2\xdc\xff";
        std::string text(random() % 70, ' ');
        for (char& c : text) {
            const auto pick = random() % 40;
            c = pick == 0 ? '"' : kOthers[pick % 5];
            if (pick > 30) c = kOthers[6 + pick % 4];
            if (pick == 1) c = '\\';
        }
        const std::size_t from = text.empty() ? 0 : random() % text.size();
        const std::size_t expected = std::min(text.find_first_of("\"\\", from), text.size());
        // Without what follows, so that a sanitizer notices reading too far.
        const std::string alone(text, from);
        EXPECT_EQ(plain_run_end(alone.data(), alone.data() + alone.size()) - alone.data(),
                  static_cast<std::ptrdiff_t>(expected - from))
            << text;
    }
}

}  // namespace plain_run_test
}  // namespace orrery::json
