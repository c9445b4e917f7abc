#include "json/distinct_hash.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "json/scan.h"
#include "json/stored_text.h"

namespace orrery::json {

namespace {

// The SDKs' seeds, low half first.
constexpr Hash128 kRoot{0xbfc2359eafc0e2b7, 0x8846e00284c4cf1f};
constexpr Hash128 kNull{0x1380f68bb3b0cfe4, 0x156c918bf564ee48};
constexpr Hash128 kFalse{0xc1be517fe893b40c, 0xe9fc8a4c531cd0dd};
constexpr Hash128 kTrue{0xf86d4abf9a412e74, 0x788488365c8a985d};
constexpr Hash128 kString{0x61f53f0a44204cfb, 0x09481be8ef4b56dd};
constexpr Hash128 kArray{0xfa573b014c4dc18e, 0xa014512c858eb115};
constexpr Hash128 kObject{0x77b285ac511aef30, 0x3dcf187245822449};
constexpr Hash128 kArrayIndex{0xfe057204216db999, 0x5b1cc3178bd9c593};
constexpr Hash128 kPropertyName{0xc915dde058492a8a, 0x7c8be2eba72e4634};
constexpr Hash128 kNumber{0x2400e8b894ce9c2a, 0x790be1eabd7b9481};

std::string_view bytes_of(const Hash128& hash) {
    static_assert(sizeof(Hash128) == 16 && std::endian::native == std::endian::little);
    return {reinterpret_cast<const char*>(&hash), sizeof(hash)};
}

Hash128 mix(const Hash128& value, const Hash128& seed) {
    return murmur3_x64_128(bytes_of(value), seed);
}

// The number as the SDKs hash it: the double made of its leading bits, and the ten bits that an
// integer may have beyond those of a double.
struct WideDouble {
    double real;
    std::uint16_t more;
};

WideDouble wide_double(const Number& number) {
    if (!number.is_integer()) return {number.real(), 0};
    const std::int64_t integer = number.integer();
    const std::uint64_t magnitude =
        integer < 0 ? 0 - static_cast<std::uint64_t>(integer) : static_cast<std::uint64_t>(integer);
    const int top = static_cast<int>(std::bit_width(magnitude)) - 1;
    if (top <= 52 || top - std::countr_zero(magnitude) <= 52) {
        return {static_cast<double>(integer), 0};
    }
    const std::uint64_t mantissa = magnitude << (62 - top) & 0x3fff'ffff'ffff'ffffU;
    const std::uint64_t exponent = static_cast<std::uint64_t>(top + 1023) << 52;
    const std::uint64_t sign = integer < 0 ? std::uint64_t{1} << 63 : 0;
    return {std::bit_cast<double>(sign | exponent | mantissa >> 10),
            static_cast<std::uint16_t>((mantissa & 0x3ff) << 6)};
}

// Hashes one text. Valid text has bounded depth; damaged text must not recurse deeper.
class TextHasher {
public:
    explicit TextHasher(std::string_view text) : text_(text) {}

    Hash128 value(const Hash128& seed, int depth = 0) {
        if (depth > kDepthMax) text_.fail();
        switch (text_.peek()) {
            case '{':
                return object(seed, depth);
            case '[':
                return array(seed, depth);
            case '"':
                return distinct_string(unquoted_string(), seed);
            default:
                return plain(seed);
        }
    }

private:
    Hash128 array(const Hash128& seed, int depth) {
        DistinctArray array(seed);
        text_.take('[');
        for (std::size_t index = 0; text_.ok() && text_.peek() != ']'; ++index) {
            if (index > 0 && !text_.expect(',')) break;
            array.add(value(distinct_element_seed(index), depth + 1));
        }
        text_.expect(']');
        return array.hash();
    }

    Hash128 object(const Hash128& seed, int depth) {
        DistinctObject object(seed);
        text_.take('{');
        for (bool first = true; text_.ok() && text_.peek() != '}'; first = false) {
            if (!first && !text_.expect(',')) break;
            const Hash128 place = distinct_member_seed(unquoted_string());
            text_.expect(':');
            object.add(value(place, depth + 1));
        }
        text_.expect('}');
        return object.hash();
    }

    Hash128 plain(const Hash128& seed) {
        const std::string_view scalar = text_.scalar();
        if (scalar.empty() || scalar[0] == 'n') return distinct_null(seed);
        if (scalar[0] == 't' || scalar[0] == 'f') return distinct_boolean(scalar[0] == 't', seed);
        return distinct_number(Number::parse(scalar), seed);
    }

    std::string_view unquoted_string() {
        const std::string_view quoted = text_.string();
        return quoted.empty() ? quoted : unquoted(quoted, scratch_);
    }

    StoredText text_;
    std::string scratch_;
};

}  // namespace

Hash128 distinct_hash(std::string_view text) { return TextHasher(text).value(kRoot); }

void append_distinct_bytes(std::string& out, const Hash128& hash) { out.append(bytes_of(hash)); }

Hash128 distinct_hash_of_bytes(std::string_view sixteen) {
    Hash128 hash{};
    if (sixteen.size() == sizeof(hash)) std::memcpy(&hash, sixteen.data(), sizeof(hash));
    return hash;
}

Hash128 distinct_root_seed() { return kRoot; }

Hash128 distinct_element_seed(std::size_t index) {
    const std::uint64_t low = kArrayIndex.h1 + index;
    return {low, kArrayIndex.h2 + (low < kArrayIndex.h1 ? 1 : 0)};
}

Hash128 distinct_member_seed(std::string_view name) {
    static const Hash128 kSeed = mix(kString, kPropertyName);
    return murmur3_x64_128(name, kSeed);
}

Hash128 distinct_null(const Hash128& seed) { return mix(kNull, seed); }

Hash128 distinct_boolean(bool value, const Hash128& seed) {
    return mix(value ? kTrue : kFalse, seed);
}

Hash128 distinct_number(const Number& value, const Hash128& seed) {
    const WideDouble wide = wide_double(value);
    const double real = wide.real == 0 ? 0 : wide.real;  // -0 is 0
    std::array<char, sizeof(real) + sizeof(wide.more)> bytes{};
    std::memcpy(bytes.data(), &real, sizeof(real));
    std::memcpy(bytes.data() + sizeof(real), &wide.more, sizeof(wide.more));
    return murmur3_x64_128({bytes.data(), bytes.size()}, mix(kNumber, seed));
}

Hash128 distinct_string(std::string_view utf8, const Hash128& seed) {
    return murmur3_x64_128(utf8, mix(kString, seed));
}

DistinctArray::DistinctArray(const Hash128& seed) : hash_(mix(kArray, seed)) {}

void DistinctArray::add(const Hash128& element) { hash_ = mix(element, hash_); }

DistinctObject::DistinctObject(const Hash128& seed) : start_(mix(kObject, seed)) {}

void DistinctObject::add(const Hash128& member) {
    members_.h1 ^= member.h1;
    members_.h2 ^= member.h2;
}

Hash128 DistinctObject::hash() const {
    const bool empty = members_ == Hash128{};
    return empty ? start_ : mix(members_, start_);
}

}  // namespace orrery::json
