#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/files.h"
#include "tools/export/columns.h"
#include "tools/export/item_text.h"
#include "tools/export/numbered_files.h"
#include "tools/export/output.h"
#include "tools/export/plan.h"
#include "tools/export/survivors.h"
#include "tools/import/test_support.h"

namespace orrery::tools {
namespace export_test {

using testing::ElementsAre;
using testing::HasSubstr;

std::string with(KeptProperties properties, std::string_view item) {
    std::string out;
    append_item(out, item, properties);
    return out;
}

TEST(ExportItemTest, LosesOnlyWhatTheServerAdds) {
    const auto own = [](std::string_view item) { return with(KeptProperties::kOwn, item); };
    EXPECT_EQ(own(R"({"id":"1","n":1.50,"_rid":"x","o":{"_ts":1},"_ts":7,"_x":[]})"),
              R"({"id":"1","n":1.50,"o":{"_ts":1},"_x":[]})");
    EXPECT_EQ(own(R"({"_rid":"x"})"), "{}");
    EXPECT_EQ(own(R"({"id":"1","_rid":"x","_etag":"\"y\"","_ts":7})"), R"({"id":"1"})");
    EXPECT_EQ(own(R"({"_rid":"x","id":"1","_ts":7})"), R"({"id":"1"})");
    EXPECT_EQ(own(R"({"id":"1","_ts":7,"z":{"a":1,"_rid":"x"}})"),
              R"({"id":"1","z":{"a":1,"_rid":"x"}})");
    EXPECT_EQ(own(R"({"id":"1","a":["b","_ts"],"s":",\"_ts","_ts":7})"),
              R"({"id":"1","a":["b","_ts"],"s":",\"_ts"})");
    EXPECT_EQ(own(R"({"id":"1","o":{"a":1,"_ts":7}})"), R"({"id":"1","o":{"a":1,"_ts":7}})");
    EXPECT_EQ(own(R"({"id":"1","o":{"a":1,"_ts":7},"_ts":7})"),
              R"({"id":"1","o":{"a":1,"_ts":7}})");
    EXPECT_EQ(own(R"({"id":"1","o":[{"a":1,"_ts":7}]})"), R"({"id":"1","o":[{"a":1,"_ts":7}]})");
    EXPECT_EQ(own("[1]"), "[1]");
    EXPECT_EQ(with(KeptProperties::kAll, R"({"_rid":"x","_lsn":1})"), R"({"_rid":"x","_lsn":1})");
    EXPECT_EQ(with(KeptProperties::kWithSystem, R"({"_rid":"x","_lsn":1})"), R"({"_rid":"x"})");
}

TEST(ExportPlanTest, SurvivesAsText) {
    ExportPlan plan;
    plan.purpose = "a \"purpose\"";
    plan.output = {
        .items = 3, .bytes = 100, .file = 2, .file_items = 1, .file_bytes = 30, .file_size = 20};
    plan.incomplete_items = 7;
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
    ExportOutputTest() { std::filesystem::create_directory(directory_); }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    static std::string content(const std::string& file) { return *read_file(file); }
    std::string content() const { return content(file_); }
    std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
            out.push_back(entry.path().filename().string());
        }
        std::sort(out.begin(), out.end());
        return out;
    }
    // What the import reads.
    static std::string unpacked(const std::string& file) {
        auto source = open_source(file, {});
        return source ? read_all(*source->bytes) : source.error().message();
    }

    const std::string directory_ =
        testing::TempDir() + "orrery-export-" + std::to_string(::getpid());
    const std::string file_ = directory_ + "/out.txt";
};

TEST_F(ExportOutputTest, WritesArrays) {
    ExportOutput output({.format = ExportFormat::kJson});
    ASSERT_TRUE(output.create(file_, false));
    ASSERT_TRUE(output.add("1"));
    ASSERT_TRUE(output.add("2"));
    ASSERT_TRUE(output.finish());
    EXPECT_EQ(content(), "[\n1,\n2\n]\n");
    ExportOutput empty({.format = ExportFormat::kJson});
    ASSERT_TRUE(empty.create(file_, true));
    ASSERT_TRUE(empty.finish());
    EXPECT_EQ(content(), "[]\n");
}

