// The 128-bit hash by which the SDKs compare values (DistinctHash in azure-cosmos-dotnet-v3): equal
// values have equal hashes, regardless of member order or the spelling of numbers. ORDER BY sorts
// arrays and objects by its bytes, and clients merge in the same order, so it must be this hash. It
// is also stored in the index: never change it.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "json/number.h"

namespace orrery::json {

// Of validated and minified JSON text. The hash of damaged text is unspecified.
Hash128 distinct_hash(std::string_view text);

// The sixteen bytes that decide the order: low half, then high half, each least significant byte
// first. [] → 82 80 53 59 a3 3c ef a2 ff 63 4a ff 29 f7 54 7d.
void append_distinct_bytes(std::string& out, const Hash128& hash);
Hash128 distinct_hash_of_bytes(std::string_view sixteen);

// Building blocks, for values that are not text. A value's hash depends on its place: at the root,
// in an array, in an object.
Hash128 distinct_root_seed();
Hash128 distinct_element_seed(std::size_t index);
Hash128 distinct_member_seed(std::string_view name);

Hash128 distinct_null(const Hash128& seed);
Hash128 distinct_boolean(bool value, const Hash128& seed);
Hash128 distinct_number(const Number& value, const Hash128& seed);
Hash128 distinct_string(std::string_view utf8, const Hash128& seed);

class DistinctArray {
public:
    DistinctArray() = default;
    explicit DistinctArray(const Hash128& seed);
    // Takes the element's hash with its element seed; in order.
    void add(const Hash128& element);
    const Hash128& hash() const { return hash_; }

private:
    Hash128 hash_{};
};

class DistinctObject {
public:
    DistinctObject() = default;
    explicit DistinctObject(const Hash128& seed);
    // Takes the member's hash with its member seed; in any order.
    void add(const Hash128& member);
    Hash128 hash() const;

private:
    Hash128 start_{};
    Hash128 members_{};
};

}  // namespace orrery::json
