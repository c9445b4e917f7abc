#include "tools/bench/template.h"

#include <gmock/gmock.h>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "json/property.h"
#include "json/value.h"

namespace orrery::tools::bench {
namespace template_test {

using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

const std::vector<json::Path> kPk = {{"pk"}};

ItemTemplate compiled(std::string_view text, const std::vector<json::Path>& paths = kPk) {
    auto out = ItemTemplate::compile(text, paths, 42);
    EXPECT_TRUE(out) << out.error().message();
    return *std::move(out);
}

std::string problem(std::string_view text, const std::vector<json::Path>& paths = kPk) {
    const auto out = ItemTemplate::compile(text, paths, 42);
    return out ? "none" : out.error().message();
}

TEST(TemplateTest, FillsInValuesInsideAndOutsideStrings) {
    const auto item = compiled(R"({
        "id": "item {{sequence}}", "pk": {{sequence}}, "n": [ {{ random -5 5 }} ],
        "s": "a \"{{text 20}}\" \\{{text 1}}", "p": "{{pick red}}", "b": {{pick true true}},
        "name {{pick x}}": null})");
    const std::string text = item.body(17);
    const auto value = Value::parse(text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(value->find("id")->string(), "item 17");
    EXPECT_EQ(value->find("pk")->integer(), 17);
    EXPECT_LE(std::abs(*value->find("n")->array()[0].integer()), 5);
    EXPECT_THAT(value->find("s")->string(),
                MatchesRegex(R"(a "[A-Za-z0-9_-]{20}" \\[A-Za-z0-9_-])"));
    EXPECT_EQ(value->find("p")->string(), "red");
    EXPECT_TRUE(value->find("b")->boolean());
    EXPECT_NE(value->find("name x"), nullptr);
    EXPECT_EQ(item.id(17), "item 17");
    EXPECT_EQ(item.partition_key(17), "[17]");
}

TEST(TemplateTest, FindsIdAndKeyAgain) {
    const auto item = compiled(
        R"({"id":"{{uuid}}","tenant":{"name":"t{{random 1 9}}"},"v":"{{text 8}}","u":"{{uuid}}"})",
        {{"tenant", "name"}, {"tenant", "user"}});
    std::set<std::string> ids;
    for (std::uint64_t number = 0; number < 100; ++number) {
        const auto first = Value::parse(item.body(number));
        const auto second = Value::parse(item.body(number, 77));
        ASSERT_TRUE(first && second);
        EXPECT_EQ(first->find("id")->string(), item.id(number));
        EXPECT_EQ(second->find("id")->string(), item.id(number));
        EXPECT_EQ(*first->find("tenant"), *second->find("tenant"));
        EXPECT_NE(first->find("v")->string(), second->find("v")->string());
        EXPECT_NE(first->find("u")->string(), first->find("id")->string());
        const auto key = Value::parse(item.partition_key(number));
        EXPECT_EQ(key->array()[0], *first->find("tenant")->find("name"));
        EXPECT_EQ(key->array()[1], *first->find("tenant")->find("user"));
        ids.insert(item.id(number));
    }
    EXPECT_EQ(ids.size(), 100U);
    EXPECT_THAT(
        *ids.begin(),
        MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

TEST(TemplateTest, SeedsGiveOtherItems) {
    const auto one = ItemTemplate::compile(kDefaultTemplate, kPk, 1);
    const auto same = ItemTemplate::compile(kDefaultTemplate, kPk, 1);
    const auto other = ItemTemplate::compile(kDefaultTemplate, kPk, 2);
    ASSERT_TRUE(one && same && other);
    EXPECT_EQ(one->body(5), same->body(5));
    EXPECT_NE(one->id(5), other->id(5));
    EXPECT_NE(one->id(5), one->id(6));
}

TEST(TemplateTest, DefaultIsAboutAKilobyte) {
    const auto item = compiled(kDefaultTemplate);
    EXPECT_NEAR(static_cast<double>(item.body(1).size()), 1024, 100);
    EXPECT_EQ(item.sequence_path(), json::Path{"number"});
}

TEST(TemplateTest, AddsIdAndKeyThatAreMissing) {
    const auto item = compiled(R"({"a":{"b":1}})", {{"a", "key"}});
    const auto value = Value::parse(item.body(0));
    ASSERT_TRUE(value);
    EXPECT_EQ(value->find("id")->string().size(), 36U);
    EXPECT_EQ(item.partition_key(0), "[" + value->find("a")->find("key")->text() + "]");
    EXPECT_EQ(compiled("{}", {{"id"}}).partition_key(3), "[\"" + compiled("{}").id(3) + "\"]");
}

TEST(TemplateTest, KeyHeaderIsAscii) {
    EXPECT_EQ(compiled(R"({"pk":"Zürich"})").partition_key(0), R"(["Z\u00fcrich"])");
}

TEST(TemplateTest, FindsTheSequence) {
    EXPECT_EQ(compiled(R"({"a":{"n":{{sequence}}}})").sequence_path(), (json::Path{"a", "n"}));
    EXPECT_EQ(compiled(R"({"n":"{{sequence}}"})").sequence_path(), std::nullopt);
}

TEST(TemplateTest, RandomCoversItsRange) {
    const auto item = compiled(R"({"n":{{random 1 6}}})");
    std::set<std::int64_t> found;
    for (std::uint64_t number = 0; number < 500; ++number) {
        found.insert(*Value::parse(item.body(number))->find("n")->integer());
    }
    EXPECT_THAT(found, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(TemplateTest, SaysWhereAProblemIs) {
    EXPECT_EQ(problem("{\n  \"a\": {{uuid}}\n}"),
              "line 2, column 8: this placeholder stands for text: put it between quotes");
    EXPECT_THAT(problem("{\"ü\": \"{{number}}\"}"),
                StartsWith("line 1, column 8: {{number}} is not known"));
    EXPECT_EQ(problem("{\"a\": \"{{uuid\"}"), "line 1, column 8: {{ has no }}");
    EXPECT_THAT(problem("{\"a\": {{random 5 1}}}"), StartsWith("line 1, column 7: {{random}}"));
    EXPECT_THAT(problem("{\"a\": {{random 1}}}"), HasSubstr("{{random 1 100}}"));
    EXPECT_THAT(problem("{\"a\": \"{{text 0}}\"}"), HasSubstr("{{text 20}}"));
    EXPECT_THAT(problem("{\"a\": \"{{text x}}\"}"), HasSubstr("{{text 20}}"));
    EXPECT_THAT(problem("{\"a\": \"{{pick}}\"}"), HasSubstr("{{pick red blue}}"));
    EXPECT_THAT(problem("{\"a\": \"{{uuid 1}}\"}"), HasSubstr("nothing after its name"));
    EXPECT_THAT(problem("{\"a\": \"{{}}\"}"), HasSubstr("is empty"));
    // After a placeholder, whose length is not that of what it stands for.
    EXPECT_EQ(problem("{\"a\": {{sequence}},\n \"b\" 1}"), "line 2, column 6: expected ':'");
    EXPECT_THAT(problem("{\"a\": {{sequence}}1}"), testing::Not(StartsWith("none")));
    EXPECT_THAT(problem("[1]"), HasSubstr("JSON object"));
    EXPECT_THAT(problem(R"({"a":"\u0001"})"), StartsWith("line 1, column 7: "));
}

TEST(TemplateTest, RefusesKeysThatCannotWork) {
    EXPECT_THAT(problem(R"({"id":"constant","pk":"a"})"), HasSubstr("same id"));
    EXPECT_THAT(problem(R"({"id":"{{random 1 9}}","pk":"a"})"), HasSubstr("same id"));
    EXPECT_EQ(problem(R"({"id":"constant","pk":"{{sequence}}"})"), "none");
    EXPECT_THAT(problem(R"({"id":{{sequence}}})"), HasSubstr("the id of a template is text"));
    EXPECT_THAT(problem(R"({"id":7})"), HasSubstr("the id of a template is text"));
    EXPECT_THAT(problem(R"({"pk":{"a":1}})"), HasSubstr("object or array"));
    EXPECT_THAT(problem(R"({"pk":1})", {{"pk", "x"}}), HasSubstr("not an object"));
    EXPECT_THAT(problem(R"({"a":"{{text 1000000}}{{text 1000000}}{{text 999999}}"})"),
                HasSubstr("2 MB"));
}

TEST(TemplateTextTest, FillsInAQuery) {
    const auto query =
        compile_text("SELECT * FROM c WHERE c.a = {{random 3 3}} AND c[\"b\"] = '{{pick x}}'");
    ASSERT_TRUE(query);
    EXPECT_EQ(query->render({.seed = 1, .number = 2}),
              "SELECT * FROM c WHERE c.a = 3 AND c[\"b\"] = 'x'");
    const auto bad = compile_text("SELECT {{x}}");
    ASSERT_FALSE(bad);
    EXPECT_THAT(bad.error().message(), StartsWith("line 1, column 8: "));
}

}  // namespace template_test
}  // namespace orrery::tools::bench