TEST_F(ExportOutputTest, GoesOnFromACheckpoint) {
    for (const Compression compression :
         {Compression::kNone, Compression::kGzip, Compression::kZstd}) {
        const OutputOptions options{.compression = compression};
        OutputPosition kept;
        {
            ExportOutput output(options);
            ASSERT_TRUE(output.create(file_, true));
            ASSERT_TRUE(output.add("1"));
            ASSERT_TRUE(output.sync());
            kept = output.position();
            EXPECT_EQ(kept.bytes, 2U);
            ASSERT_TRUE(output.add("lost"));
            ASSERT_TRUE(output.sync());
            ASSERT_TRUE(output.add("lost, too"));
            ASSERT_TRUE(output.write());
        }
        OutputPosition longer = kept;
        longer.file_size = 1000;
        EXPECT_FALSE(ExportOutput(options).reopen(file_, longer));
        ExportOutput output(options);
        ASSERT_TRUE(output.reopen(file_, kept));
        ASSERT_TRUE(output.add("2"));
        ASSERT_TRUE(output.finish());
        EXPECT_EQ(unpacked(file_), "1\n2\n");
        EXPECT_EQ(output.position().items, 2U);
        ExportOutput empty(options);
        ASSERT_TRUE(empty.create(file_, true));
        ASSERT_TRUE(empty.finish());
        EXPECT_EQ(unpacked(file_), "");
        EXPECT_EQ(content().empty(), compression == Compression::kNone);
    }
}

TEST_F(ExportOutputTest, Splits) {
    const OutputOptions options{
        .format = ExportFormat::kCsv, .header = "h", .split_items = 2, .split_bytes = 12};
    ExportOutput output(options);
    ASSERT_TRUE(output.create(file_, false));
    for (const char* item : {"1", "2", "3", "1234567", "larger than that", "4"}) {
        ASSERT_TRUE(output.add(item));
        if (output.position().items == 3) {
            ASSERT_TRUE(output.sync());
        }
    }
    ASSERT_TRUE(output.finish());
    EXPECT_THAT(names(),
                ElementsAre("out-00001.txt", "out-00002.txt", "out-00003.txt", "out-00004.txt"));
    EXPECT_EQ(content(numbered_file(file_, 1)), "h\n1\n2\n");
    EXPECT_EQ(content(numbered_file(file_, 2)), "h\n3\n1234567\n");
    EXPECT_EQ(content(numbered_file(file_, 3)), "h\nlarger than that\n");
    EXPECT_EQ(content(numbered_file(file_, 4)), "h\n4\n");

    const Status again = ExportOutput(options).create(file_, false);
    ASSERT_FALSE(again);
    EXPECT_THAT(again.error().message(), HasSubstr("out-00001.txt' exists; use --overwrite"));
    ExportOutput resumed(options);
    ASSERT_TRUE(resumed.reopen(
        file_,
        {.items = 3, .bytes = 10, .file = 2, .file_items = 1, .file_bytes = 4, .file_size = 4}));
    ASSERT_TRUE(resumed.finish());
    EXPECT_THAT(names(), ElementsAre("out-00001.txt", "out-00002.txt"));
    EXPECT_EQ(content(numbered_file(file_, 2)), "h\n3\n");
    ASSERT_TRUE(ExportOutput(options).create(file_, true));
    EXPECT_THAT(names(), ElementsAre("out-00001.txt"));
}

