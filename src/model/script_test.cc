#include "model/script.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::model {
namespace script_test {

using testing::HasSubstr;
using testing_support::must;
using testing_support::parsed;
using testing_support::refusal;

Result<ScriptDefinition> read(ScriptKind kind, std::string_view body) {
    return parse_script_definition(kind, parsed(body));
}

std::string again(ScriptKind kind, std::string_view body) {
    return to_json(must(read(kind, body))).text();
}

TEST(ScriptDefinition, RoundTrips) {
    const std::string plain = R"({"id":"s","body":"function () {}"})";
    EXPECT_EQ(again(ScriptKind::kStoredProcedure, plain), plain);
    EXPECT_EQ(again(ScriptKind::kUdf, plain), plain);
    const std::string trigger =
        R"({"id":"t","body":"","triggerType":"pre","triggerOperation":"ALL"})";
    EXPECT_EQ(again(ScriptKind::kTrigger, trigger), trigger);
}

TEST(ScriptDefinition, TheBodyIsNotChecked) {
    for (const char* body : {R"("")", R"("no function")", R"("\uFEFF () => 1;")", R"("\u0000")"}) {
        const std::string text = std::string(R"({"id":"s","body":)") + body + "}";
        EXPECT_TRUE(read(ScriptKind::kStoredProcedure, text)) << text;
    }
}

TEST(ScriptDefinition, AbsentMembersAreOmitted) {
    EXPECT_EQ(again(ScriptKind::kUdf,
                    R"({"id":"u","body":"x","_rid":"r","triggerType":"Nonsense","more":1})"),
              R"({"id":"u","body":"x"})");
}

TEST(ScriptDefinition, MissingPropertiesAreReportedTogether) {
    EXPECT_THAT(refusal(read(ScriptKind::kStoredProcedure, R"({"id":"s"})")),
                HasSubstr("the required properties - 'body; ' - are missing"));
    EXPECT_THAT(refusal(read(ScriptKind::kUdf, R"({"id":null,"body":"x"})")), HasSubstr("'id; '"));
    EXPECT_THAT(refusal(read(ScriptKind::kTrigger, R"({"id":"t","body":"x"})")),
                HasSubstr("'triggerType; triggerOperation; '"));
    EXPECT_THAT(refusal(read(ScriptKind::kTrigger, "{}")),
                HasSubstr("'id; body; triggerType; triggerOperation; '"));
}

TEST(ScriptDefinition, WrongPropertiesAreRefused) {
    EXPECT_THAT(refusal(read(ScriptKind::kUdf, R"({"id":5,"body":"x"})")),
                HasSubstr("The 'id' of a script must be a string."));
    EXPECT_THAT(refusal(read(ScriptKind::kUdf, R"({"id":"u","body":{}})")),
                HasSubstr("The 'body' of a script must be a string."));
    EXPECT_THAT(refusal(read(ScriptKind::kUdf, R"({"id":"a/b","body":"x"})")),
                HasSubstr("The input name 'a/b' is invalid"));
    EXPECT_THAT(
        refusal(read(ScriptKind::kTrigger,
                     R"({"id":"t","body":"x","triggerType":"Then","triggerOperation":"All"})")),
        HasSubstr(
            "The value 'Then' specified for 'triggerType' is invalid: it must be one of 'Pre', "
            "'Post'."));
    EXPECT_THAT(refusal(read(ScriptKind::kTrigger,
                             R"({"id":"t","body":"x","triggerType":"Pre","triggerOperation":""})")),
                HasSubstr("The value '' specified for 'triggerOperation' is invalid"));
    EXPECT_THAT(refusal(read(ScriptKind::kTrigger,
                             R"({"id":"t","body":"x","triggerType":0,"triggerOperation":"All"})")),
                HasSubstr("The 'triggerType' of a script must be a string."));
}

TEST(ScriptDefinition, TriggersHaveATypeAndAnOperation) {
    const auto rule = [](const std::string& type, const std::string& operation) {
        return *must(read(ScriptKind::kTrigger,
                          R"({"id":"t","body":"x","triggerType":")" + type +
                              R"(","triggerOperation":")" + operation + "\"}"))
                    .trigger;
    };
    EXPECT_EQ(rule("Pre", "All").type, TriggerType::kPre);
    EXPECT_EQ(rule("POST", "All").type, TriggerType::kPost);
    EXPECT_EQ(rule("Pre", "all").operation, TriggerOperation::kAll);
    EXPECT_EQ(rule("Pre", "Create").operation, TriggerOperation::kCreate);
    EXPECT_EQ(rule("Pre", "update").operation, TriggerOperation::kUpdate);
    EXPECT_EQ(rule("Pre", "Delete").operation, TriggerOperation::kDelete);
    EXPECT_EQ(rule("Pre", "Replace").operation, TriggerOperation::kReplace);
    EXPECT_EQ(rule("Pre", "Upsert").operation, TriggerOperation::kUpsert);
}

TEST(ScriptRid, IdentifiesItsKind) {
    const ContainerRid container{.database = 1, .number = 1};
    const auto text = [&](ScriptKind kind) {
        return ScriptRid{.container = container, .kind = kind, .number = 1}.text();
    };
    EXPECT_EQ(text(ScriptKind::kStoredProcedure), "AQAAAIAAAAEBAAAAAAAAgA==");
    EXPECT_EQ(text(ScriptKind::kTrigger), "AQAAAIAAAAEBAAAAAAAAcA==");
    EXPECT_EQ(text(ScriptKind::kUdf), "AQAAAIAAAAEBAAAAAAAAYA==");
    for (const ScriptKind kind : kScriptKinds) {
        for (const ScriptKind read_as : kScriptKinds) {
            const auto parsed = ScriptRid::parse(read_as, text(kind));
            ASSERT_EQ(parsed.has_value(), read_as == kind);
            EXPECT_EQ(parsed ? parsed->text() : text(kind), text(kind));
        }
        EXPECT_FALSE(ScriptRid::parse(kind, "AQAAAIAAAAE="));
        EXPECT_FALSE(ScriptRid::parse(kind, "name"));
    }
}

}  // namespace script_test
}  // namespace orrery::model
