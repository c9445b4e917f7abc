#include "base/log.h"

#include <gtest/gtest.h>

namespace orrery::log {
namespace log_test {

std::string line(Format format, std::string_view event, Fields fields) {
    return format_line(format, event, {fields.begin(), fields.size()});
}

TEST(Log, TextQuotesWhatIsNotPlain) {
    EXPECT_EQ(line(Format::kText, "started", {{"port", 8081}, {"path", "a b"}, {"ok", true}}),
              "event=started port=8081 path=\"a b\" ok=true");
    EXPECT_EQ(line(Format::kText, "x", {{"text", "a\nb=\"c\""}}),
              "event=x text=\"a\\u000ab=\\\"c\\\"\"");
}

TEST(Log, JsonIsJson) {
    EXPECT_EQ(line(Format::kJson, "started", {{"port", 8081}, {"ratio", 0.5}, {"name", ""}}),
              R"("event":"started","port":8081,"ratio":0.5,"name":"")");
}

}  // namespace log_test
}  // namespace orrery::log
