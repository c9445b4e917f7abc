#include "index/value_encoding.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/bytes.h"
#include "json/distinct_hash.h"
#include "json/stored_text.h"

namespace orrery::index {

namespace {

constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
// Doubles from here on are spaced wider than integers.
constexpr double kSparse = 9007199254740992.0;  // 2^53
constexpr std::uint16_t kNoRemainder = 0x8000;
constexpr std::int32_t kRemainderMax = 1023;

constexpr char kEnd = 0;
constexpr char kEscape = 1;
constexpr char kEscapedZero = 1;
constexpr char kEscapedOne = 2;
constexpr char kCut = 3;  // after kEscape: the string is truncated, its hash follows
constexpr std::size_t kHashBytes = 16;

constexpr char as_char(Tag tag) { return static_cast<char>(tag); }

// UTF-8 bytes in UTF-16 order: characters of two units sort before U+E000.
constexpr unsigned char kFirstMoved = 0xee;

constexpr std::array<unsigned char, 256> make_utf16_order() {
    std::array<unsigned char, 256> order{};
    for (unsigned i = 0; i < 256; ++i) {
        unsigned to = i;
        if (i >= 0xf0 && i <= 0xf4) to = i - 2;
        if (i == 0xee || i == 0xef) to = i + 5;
        order[i] = static_cast<unsigned char>(to);
    }
    return order;
}
constexpr std::array<unsigned char, 256> kUtf16Order = make_utf16_order();

constexpr std::array<unsigned char, 256> make_utf8_order() {
    std::array<unsigned char, 256> order{};
    for (unsigned i = 0; i < 256; ++i) {
        order[kUtf16Order[i]] = static_cast<unsigned char>(i);
    }
    return order;
}
constexpr std::array<unsigned char, 256> kUtf8Order = make_utf8_order();

// The next double towards zero and the remainder, which fits ten bits: |number| < 2^63 has 63 bits,
// a double 53.
struct SplitNumber {
    double real;
    std::int32_t remainder;
};

SplitNumber split(const json::Number& number) {
    if (!number.is_integer()) return {number.real(), 0};
    const std::int64_t integer = number.integer();
    const std::uint64_t magnitude =
        integer < 0 ? 0 - static_cast<std::uint64_t>(integer) : static_cast<std::uint64_t>(integer);
    const int beyond = std::max(0, static_cast<int>(std::bit_width(magnitude)) - 53);
    const std::uint64_t low = magnitude & ((std::uint64_t{1} << beyond) - 1);
    const auto real = static_cast<double>(magnitude - low);
    const auto remainder = static_cast<std::int32_t>(low);
    return integer < 0 ? SplitNumber{-real, -remainder} : SplitNumber{real, remainder};
}

// Doubles as integers that sort alike and keep their trailing zeros: 2^63 plus or minus the bits of
// the magnitude.
std::uint64_t ordered_bits(double real) {
    const auto bits = std::bit_cast<std::uint64_t>(real);
    return (bits & kTopBit) != 0 ? 0 - bits : bits | kTopBit;
}

double real_of(std::uint64_t ordered) {
    return std::bit_cast<double>((ordered & kTopBit) != 0 ? ordered & ~kTopBit : 0 - ordered);
}

// The first eight bits, then seven per byte while ones remain; the last bit of a byte says whether
// another follows.
void append_bits(std::string& out, std::uint64_t bits) {
    out += static_cast<char>(bits >> 56);
    bits <<= 8;
    do {
        const std::uint64_t byte = bits >> 56 & 0xfe;
        bits <<= 7;
        out += static_cast<char>(byte | (bits != 0 ? 1 : 0));
    } while (bits != 0);
}

// Reads encoded bytes that may be inverted. A read past the end yields zeros and clears ok().
class EncodedReader {
public:
    EncodedReader(std::string_view bytes, Order order)
        : bytes_(bytes), mask_(order == Order::kDescending ? 0xff : 0) {}

