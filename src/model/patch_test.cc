#include "model/patch.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "json/scan.h"
#include "model/test_support.h"

namespace orrery::model {
namespace patch_test {

using testing::HasSubstr;
using testing_support::container_definition;
using testing_support::must;
using testing_support::refusal;

constexpr std::string_view kSyntax = "Invalid patch request: check syntax of patch specification.";

// The item after the operations, or the error.
std::string patched(std::string_view item, const std::string& operations) {
    const auto patch = parse_patch("[" + operations + "]");
    if (!patch) return patch.error().message();
    auto done = apply_patch(*patch, item);
    if (!done) {
        EXPECT_EQ(done.error().code(), ErrorCode::kBadRequest);
        return done.error().message();
    }
    EXPECT_TRUE(json::check(*done)) << *done;
    return *done;
}

TEST(Patch, AddCreatesOrReplacesAMember) {
    EXPECT_EQ(patched(R"({"id":"1"})", R"({"op":"add","path":"/a","value":[1, 2.50]})"),
              R"({"id":"1","a":[1,2.50]})");
    EXPECT_EQ(patched(R"({"a":1,"b":2})", R"({"op":"add","path":"/a","value":null})"),
              R"({"a":null,"b":2})");
    EXPECT_EQ(patched(R"({"a":{}})", R"({"op":"add","path":"/a/b","value":1})"),
              R"({"a":{"b":1}})");
    EXPECT_EQ(patched(R"({"a":[{"x":1}]})", R"({"op":"add","path":"/a/0/y","value":2})"),
              R"({"a":[{"x":1,"y":2}]})");
}

TEST(Patch, AddInsertsIntoArrays) {
    const char* item = R"({"a":[1,2]})";
    EXPECT_EQ(patched(item, R"({"op":"add","path":"/a/0","value":9})"), R"({"a":[9,1,2]})");
    EXPECT_EQ(patched(item, R"({"op":"add","path":"/a/1","value":9})"), R"({"a":[1,9,2]})");
    EXPECT_EQ(patched(item, R"({"op":"add","path":"/a/2","value":9})"), R"({"a":[1,2,9]})");
    EXPECT_EQ(patched(item, R"({"op":"add","path":"/a/-","value":9})"), R"({"a":[1,2,9]})");
    EXPECT_EQ(patched(R"({"a":[]})", R"({"op":"add","path":"/a/-","value":9})"), R"({"a":[9]})");
    EXPECT_EQ(patched(R"({"a":[]})", R"({"op":"add","path":"/a/0","value":9})"), R"({"a":[9]})");
    for (const char* name : {"3", "x", "", "-1", "01", "99999999999999999999"}) {
        const std::string path = std::string("/a/") + name;
        EXPECT_EQ(patched(item, R"({"op":"add","path":")" + path + R"(","value":9})"),
                  std::string("For Operation(1): Index(") + name +
                      ") to operate on is out of array bounds");
    }
}

TEST(Patch, SetReplacesElements) {
    EXPECT_EQ(patched(R"({"a":[1,2]})", R"({"op":"set","path":"/a/0","value":9})"),
              R"({"a":[9,2]})");
    EXPECT_EQ(patched(R"({"a":[1,2]})", R"({"op":"set","path":"/a/-","value":9})"),
              R"({"a":[1,2,9]})");
    EXPECT_EQ(patched(R"({"a":1})", R"({"op":"set","path":"/b","value":{"c":[]}})"),
              R"({"a":1,"b":{"c":[]}})");
    EXPECT_EQ(patched(R"({"a":1})", R"({"op":"set","path":"/a","value":"x"})"), R"({"a":"x"})");
    EXPECT_THAT(patched(R"({"a":[1]})", R"({"op":"set","path":"/a/2","value":9})"),
                HasSubstr("out of array bounds"));
}

TEST(Patch, ReplaceNeedsAnExistingNode) {
    EXPECT_EQ(patched(R"({"a":[1,2]})", R"({"op":"replace","path":"/a/1","value":9})"),
              R"({"a":[1,9]})");
    EXPECT_EQ(patched(R"({"a":1})", R"({"op":"replace","path":"/b","value":1})"),
              "For Operation(1): Node(/b) to be replaced is absent");
    EXPECT_EQ(patched(R"({"a":[1]})", R"({"op":"replace","path":"/a/-","value":1})"),
              "For Operation(1): Index(-) to operate on is out of array bounds");
    EXPECT_THAT(
        patched(R"({"a":1})", R"({"op":"replace","path":"/fake/item","value":1})"),
        HasSubstr("Given Operation can only create a child object of an existing node(array "
                  "or object) and cannot create path recursively, no path found beyond: "
                  "'fake'"));
}

TEST(Patch, RemoveAlsoRemovesTheComma) {
    EXPECT_EQ(patched(R"({"a":1,"b":2,"c":3})", R"({"op":"remove","path":"/a"})"),
              R"({"b":2,"c":3})");
    EXPECT_EQ(patched(R"({"a":1,"b":2,"c":3})", R"({"op":"remove","path":"/b"})"),
              R"({"a":1,"c":3})");
    EXPECT_EQ(patched(R"({"a":1,"b":2,"c":3})", R"({"op":"remove","path":"/c"})"),
              R"({"a":1,"b":2})");
    EXPECT_EQ(patched(R"({"a":[1]})", R"({"op":"remove","path":"/a/0"})"), R"({"a":[]})");
    EXPECT_EQ(patched(R"({"a":[1,[2],3]})", R"({"op":"remove","path":"/a/1"})"), R"({"a":[1,3]})");
    const std::string gone =
        "is absent. Note: it may also have been removed earlier in the transaction.";
    EXPECT_EQ(patched(R"({"a":1})", R"({"op":"remove","path":"/b"})"),
              "For Operation(1): Node(/b) to be removed " + gone);
    EXPECT_EQ(patched(R"({"a":1})", R"({"op":"remove","path":"/b/c"})"),
              "For Operation(1): Node(/b/c) to be removed " + gone);
    EXPECT_EQ(patched(R"({"a":1})", R"({"op":"remove","path":"/a"},{"op":"remove","path":"/a"})"),
              "For Operation(2): Node(/a) to be removed " + gone);
    EXPECT_THAT(patched(R"({"a":[]})", R"({"op":"remove","path":"/a/-"})"),
                HasSubstr("out of array bounds"));
}

std::string incremented(std::string_view number, std::string_view by) {
    return patched("{\"n\":" + std::string(number) + "}",
                   R"({"op":"incr","path":"/n","value":)" + std::string(by) + "}");
}

TEST(Patch, IncrementIsExactOnIntegers) {
    EXPECT_EQ(incremented("1", "2"), R"({"n":3})");
    EXPECT_EQ(incremented("1", "-2"), R"({"n":-1})");
    EXPECT_EQ(incremented("9007199254740993", "1"), R"({"n":9007199254740994})");
    EXPECT_EQ(incremented("9223372036854775806", "1"), R"({"n":9223372036854775807})");
    EXPECT_EQ(incremented("-9223372036854775808", "0"), R"({"n":-9223372036854775808})");
    for (const auto& [number, by] : {std::pair{"9223372036854775807", "1"},
                                     std::pair{"-9223372036854775808", "-1"},
                                     std::pair{"1e308", "1e308"},
                                     std::pair{"1e400", "1"}}) {
        EXPECT_EQ(incremented(number, by),
                  "For Operation(1): Node(/n) cannot be incremented: the result is out of range");
    }
}

TEST(Patch, IncrementOfDoubles) {
    EXPECT_EQ(incremented("1.5", "1"), R"({"n":2.5})");
    EXPECT_EQ(incremented("0.1", "0.2"), R"({"n":0.30000000000000004})");
    EXPECT_EQ(incremented("1.50", "0.5"), R"({"n":2})");
    EXPECT_EQ(incremented("1e3", "1"), R"({"n":1001})");
}

TEST(Patch, IncrementOfNonNumbers) {
    EXPECT_EQ(patched(R"({"a":"x"})", R"({"op":"incr","path":"/a","value":1})"),
              "For Operation(1): Node(/a) is not a number");
    EXPECT_EQ(patched(R"({"a":null})", R"({"op":"incr","path":"/a","value":1})"),
              "For Operation(1): Node(/a) is not a number");
    EXPECT_EQ(patched(R"({"a":1})", R"({"op":"incr","path":"/b","value":2.50})"),
              R"({"a":1,"b":2.50})");
    EXPECT_THAT(patched(R"({"a":[]})", R"({"op":"incr","path":"/a/-","value":1})"),
                HasSubstr("out of array bounds"));
    EXPECT_EQ(incremented("1", "\"1\""), kSyntax);
    EXPECT_EQ(incremented("1", "1e400"), kSyntax);
}

TEST(Patch, Move) {
    EXPECT_EQ(patched(R"({"a":{"x":1},"b":{}})", R"({"op":"move","from":"/a/x","path":"/b/y"})"),
              R"({"a":{},"b":{"y":1}})");
    EXPECT_EQ(patched(R"({"a":1,"b":2})", R"({"op":"move","from":"/a","path":"/b"})"),
              R"({"b":1})");
    // As in RFC 6902: the position counts after the removal.
    EXPECT_EQ(patched(R"({"a":[1,2,3]})", R"({"op":"move","from":"/a/0","path":"/a/2"})"),
              R"({"a":[2,3,1]})");
    EXPECT_EQ(patched(R"({"a":[1,2,3],"b":4})", R"({"op":"move","from":"/b","path":"/a/1"})"),
              R"({"a":[1,4,2,3]})");
    EXPECT_THAT(patched(R"({"a":1})", R"({"op":"move","from":"/b","path":"/c"})"),
                HasSubstr("For Operation(1): Node(/b) to be moved is absent"));
    EXPECT_EQ(patched(R"({"a":{"b":1}})", R"({"op":"move","from":"/a","path":"/a/b"})"), kSyntax);
}

TEST(Patch, NeverCreatesParents) {
    const std::string beyond =
        " Operation can only create a child object of an existing node(array or object) and cannot "
        "create path recursively, no path found beyond: ";
    const std::string more = ". Learn more: https://aka.ms/cosmosdbpatchdocs";
    EXPECT_EQ(patched(R"({"a":1})", R"({"op":"add","path":"/p/q/r","value":1})"),
              "For Operation(1): Add" + beyond + "'p'" + more);
    EXPECT_EQ(patched(R"({"a":1})", R"({"op":"set","path":"/a/b","value":1})"),
              "For Operation(1): Given" + beyond + "'a'" + more);
    EXPECT_EQ(patched(R"({"a":[]})", R"({"op":"add","path":"/a/0/b","value":1})"),
              "For Operation(1): Add" + beyond + "'0'" + more);
}

TEST(Patch, OperationsSeeEarlierOnes) {
    EXPECT_EQ(patched(R"({"a":1})",
                      R"({"op":"add","path":"/b","value":{}},{"op":"set","path":"/b/c","value":[]},
                         {"op":"add","path":"/b/c/-","value":1},{"op":"incr","path":"/b/c/0","value":1})"),
              R"({"a":1,"b":{"c":[2]}})");
}

TEST(Patch, NamesAreEscapedAsInJsonPointers) {
    EXPECT_EQ(
        patched(R"({"a/b":1,"~":2})",
                R"({"op":"set","path":"/a~1b","value":3},{"op":"set","path":"/~0","value":4})"),
        R"({"a/b":3,"~":4})");
    EXPECT_EQ(patched(R"({"\u0061":1})", R"({"op":"set","path":"/a","value":2})"),
              R"({"\u0061":2})");
    EXPECT_EQ(patched(R"({})", R"({"op":"set","path":"/q\"\u00e9","value":2})"), "{\"q\\\"é\":2}");
    EXPECT_EQ(patched(R"({})", R"({"op":"set","path":"/","value":2})"), R"({"":2})");
    EXPECT_EQ(patched(R"({"0":{}})", R"({"op":"set","path":"/0/0","value":2})"),
              R"({"0":{"0":2}})");
}

TEST(Patch, UntouchedPartsKeepTheirText) {
    EXPECT_EQ(patched(R"({"n":1.50,"m":1E400,"s":"\u0041\/","x":{"y":-0}})",
                      R"({"op":"set","path":"/x/z","value":1.0})"),
              R"({"n":1.50,"m":1E400,"s":"\u0041\/","x":{"y":-0,"z":1.0}})");
}

TEST(Patch, Bodies) {
    const Patch patch = must(parse_patch(
        R"( {"operations":[{"op":"remove","path":"/a"}], "condition":"from c where c.x = 1"} )"));
    EXPECT_EQ(patch.operations.size(), 1u);
    EXPECT_EQ(patch.condition, "from c where c.x = 1");
    EXPECT_EQ(must(parse_patch(R"({"operations":[{"op":"remove","path":"/a"}],"condition":null})"))
                  .condition,
              std::nullopt);
    for (const char* body : {"",
                             "x",
                             "1",
                             "[]",
                             "{}",
                             R"({"operations":[]})",
                             R"({"operations":{}})",
                             R"({"operations":[1]})",
                             R"({"operations":[{"op":"remove","path":"/a"}],"condition":1})",
                             R"([{"path":"/a"}])",
                             R"([{"op":"copy","from":"/a","path":"/b"}])",
                             R"([{"op":"test","path":"/b","value":1}])",
                             R"([{"op":"Add","path":"/b","value":1}])",
                             R"([{"op":"remove"}])",
                             R"([{"op":"remove","path":""}])",
                             R"([{"op":"remove","path":"a"}])",
                             R"([{"op":"remove","path":1}])",
                             R"([{"op":"remove","path":"/a~"}])",
                             R"([{"op":"remove","path":"/a~2"}])",
                             R"([{"op":"add","path":"/a"}])",
                             R"([{"op":"move","path":"/a"}])"}) {
        EXPECT_EQ(refusal(parse_patch(body)), kSyntax) << body;
    }
}

TEST(Patch, AtMostTenOperations) {
    std::string operations = R"({"op":"incr","path":"/n","value":1})";
    for (int i = 1; i < 10; ++i)
        operations += R"(,{"op":"incr","path":"/n","value":1})";
    EXPECT_EQ(patched(R"({"n":0})", operations), R"({"n":10})");
    EXPECT_EQ(patched(R"({"n":0})", operations + R"(,{"op":"incr","path":"/n","value":1})"),
              "The number of patch operations can't exceed 10.");
}

TEST(Patch, SomePropertiesAreFixed) {
    const auto definition =
        container_definition(R"({"partitionKey":{"paths":["/k/p"],"version":2,"kind":"Hash"}})");
    const auto checked = [&](const std::string& operation) {
        const Status status =
            check_patch(must(parse_patch("[" + operation + "]")), definition.partition_key);
        return status ? std::string("ok") : status.error().message();
    };
    for (const char* name : {"id", "_rid", "_self", "_etag", "_attachments", "_ts"}) {
        EXPECT_EQ(checked(R"({"op":"set","path":"/)" + std::string(name) + R"(","value":1})"),
                  "Invalid patch request: Cannot patch system property " + std::string(name) + ".");
    }
    EXPECT_THAT(checked(R"({"op":"remove","path":"/k/p"})"), HasSubstr("the partition key /k/p"));
    EXPECT_THAT(checked(R"({"op":"set","path":"/k/p/x","value":1})"), HasSubstr("partition key"));
    EXPECT_THAT(checked(R"({"op":"move","from":"/id","path":"/x"})"), HasSubstr("property id"));
    EXPECT_EQ(checked(R"({"op":"set","path":"/k","value":1})"), "ok");
    EXPECT_EQ(checked(R"({"op":"set","path":"/ttl","value":1})"), "ok");
    EXPECT_EQ(checked(R"({"op":"set","path":"/a/id","value":1})"), "ok");
}

}  // namespace patch_test
}  // namespace orrery::model
