#include "index/terms.h"

#include <gmock/gmock.h>
#include <set>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "index/test_support.h"
#include "json/distinct_hash.h"

namespace orrery::index {
namespace terms_test {

using testing::UnorderedElementsAre;
using testing_support::must;
using testing_support::policy;
using testing_support::policy_of;

constexpr KeyFrame kFrame{.terms = "I", .composites = "C", .item = "#"};

std::string printed(std::string_view encoded) {
    std::string scratch;
    const auto value = decode_value(encoded, scratch);
    if (!value) return "damaged " + to_hex_upper(encoded);
    switch (value->tag) {
        case Tag::kUndefined:
            return "undefined";
        case Tag::kNull:
            return "null";
        case Tag::kFalse:
            return "false";
        case Tag::kTrue:
            return "true";
        case Tag::kNumber: {
            std::string text;
            json::append_number(text, value->number);
            return text;
        }
        case Tag::kString:
            return "'" + std::string(value->text) + (value->exact ? "'" : "...");
        case Tag::kArray:
            return "array " + to_hex_upper(encoded.substr(1, 2));
        case Tag::kObject:
            return "object " + to_hex_upper(encoded.substr(1, 2));
    }
    return "?";
}

std::string hash_of(std::string_view kind, std::string_view text) {
    std::string bytes;
    json::append_distinct_bytes(bytes, json::distinct_hash(text));
    return std::string(kind) + " " + to_hex_upper(bytes.substr(0, 2));
}

class Extraction {
public:
    explicit Extraction(std::shared_ptr<const PathPolicy> rules = policy(),
                        const ComputedProperties* computed = nullptr)
        : policy_(std::move(rules)),
          tree_(*policy_),
          extractor_(*policy_, computed, tree_, shapes_) {}

    // Every entry as "path=value", composite ones as "0=value,value".
    std::set<std::string> of(std::string_view item) {
        shape = must(extractor_.extract(item, kFrame, keys_));
        std::set<std::string> out;
        std::string_view last;
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            EXPECT_LT(last, keys_[i]);
            last = keys_[i];
            out.insert(entry(keys_[i]));
        }
        EXPECT_EQ(out.size(), keys_.size());
        return out;
    }
    std::vector<std::string> shape_paths() const {
        std::vector<std::string> out;
        for (const PathId id : shapes_.paths(shape)) {
            out.push_back(model::to_text(tree_.path(id)));
        }
        return out;
    }
    Result<ShapeId> try_extract(std::string_view item) {
        return extractor_.extract(item, kFrame, keys_);
    }
    const KeyList& keys() const { return keys_; }

    ShapeId shape = 0;

private:
    std::string entry(std::string_view key) const {
        EXPECT_TRUE(key.ends_with('#'));
        ByteReader reader(key.substr(1, key.size() - 2));
        const std::uint64_t number = reader.ordered_varint();
        if (key[0] == 'I') {
            return model::to_text(tree_.path(static_cast<PathId>(number))) + "=" +
                   printed(reader.rest());
        }
        std::string out = std::to_string(number);
        char separator = '=';
        for (const CompositePart& part : policy_->composites()[number]) {
            std::string value;
            append_in_order(
                value, reader.take(encoded_length(reader.rest(), part.order)), part.order);
            out += separator + printed(value);
            separator = ',';
        }
        return out;
    }

    std::shared_ptr<const PathPolicy> policy_;
    PathTree tree_;
    Shapes shapes_;
    TermExtractor extractor_;
    KeyList keys_;
};

TEST(Terms, EveryValueOfAnItemHasATerm) {
    Extraction all;
    EXPECT_THAT(all.of(R"({"id":"1","pk":null,"n":-1.5,"o":{"t":true,"a":[1,1,"x",[2]]},"e":[],)"
                       R"("_rid":"r","_self":"s","_etag":"\"e\"","_attachments":"a","_ts":5})"),
                UnorderedElementsAre("/id='1'",
                                     "/pk=null",
                                     "/n=-1.5",
                                     "/o=" + hash_of("object", R"({"t":true,"a":[1,1,"x",[2]]})"),
                                     "/o/t=true",
                                     "/o/a=" + hash_of("array", R"([1,1,"x",[2]])"),
                                     "/o/a/[]=1",
                                     "/o/a/[]='x'",
                                     "/o/a/[]=" + hash_of("array", "[2]"),
                                     "/o/a/[]/[]=2",
                                     "/e=" + hash_of("array", "[]"),
                                     "/_ts=5"));
    EXPECT_THAT(all.shape_paths(),
                UnorderedElementsAre("/id", "/pk", "/n", "/o", "/o/t", "/o/a", "/e", "/_ts"));
}

TEST(Terms, SpellingDoesNotMatter) {
    Extraction all;
    const auto plain = all.of(R"({"id":"1","name":"a\"b","n":100})");
    EXPECT_EQ(all.of(R"({"n":1e2,"\u0069d":"\u0031","name":"\u0061\u0022b"})"), plain);
    const ShapeId shape = all.shape;
    all.of(R"({"id":"2","n":1,"name":null})");
    EXPECT_EQ(all.shape, shape);
    all.of(R"({"id":"2","n":1})");
    EXPECT_NE(all.shape, shape);
}