    std::size_t at() const { return at_; }
    bool ok() const { return ok_; }
    unsigned char next() {
        if (at_ == bytes_.size()) {
            ok_ = false;
            return 0;
        }
        return static_cast<unsigned char>(bytes_[at_++]) ^ mask_;
    }
    bool skip(std::size_t count) {
        ok_ = ok_ && bytes_.size() - at_ >= count;
        if (ok_) at_ += count;
        return ok_;
    }

private:
    std::string_view bytes_;
    std::size_t at_ = 0;
    unsigned char mask_;
    bool ok_ = true;
};

bool take_bits(EncodedReader& reader, std::uint64_t& bits) {
    bits = std::uint64_t{reader.next()} << 56;
    for (int shift = 48; shift >= -1; shift -= 7) {
        const std::uint64_t byte = reader.next();
        bits |= shift >= 0 ? (byte & 0xfe) << shift : byte >> 1;
        if ((byte & 1) == 0) return reader.ok();
    }
    return false;
}

// Sets `to` unless that is null.
bool take_number(EncodedReader& reader, json::Number* to) {
    std::uint64_t bits = 0;
    if (!take_bits(reader, bits)) return false;
    const double real = real_of(bits);
    const bool may_have_remainder = std::abs(real) >= kSparse;
    if (to == nullptr && !may_have_remainder) return true;
    json::Number ignored;
    json::Number& number = to != nullptr ? *to : ignored;
    number = json::Number(real).normalized();
    if (!may_have_remainder) return true;
    const int high = reader.next();
    const std::int32_t remainder = (high << 8 | reader.next()) - kNoRemainder;
    if (!reader.ok() || std::abs(remainder) > kRemainderMax) return false;
    if (remainder == 0) return true;
    // Only corrupted bytes can overflow an integer, or add a remainder to a number that is not one.
    std::int64_t integer = 0;
    if (!number.is_integer() ||
        __builtin_add_overflow(number.integer(), std::int64_t{remainder}, &integer)) {
        return false;
    }
    number = integer;
    return true;
}

// Appends the text to `text` unless that is null.
bool take_string(EncodedReader& reader, std::string* text, bool& exact) {
    exact = true;
    while (reader.ok()) {
        unsigned char byte = reader.next();
        if (byte == kEnd) return reader.ok();
        if (byte == kEscape) {
            byte = reader.next();
            if (byte == kCut) {
                exact = false;
                return reader.skip(kHashBytes);
            }
            if (byte != kEscapedZero && byte != kEscapedOne) return false;
            byte = byte == kEscapedZero ? 0 : 1;
        }
        if (text != nullptr) *text += static_cast<char>(kUtf8Order[byte]);
    }
    return false;
}

// Sets tag, number and exactness of `to`, and `text` to a string's text, unless they are null.
bool take_value(EncodedReader& reader, DecodedValue* to, std::string* text) {
    const auto tag = static_cast<Tag>(reader.next());
    bool exact = true;
    bool sound = false;
    switch (tag) {
        case Tag::kUndefined:
        case Tag::kNull:
        case Tag::kFalse:
        case Tag::kTrue:
            sound = true;
            break;
        case Tag::kNumber:
            sound = take_number(reader, to != nullptr ? &to->number : nullptr);
            break;
        case Tag::kString:
            if (text != nullptr) text->clear();
            sound = take_string(reader, text, exact);
            break;
        case Tag::kArray:
        case Tag::kObject:
            exact = false;
            sound = reader.skip(kHashBytes);
            break;
    }
    if (to != nullptr) {
        to->tag = tag;
        to->exact = exact;
    }
    return sound && reader.ok();
}

void append_text(std::string& out, std::string_view utf8) {
    const auto is_plain = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte > kEscape && byte < kFirstMoved;
    };
    // Nearly all text is stored unchanged.
    const auto* odd = std::find_if_not(utf8.begin(), utf8.end(), is_plain);
    out.append(utf8.begin(), odd);
    utf8.remove_prefix(static_cast<std::size_t>(odd - utf8.begin()));
    for (const char c : utf8) {
        const unsigned char byte = kUtf16Order[static_cast<unsigned char>(c)];
        if (byte > 1) {
            out += static_cast<char>(byte);
        } else {
            out += kEscape;
            out += byte == 0 ? kEscapedZero : kEscapedOne;
        }
    }
}

}  // namespace

