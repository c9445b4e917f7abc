#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/files.h"
#include "tools/export/output.h"
#include "tools/export/plan.h"

namespace orrery::tools {
namespace export_test {

using testing::HasSubstr;

std::string without(std::string_view item) {
    std::string out;
    append_item(out, item, false);
    return out;
}

TEST(ExportItemTest, LosesOnlyWhatTheServerAdds) {
    EXPECT_EQ(without(R"({"id":"1","n":1.50,"_rid":"x","o":{"_ts":1},"_ts":7,"_x":[]})"),
              R"({"id":"1","n":1.50,"o":{"_ts":1},"_x":[]})");
    EXPECT_EQ(without(R"({"_rid":"x"})"), "{}");
    EXPECT_EQ(without("[1]"), "[1]");
    std::string whole;
    append_item(whole, R"({"_rid":"x"})", true);
    EXPECT_EQ(whole, R"({"_rid":"x"})");
}

TEST(ExportPlanTest, SurvivesAsText) {
    ExportPlan plan;
    plan.purpose = "a \"purpose\"";
    plan.items = 3;
    plan.bytes = 100;
    plan.tasks = {{.range = client::Range{"", "", "7F"}, .continuation = "abc", .done = false},
                  {.range = std::nullopt, .continuation = "", .done = true}};
    const auto parsed = ExportPlan::parse(plan.text());
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(*parsed, plan);
    for (const char* wrong :
         {"", "[]", "{}", R"({"purpose":"x","items":-1,"bytes":0,"tasks":[]})"}) {
        EXPECT_FALSE(ExportPlan::parse(wrong)) << wrong;
    }
}

class ExportOutputTest : public testing::Test {
protected:
    void TearDown() override { ::unlink(file_.c_str()); }
    std::string content() const { return *read_file(file_); }

    const std::string file_ = testing::TempDir() + "orrery-export-" + std::to_string(::getpid());
};

TEST_F(ExportOutputTest, WritesArrays) {
    ExportOutput output(ExportFormat::kJson);
    ASSERT_TRUE(output.create(file_, false));
    output.add("1");
    output.add("2");
    ASSERT_TRUE(output.finish());
    EXPECT_EQ(content(), "[\n1,\n2\n]\n");
    ExportOutput empty(ExportFormat::kJson);
    ASSERT_TRUE(empty.create(file_, true));
    ASSERT_TRUE(empty.finish());
    EXPECT_EQ(content(), "[]\n");
}

TEST_F(ExportOutputTest, GoesOnFromACheckpoint) {
    {
        ExportOutput output(ExportFormat::kJsonLines);
        ASSERT_TRUE(output.create(file_, false));
        output.add("1");
        ASSERT_TRUE(output.write());
        EXPECT_EQ(output.bytes(), 2U);
        output.add("lost");
        ASSERT_TRUE(output.write());
    }
    ExportOutput output(ExportFormat::kJsonLines);
    EXPECT_FALSE(ExportOutput(ExportFormat::kJsonLines).reopen(file_, 9, 1000));
    ASSERT_TRUE(output.reopen(file_, 1, 2));
    output.add("2");
    ASSERT_TRUE(output.finish());
    EXPECT_EQ(content(), "1\n2\n");
    EXPECT_EQ(output.items(), 2U);
}

TEST_F(ExportOutputTest, ReplacesNothingUnasked) {
    std::ofstream(file_) << "precious";
    ExportOutput output(ExportFormat::kJson);
    const Status created = output.create(file_, false);
    ASSERT_FALSE(created);
    EXPECT_THAT(created.error().message(), HasSubstr("--overwrite"));
    EXPECT_EQ(content(), "precious");
}

}  // namespace export_test
}  // namespace orrery::tools