TEST(NumberedFilesTest, KeepsExtensions) {
    EXPECT_EQ(numbered_file("a.b/c.jsonl.gz", 7), "a.b/c-00007.jsonl.gz");
    EXPECT_EQ(numbered_file("a.b/c", 123'456), "a.b/c-123456");
    EXPECT_EQ(numbered_file(".hidden", 1), ".hidden-00001");
}

TEST_F(ExportOutputTest, ReplacesNothingUnasked) {
    std::ofstream(file_) << "precious";
    ExportOutput output({.format = ExportFormat::kJson});
    const Status created = output.create(file_, false);
    ASSERT_FALSE(created);
    EXPECT_THAT(created.error().message(), HasSubstr("--overwrite"));
    EXPECT_EQ(content(), "precious");
}

// The CSV file of items with all their columns, and what the import makes of it.
std::string csv_of(const std::vector<std::string>& items) {
    ExportColumns columns;
    for (const std::string& item : items) {
        EXPECT_TRUE(columns.cover(item));
    }
    columns.arrange();
    std::string out = columns.header(',') + "\n";
    for (const std::string& item : items) {
        const auto complete = columns.append_row(out, item, ',');
        EXPECT_TRUE(complete && *complete) << item;
        out += '\n';
    }
    return out;
}

std::vector<std::string> imported(const std::string& text) {
    return all_records([](TextCursor& cursor) { return read_csv(cursor, {}); }, text, 100);
}

TEST(ExportColumnsTest, ComesBackAsItWas) {
    const std::vector<std::string> items = {
        R"({"id":"1","a":{"b.c":1.50,"[":[1,[],{"x":null}]}})",
        R"({"id":"2","a":{},"\\":"a,b","q":"\"x\"\r\n","e":""})",
        R"({"id":"03","a":[],"e":"true","q":"1.5","n":{"":"null"}})",
        R"({"id":"4","a":"{}","e":false,"q":-1e3})",
        R"({"id":"5","a":null,"q":"007","e":"\uFEFFx"})"};
    const std::string text = csv_of(items);
    EXPECT_THAT(text, HasSubstr("id,a,a.b\\.c,a.\\[[0],a.\\[[1],a.\\[[2].x,"));
    EXPECT_THAT(imported(text),
                ElementsAre(R"(2: {"id":"1","a":{"b.c":1.50,"[":[1,[],{"x":null}]}})",
                            R"(3: {"id":"2","a":{},"\\":"a,b","q":"\"x\"\r\n","e":""})",
                            R"(5: {"id":"03","a":[],"q":"1.5","e":"true","n":{"":"null"}})",
                            R"(6: {"id":"4","a":"{}","q":-1e3,"e":false})",
                            "7: {\"id\":\"5\",\"a\":null,\"q\":\"007\",\"e\":\"\xEF\xBB\xBFx\"}"));
}

TEST(ExportColumnsTest, TellsWhatHasNoColumn) {
    const auto columns = ExportColumns::parse({"n", "id", "a.b"});
    ASSERT_TRUE(columns);
    const auto row = [&](std::string_view item) {
        std::string out;
        const auto complete = columns->append_row(out, item, '\t');
        return !complete ? complete.error().message() : *complete ? out : out + " incomplete";
    };
    EXPECT_EQ(columns->header('\t'), "n\tid\ta.b");
    EXPECT_EQ(row(R"({"id":"1","n":2,"a":{"b":true}})"), "2\t1\ttrue");
    EXPECT_EQ(row("{}"), "\t\t");
    EXPECT_EQ(row(R"({"n":[1],"a":{"b":"x\ty","c":1}})"), "\t\t\"x\ty\" incomplete");
    EXPECT_EQ(row(R"({"a":{}})"), "\t\t incomplete");
    EXPECT_THAT(row("[1]"), HasSubstr("not an object"));
    EXPECT_FALSE(ExportColumns::parse({"a", "a"}));
    EXPECT_FALSE(ExportColumns::parse({"a[x]"}));
    EXPECT_FALSE(ExportColumns::parse({"a..b"}));
    ExportColumns all;
    EXPECT_FALSE(all.cover("1"));
    EXPECT_FALSE(all.cover(R"({"":1})"));
    std::string many = "{\"a\":[0";
    for (int i = 0; i < 10'000; ++i) {
        many += ",0";
    }
    EXPECT_FALSE(all.cover(many + "]}"));
}

TEST(SurvivorsTest, AreTheNewestOfWhatExists) {
    model::ContainerDefinition definition;
    definition.partition_key.paths = {{"pk"}};
    Survivors survivors(definition);
    const auto add = [&](const char* id, const char* pk, const char* rid) {
        const std::string item = std::string(R"({"id":")") + id + R"(","pk":")" + pk +
                                 R"(","_rid":")" + rid + R"(","_lsn":1})";
        EXPECT_TRUE(survivors.add_version(item));
    };
    add("1", "a", "r1");  // replaced
    add("1", "b", "r2");
    add("1", "a", "r1");
    add("2", "a", "r3");  // deleted
    add("3", "a", "r4");  // deleted, created again
    for (const char* rid : {"\"r1\"", "\"r2\"", "\"r4\""}) {
        survivors.add_existing(rid);
    }
    add("4", "a", "r6");  // created after the list
    add("3", "a", "r5");
    EXPECT_FALSE(survivors.add_version(R"({"id":"5","pk":"a"})"));
    survivors.settle(5);
    EXPECT_THAT(survivors.versions(), ElementsAre(1, 2, 5, 6));
}

}  // namespace export_test
}  // namespace orrery::tools