void encode_undefined(std::string& out) { out += as_char(Tag::kUndefined); }
void encode_null(std::string& out) { out += as_char(Tag::kNull); }
void encode_boolean(std::string& out, bool value) {
    out += as_char(value ? Tag::kTrue : Tag::kFalse);
}

void encode_number(std::string& out, const json::Number& number) {
    const SplitNumber parts = split(number);
    out += as_char(Tag::kNumber);
    append_bits(out, ordered_bits(parts.real));
    if (std::abs(parts.real) >= kSparse) {
        append_big_endian(out, static_cast<std::uint16_t>(kNoRemainder + parts.remainder));
    }
}

void encode_string(std::string& out, std::string_view utf8) {
    out += as_char(Tag::kString);
    append_text(out, utf8.substr(0, kStringBytesMax));
    if (utf8.size() <= kStringBytesMax) {
        out += kEnd;
        return;
    }
    out += kEscape;
    out += kCut;
    constexpr std::uint32_t kSeed = 0;
    json::append_distinct_bytes(out, murmur3_x64_128(utf8, kSeed));
}

void encode_whole_string(std::string& out, std::string_view utf8) {
    if (utf8.size() <= kStringBytesMax) return encode_string(out, utf8);
    out += as_char(Tag::kString);
    append_text(out, utf8.substr(0, kStringBytesMax));
    out += kEscape;
    out += kCut;
    append_text(out, utf8.substr(kStringBytesMax));
    out += kEnd;
}

void encode_container(std::string& out, Tag tag, const Hash128& hash) {
    out += as_char(tag);
    json::append_distinct_bytes(out, hash);
}

void encode_json_scalar(std::string& out, std::string_view raw, std::string& scratch) {
    switch (raw.empty() ? 'n' : raw[0]) {
        case 'n':
            return encode_null(out);
        case 't':
        case 'f':
            return encode_boolean(out, raw[0] == 't');
        case '"':
            return encode_string(out, json::unquoted(raw, scratch));
        default:
            return encode_number(out, json::Number::parse(raw));
    }
}

void append_in_order(std::string& out, std::string_view encoded, Order order) {
    const std::size_t from = out.size();
    out.append(encoded);
    if (order == Order::kAscending) return;
    for (std::size_t i = from; i < out.size(); ++i) {
        out[i] = static_cast<char>(~out[i]);
    }
}

std::size_t encoded_length(std::string_view bytes, Order order) {
    EncodedReader reader(bytes, order);
    return take_value(reader, nullptr, nullptr) ? reader.at() : 0;
}

std::size_t cut_length(std::string_view bytes, Order order) {
    EncodedReader reader(bytes, order);
    if (reader.next() != static_cast<unsigned char>(Tag::kString)) return 0;
    while (reader.ok()) {
        const unsigned char byte = reader.next();
        if (byte == kEnd) return 0;
        if (byte == kEscape && reader.next() == kCut) return reader.ok() ? reader.at() : 0;
    }
    return 0;
}

std::size_t whole_length(std::string_view bytes, Order order) {
    const std::size_t cut = cut_length(bytes, order);
    if (cut == 0) return encoded_length(bytes, order);
    // Text has no byte like its end.
    const char end = order == Order::kAscending ? kEnd : static_cast<char>(~kEnd);
    const std::size_t at = bytes.find(end, cut);
    return at == std::string_view::npos ? 0 : at + 1;
}

bool is_exact(std::string_view encoded) {
    EncodedReader reader(encoded, Order::kAscending);
    const auto tag = static_cast<Tag>(reader.next());
    bool exact = false;
    if (tag == Tag::kString) return take_string(reader, nullptr, exact) && exact;
    return reader.ok() && tag != Tag::kArray && tag != Tag::kObject;
}

std::optional<DecodedValue> decode_value(std::string_view encoded, std::string& scratch) {
    EncodedReader reader(encoded, Order::kAscending);
    DecodedValue value;
    if (!take_value(reader, &value, &scratch) || reader.at() != encoded.size()) return std::nullopt;
    if (value.tag == Tag::kString) value.text = scratch;
    if (value.tag == Tag::kArray || value.tag == Tag::kObject) {
        value.hash = json::distinct_hash_of_bytes(encoded.substr(1));
    }
    return value;
}

}  // namespace orrery::index
