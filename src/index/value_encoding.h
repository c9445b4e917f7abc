// Values as bytes that sort as ORDER BY sorts the values:
// undefined < null < false < true < numbers < strings < arrays < objects.
//
// On disk (docs/storage-format.md): never change. One tag byte, then
//   numbers   the double below the number in one to ten bytes; from 2^53 on two more, so that
//             integers stay exact
//   strings   by UTF-16 code unit, 00 at the end; those longer than kStringBytesMax are truncated
//             and end in a hash instead, so they can be found but not sorted among themselves
//   arrays, objects   their distinct_hash
// Encoded values are self-delimiting, and none is a prefix of another.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "json/number.h"
#include "json/scan.h"

namespace orrery::index {

// On disk. Never reuse or renumber. Booleans have a tag each.
enum class Tag : std::uint8_t {
    kUndefined = 1,
    kNull = 2,
    kFalse = 3,
    kTrue = 4,
    kNumber = 5,
    kString = 6,
    kArray = 7,
    kObject = 8,
};

// Bytes of UTF-8 that the index keeps of a string. On disk in effect.
inline constexpr std::size_t kStringBytesMax = 256;

void encode_undefined(std::string& out);
void encode_null(std::string& out);
void encode_boolean(std::string& out, bool value);
// 10 → 05 c0 24, -10 → 05 3f dc, 2^53 + 1 → 05 c3 40 80 01; -0 is 0.
void encode_number(std::string& out, const json::Number& number);
// "a" → 06 61 00. In the text 00 is written 01 01, and 01 is 01 02.
void encode_string(std::string& out, std::string_view utf8);
// The same without a limit: the rest of the string follows the cut instead of a hash. Not used in
// the index; sorts as the string does, after the shorter ones.
void encode_whole_string(std::string& out, std::string_view utf8);
// kArray or kObject, with its distinct_hash.
void encode_container(std::string& out, Tag tag, const Hash128& hash);
// A scalar from validated JSON text. `scratch` is for strings with escapes.
void encode_json_scalar(std::string& out, std::string_view raw, std::string& scratch);

// How the bytes of a value appear in a key: unchanged, or inverted to sort in reverse (in composite
// indexes).
enum class Order : std::uint8_t { kAscending, kDescending };

void append_in_order(std::string& out, std::string_view encoded, Order order);

// Length of the encoded value that `bytes` begins with; 0 when there is none.
std::size_t encoded_length(std::string_view bytes, Order order = Order::kAscending);

// If `bytes` begin with a truncated string, the number of bytes before its hash or rest; else 0.
std::size_t cut_length(std::string_view bytes, Order order = Order::kAscending);

// The same as encoded_length() for values with strings in full (encode_whole_string).
std::size_t whole_length(std::string_view bytes, Order order);

// False for truncated strings, and for arrays and objects: equal bytes then only mean that the
// values are very probably equal, and the value itself must be read from the item.
bool is_exact(std::string_view encoded);

// A decoded value. For a truncated string, `text` is its prefix, which may end in the middle of a
// character; for arrays and objects there is only the hash.
struct DecodedValue {
    Tag tag = Tag::kUndefined;
    bool exact = true;
    json::Number number;
    std::string_view text;
    Hash128 hash{};
};

// `text` lives in `scratch`. Nothing when the bytes are not one encoded value.
std::optional<DecodedValue> decode_value(std::string_view encoded, std::string& scratch);

}  // namespace orrery::index
