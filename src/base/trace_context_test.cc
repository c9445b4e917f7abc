#include "base/trace_context.h"

#include <string>

#include <gtest/gtest.h>

namespace orrery {
namespace trace_context_test {

constexpr const char* kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
constexpr const char* kParent = "00f067aa0ba902b7";

std::string header(const std::string& version, const std::string& rest = "-01") {
    return version + "-" + kTrace + "-" + kParent + rest;
}

TEST(TraceContext, TakesTraceAndParent) {
    for (const std::string& text :
         {header("00"), header("00", "-ff"), header("01"), header("cc", "-01-more")}) {
        const auto trace = parse_traceparent(text);
        ASSERT_TRUE(trace) << text;
        EXPECT_EQ(trace->trace_id, kTrace);
        EXPECT_EQ(trace->parent_id, kParent);
    }
}

TEST(TraceContext, IgnoresWhatIsMalformed) {
    const std::string zeros(32, '0');
    const std::string upper = "4BF92F3577B34DA6A3CE929D0E0E4736";
    for (const std::string& text : {std::string(),
                                    std::string("00"),
                                    header("ff"),
                                    header("0x"),
                                    header("00", "-1"),
                                    header("00", "-0x"),
                                    header("00", "-01-more"),
                                    header("00", "-01-"),
                                    header("00", "-012"),
                                    header("01", "-01.more"),
                                    header("00", "_01"),
                                    " " + header("00"),
                                    "00-" + zeros + "-" + kParent + "-01",
                                    "00-" + upper + "-" + kParent + "-01",
                                    std::string("00-") + kTrace + "-" + zeros.substr(16) + "-01",
                                    std::string("00-") + kTrace + "-00f067aa0ba902bg-01",
                                    std::string("00_") + kTrace + "-" + kParent + "-01",
                                    std::string("00-") + kTrace + "_" + kParent + "-01"}) {
        EXPECT_FALSE(parse_traceparent(text)) << text;
    }
}

}  // namespace trace_context_test
}  // namespace orrery