TEST(Terms, FollowThePolicy) {
    Extraction some(policy_of(R"({"includedPaths":[{"path":"/a/b/?"},{"path":"/t/[]/n/?"},
        {"path":"/w/*"}],"excludedPaths":[{"path":"/*"},{"path":"/w/no/*"}]})"));
    EXPECT_THAT(some.of(R"({"id":"1","pk":"p","x":{"y":[1,{"z":2}]},"a":{"b":1,"c":2},)"
                        R"("t":[{"n":1,"m":2},{"n":3},4],"w":{"no":{"k":1},"yes":[5]},"_ts":9})"),
                UnorderedElementsAre("/id='1'",
                                     "/pk='p'",
                                     "/a/b=1",
                                     "/t/[]/n=1",
                                     "/t/[]/n=3",
                                     "/w=" + hash_of("object", R"({"no":{"k":1},"yes":[5]})"),
                                     "/w/yes=" + hash_of("array", "[5]"),
                                     "/w/yes/[]=5",
                                     "/_ts=9"));
    EXPECT_THAT(some.of(R"({"id":"1","pk":"p","a":[{"b":1}],"t":{"n":1},"w":7})"),
                UnorderedElementsAre("/id='1'", "/pk='p'", "/w=7"));
}

TEST(Terms, CompositesHaveOneEntryPerItem) {
    Extraction some(policy_of(R"({"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/x/*"}],
        "compositeIndexes":[[{"path":"/a"},{"path":"/x/y","order":"descending"}],
                            [{"path":"/x/y"},{"path":"/a","order":"descending"},{"path":"/a"}]]})"));
    EXPECT_THAT(some.of(R"({"a":1,"x":{"y":"s"}})"),
                UnorderedElementsAre("/a=1", "0=1,'s'", "1='s',1,1"));
    EXPECT_THAT(some.of(R"({"x":{"y":[]}})"),
                UnorderedElementsAre("0=undefined," + hash_of("array", "[]"),
                                     "1=" + hash_of("array", "[]") + ",undefined,undefined"));
    EXPECT_THAT(some.of("{}"),
                UnorderedElementsAre("0=undefined,undefined", "1=undefined,undefined,undefined"));
}

class LowerName final : public ComputedProperties {
public:
    std::optional<std::string> value_json(std::string_view item,
                                          std::size_t number) const override {
        if (item.find("name") == std::string_view::npos) return std::nullopt;
        return number == 0 ? R"("ada")" : R"({"first":"ada"})";
    }
};

TEST(Terms, ComputedPropertiesHideStoredOnes) {
    const auto definition = model::testing_support::container_definition(
        R"({"indexingPolicy":{"includedPaths":[{"path":"/*"},{"path":"/lower/?"}]}})");
    const LowerName lower;
    Extraction computed(must(PathPolicy::compile(definition, {{"lower", "q"}, {"parts", "q"}})),
                        &lower);
    EXPECT_THAT(computed.of(R"({"id":"1","name":"ADA","lower":"stored","parts":5})"),
                UnorderedElementsAre("/id='1'", "/name='ADA'", "/lower='ada'"));
    EXPECT_THAT(computed.of(R"({"id":"1","lower":"stored"})"), UnorderedElementsAre("/id='1'"));
}

TEST(Terms, AnItemWithTooManyTermsHasNone) {
    Extraction all;
    std::string item = R"({"id":"1","a":[0)";
    for (std::size_t i = 1; i < kTermsPerItemMax; ++i) {
        item += "," + std::to_string(i);
    }
    EXPECT_TRUE(all.of(item + "]}").empty());
    EXPECT_EQ(all.shape, kNotIndexed);
    EXPECT_EQ(all.of(R"({"id":"1"})").size(), 1U);
    EXPECT_NE(all.shape, kNotIndexed);
}

TEST(Terms, DamagedTextIsReported) {
    Extraction all(policy_of(R"({"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/x/*"}],
        "compositeIndexes":[[{"path":"/a"},{"path":"/x"}]]})"));
    const std::string item = R"({"id":"1","x":{"n":[1,2]},"a":[true,{"b\n":null}],"c":-1.5e3})";
    EXPECT_FALSE(all.of(item).empty());
    for (std::size_t size = 0; size < item.size(); ++size) {
        EXPECT_FALSE(all.try_extract(item.substr(0, size))) << size;
    }
    for (std::size_t i = 0; i < item.size(); ++i) {
        for (const char c : {'\0', '"', '{', '\\', ','}) {
            std::string damaged = item;
            damaged[i] = c;
            static_cast<void>(all.try_extract(damaged));
        }
    }
    EXPECT_FALSE(all.try_extract(R"({"a":)" + std::string(5000, '[')));
    EXPECT_FALSE(all.try_extract(item + "x"));
    EXPECT_FALSE(all.try_extract("[]"));
}

}  // namespace terms_test
}  // namespace orrery::index
