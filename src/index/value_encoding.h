// Values as bytes that sort as ORDER BY sorts the values:
// undefined < null < false < true < numbers < strings < arrays < objects.
//
// On disk (docs/storage-format.md): never change. One tag byte, then
//   numbers   the double below the number in one to ten bytes; from 2^53 on two more, so that
//             integers stay exact
//   strings   by UTF-16 code unit, 00 at the end; longer ones than kStringBytesMax are cut and end
//             in a hash instead, so they can be found but not put in order among themselves
//   arrays, objects   their distinct_hash
// An encoded value says itself where it ends, and none is the beginning of another.

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

// Bytes of UTF-8 that stand in the index of one string. On disk in effect.
inline constexpr std::size_t kStringBytesMax = 256;

void encode_undefined(std::string& out);
void encode_null(std::string& out);
void encode_boolean(std::string& out, bool value);
// 10 → 05 c0 24, -10 → 05 3f dc, 2^53 + 1 → 05 c3 40 80 01; -0 is 0.
void encode_number(std::string& out, const json::Number& number);
// "a" → 06 61 00. In the text 00 is written 01 01, and 01 is 01 02.
void encode_string(std::string& out, std::string_view utf8);
// The same without a limit: behind the cut stands the rest of the string instead of a hash. Not in
// the index; sorts as the string does, and behind the shorter ones.
void encode_whole_string(std::string& out, std::string_view utf8);
// kArray or kObject, with its distinct_hash.
void encode_container(std::string& out, Tag tag, const Hash128& hash);
// A scalar as it stands in checked JSON text. `scratch` is for strings with escapes.
void encode_json_scalar(std::string& out, std::string_view raw, std::string& scratch);

// How the bytes of a value stand in a key: as they are, or inverted to sort the other way round (in
// composite indexes).
enum class Order : std::uint8_t { kAscending, kDescending };

void append_in_order(std::string& out, std::string_view encoded, Order order);

// Length of the encoded value that `bytes` begins with; 0 when it is none.
std::size_t encoded_length(std::string_view bytes, Order order = Order::kAscending);

// Of bytes that begin with a string that was cut: how many stand before the hash or the rest. Else
// 0.
std::size_t cut_length(std::string_view bytes, Order order = Order::kAscending);

// False for strings that were cut, and for arrays and objects: equal bytes then only mean that the
// values are very probably equal, and the value itself has to be looked up in the item.
bool is_exact(std::string_view encoded);

// An encoded value read back. Of a string that was cut `text` is what is left of it, and may end in
// the middle of a character; of arrays and objects there is only the hash.
struct DecodedValue {
    Tag tag = Tag::kUndefined;
    bool exact = true;
    json::Number number;
    std::string_view text;
    Hash128 hash{};
};

// `scratch` is where `text` lives. Nothing when the bytes are not one encoded value.
std::optional<DecodedValue> decode_value(std::string_view encoded, std::string& scratch);

}  // namespace orrery::index
