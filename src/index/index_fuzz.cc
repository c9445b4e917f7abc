// Arbitrary bytes as the text of a stored item, as an encoded value and as a path: no read may go
// out of bounds, and what decodes must encode back.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "index/path_tree.h"
#include "index/terms.h"
#include "index/value_encoding.h"
#include "json/value.h"

namespace {

using namespace orrery;  // NOLINT: one file, no header

std::shared_ptr<const index::PathPolicy> make_policy() {
    const auto body = json::Value::parse(
        R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},"indexingPolicy":
           {"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/x/*"}],
            "compositeIndexes":[[{"path":"/a"},{"path":"/x/y","order":"descending"}]]}})");
    CHECK(static_cast<bool>(body));
    const auto definition = model::parse_container_definition(*body, {});
    CHECK(static_cast<bool>(definition));
    auto policy = index::PathPolicy::compile(*definition);
    CHECK(static_cast<bool>(policy));
    return *policy;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    static const auto kPolicy = make_policy();
    index::PathTree tree(*kPolicy);
    index::Shapes shapes;
    index::TermExtractor extractor(*kPolicy, nullptr, tree, shapes);
    index::KeyList keys;
    static_cast<void>(
        extractor.extract(bytes, {.terms = "I", .composites = "C", .item = "#"}, keys));

    std::string scratch;
    if (const auto value = index::decode_value(bytes, scratch);
        value && value->exact && value->tag == index::Tag::kString) {
        std::string again;
        index::encode_string(again, value->text);
        CHECK(value->text.size() > index::kStringBytesMax || again == bytes);
    }
    if (const auto path = index::decode_path(bytes)) {
        const auto again = index::decode_path(index::encode_path(*path));
        CHECK(again && *again == *path);
    }
    return 0;
}
