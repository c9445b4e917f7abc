#include "service/resource_query.h"

#include <string>

#include <gtest/gtest.h>

#include "service/test_support.h"

namespace orrery::service {
namespace {

using testing_support::code_of;
using testing_support::parsed;

Result<ResourceQuery> query(const std::string& text, const char* parameters = "[]") {
    json::Value body(json::Value::Object{});
    body.set("query", text);
    body.set("parameters", parsed(parameters));
    return ResourceQuery::parse(body);
}

bool finds(const std::string& text, const char* resource, const char* parameters = "[]") {
    const auto made = query(text, parameters);
    EXPECT_TRUE(made) << text << ": " << (made ? "" : made.error().message());
    return made && made->matches(parsed(resource));
}

constexpr const char* kOffer =
    R"({"id":"uT2L","resource":"dbs/rgkVAA==/colls/rgkVAMHcJww=/","offerResourceId":"rgkVAMHcJww=",)"
    R"("n":5,"flag":true,"nothing":null})";

TEST(ResourceQuery, SdkLookups) {
    // All of JavaScript, Python, Go, .NET and Java look up offers, and databases by id.
    EXPECT_TRUE(finds(
        R"(SELECT * from root where root.resource = "dbs/rgkVAA==/colls/rgkVAMHcJww=/")", kOffer));
    EXPECT_TRUE(finds("SELECT * FROM root r WHERE r.resource=@link",
                      kOffer,
                      R"([{"name":"@link","value":"dbs/rgkVAA==/colls/rgkVAMHcJww=/"}])"));
    EXPECT_TRUE(finds("SELECT * FROM c WHERE c.offerResourceId = 'rgkVAMHcJww='", kOffer));
    EXPECT_TRUE(finds("select * from root r where r.offerResourceId= @targetRID",
                      kOffer,
                      R"([{"name":"@targetRID","value":"rgkVAMHcJww="}])"));
    EXPECT_TRUE(
        finds("SELECT * FROM root r WHERE r.id=@id", kOffer, R"([{"name":"@id","value":"uT2L"}])"));
    EXPECT_FALSE(finds(
        "SELECT * FROM root r WHERE r.id=@id", kOffer, R"([{"name":"@id","value":"other"}])"));
}

TEST(ResourceQuery, WithoutConditionsMatchesEverything) {
    EXPECT_TRUE(finds("SELECT * FROM c", kOffer));
    EXPECT_TRUE(finds("  select  *\n from\troot  r ", kOffer));
    EXPECT_TRUE(finds("SELECT * FROM root AS r", kOffer));
}

TEST(ResourceQuery, AllConditionsMustHold) {
    EXPECT_TRUE(finds("SELECT * FROM c WHERE c.id = 'uT2L' AND c.n = 5", kOffer));
    EXPECT_FALSE(finds("SELECT * FROM c WHERE c.id = 'uT2L' AND c.n = 6", kOffer));
    EXPECT_FALSE(finds("SELECT * FROM c WHERE c.missing = null", kOffer));
}

TEST(ResourceQuery, ValuesOfEveryKind) {
    EXPECT_TRUE(finds("SELECT * FROM c WHERE c.n = 5.0", kOffer));
    EXPECT_FALSE(finds("SELECT * FROM c WHERE c.n = '5'", kOffer));
    EXPECT_TRUE(finds("SELECT * FROM c WHERE c.flag = true", kOffer));
    EXPECT_FALSE(finds("SELECT * FROM c WHERE c.flag = false", kOffer));
    EXPECT_TRUE(finds("SELECT * FROM c WHERE c.nothing = null", kOffer));
    EXPECT_TRUE(finds("SELECT * FROM c WHERE c.n = @n", kOffer, R"([{"name":"@n","value":5}])"));
}

TEST(ResourceQuery, PropertiesInBrackets) {
    EXPECT_TRUE(finds(R"(SELECT * FROM c WHERE c["id"] = 'uT2L')", kOffer));
    EXPECT_TRUE(finds(R"(SELECT * FROM c WHERE c['id'] = "uT2L")", kOffer));
    EXPECT_FALSE(finds(R"(SELECT * FROM c WHERE c["id"] = "x")", kOffer));
}

TEST(ResourceQuery, EscapesInEitherKindOfQuotes) {
    const auto same = [](const std::string& literal, const std::string& value) {
        json::Value resource(json::Value::Object{});
        resource.set("id", value);
        const auto made = query("SELECT * FROM c WHERE c.id = " + literal);
        return made && made->matches(resource);
    };
    EXPECT_TRUE(same(R"('it\'s')", "it's"));
    EXPECT_TRUE(same(R"("it's")", "it's"));
    EXPECT_TRUE(same(R"('say "hi"')", "say \"hi\""));
    EXPECT_TRUE(same(R"("say \"hi\"")", "say \"hi\""));
    EXPECT_TRUE(same(R"('a\\')", "a\\"));
    EXPECT_TRUE(same(R"('a\\"b')", "a\\\"b"));
    EXPECT_TRUE(same(R"('caf\u00e9')", "café"));
    EXPECT_TRUE(same("'日本'", "日本"));
    EXPECT_TRUE(same("''", ""));
    EXPECT_TRUE(same("'a = b AND c'", "a = b AND c"));
}

TEST(ResourceQuery, RefusesAnythingElse) {
    for (const char* text : {"",
                             "SELECT",
                             "SELECT *",
                             "SELECT * FROM",
                             "SELECT * FROM c AS",
                             "SELECT c.id FROM c",
                             "SELECT VALUE c FROM c",
                             "SELECT * FROM c WHERE",
                             "SELECT * FROM c WHERE c.id",
                             "SELECT * FROM c WHERE c.id =",
                             "SELECT * FROM c WHERE c.id = ",
                             "SELECT * FROM c WHERE c = 1",
                             "SELECT * FROM c WHERE c.id > 'a'",
                             "SELECT * FROM c WHERE c.id != 'a'",
                             "SELECT * FROM c WHERE x.id = 'a'",
                             "SELECT * FROM c WHERE c.a.b = 'a'",
                             "SELECT * FROM c WHERE c. = 'a'",
                             "SELECT * FROM c WHERE c.id = 'a' OR c.id = 'b'",
                             "SELECT * FROM c WHERE c.id = 'a' ORDER BY c.id",
                             "SELECT * FROM c ORDER BY c.id",
                             "SELECT * FROM c x y",
                             "SELECT * FROM c WHERE c.id = 'a' AND",
                             "SELECT * FROM c WHERE c[1] = 1",
                             "SELECT * FROM c WHERE c['id' = 1",
                             "SELECT * FROM c WHERE c.id = 'open",
                             "SELECT * FROM c WHERE c.id = 'open\\'",
                             "SELECT * FROM c WHERE c.id = '",
                             "SELECT * FROM c WHERE c.id = c.id",
                             "SELECT * FROM c WHERE c.id = 'a';",
                             "SELECT * FROM c WHERE c.id = 'bad\\x'",
                             "SELECT TOP 1 * FROM c",
                             "DELETE FROM c"}) {
        EXPECT_EQ(code_of(query(text)), "400") << text;
    }
}

TEST(ResourceQuery, ParametersMustHaveValues) {
    const std::string text = "SELECT * FROM c WHERE c.id = @id";
    for (const char* parameters : {"[]",
                                   "{}",
                                   "null",
                                   "5",
                                   R"([{"name":"@ID","value":1}])",
                                   R"([{"name":"id","value":1}])",
                                   R"([{"name":"@id"}])",
                                   R"([{"value":1}])",
                                   R"(["@id"])"}) {
        EXPECT_EQ(code_of(query(text, parameters)), "400") << parameters;
    }
}

TEST(ResourceQuery, BodyMustBeAQuery) {
    for (const char* body : {"{}",
                             "[]",
                             "null",
                             R"("SELECT * FROM c")",
                             R"({"query":null})",
                             R"({"query":["SELECT * FROM c"]})",
                             R"({"Query":"SELECT * FROM c"})"}) {
        EXPECT_EQ(code_of(ResourceQuery::parse(parsed(body))), "400") << body;
    }
    EXPECT_EQ(code_of(ResourceQuery::parse(parsed(R"({"query":"SELECT * FROM c"})"))), "ok");
}

}  // namespace
}  // namespace orrery::service
