#include "model/effective_partition_key.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "model/component_tags.h"

namespace orrery::model {

namespace {

using Component = PartitionKeyValue::Component;

__extension__ using Uint128 = unsigned __int128;
// SDKs clear the two top bits of a V2 hash, so that "FF" ends the space.
constexpr std::uint64_t kTopWordMask = 0x3FFF'FFFF'FFFF'FFFF;

// Appends what V1 and V2 hash for a component; they differ in how strings end.
struct HashInput {
    std::string& out;
    char string_end;

    void operator()(PartitionKeyValue::Undefined) const { out += kUndefinedTag; }
    void operator()(PartitionKeyValue::Null) const { out += kNullTag; }
    void operator()(bool value) const { out += value ? kTrueTag : kFalseTag; }
    void operator()(double value) const {
        out += kNumberTag;
        std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
        for (int i = 0; i < 8; ++i, bits >>= 8) {
            out += static_cast<char>(bits);
        }
    }
    void operator()(const std::string& value) const {
        out += kStringTag;
        out += value;
        out += string_end;
    }
};

void append_big_endian_pair(std::string& out, std::uint64_t high, std::uint64_t low) {
    append_big_endian(out, high);
    append_big_endian(out, low);
}

void append_hash_v2(std::string& out, std::string_view input) {
    const Hash128 hash = murmur3_x64_128(input, 0);
    append_big_endian_pair(out, hash.h2 & kTopWordMask, hash.h1);
}

// A double whose bytes compare like the numbers, in as few bytes as its set bits need: 8 bits, then
// groups of 7 with bit 0 set when more follow. 1 → 05 bf f0.
void append_number_v1(std::string& out, double value) {
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    out += kNumberTag;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    std::uint64_t rest = bits < kSign ? bits ^ kSign : ~bits + 1;
    out += static_cast<char>(rest >> 56);
    rest <<= 8;
    do {
        const auto group = static_cast<unsigned char>(rest >> 56);
        rest <<= 7;
        out += static_cast<char>(rest != 0 ? group | 1 : group & 0xFE);
    } while (rest != 0);
}

void append_string_v1(std::string& out, std::string_view text) {
    const bool whole = text.size() <= limits::kPartitionKeyV1BytesMax;
    out += kStringTag;
    for (const char c : text.substr(0, limits::kPartitionKeyV1BytesMax + 1)) {
        // UTF-8 has no byte FF, so the sum fits.
        out += static_cast<char>(c + 1);
    }
    if (whole) out += '\0';
}

struct ReadableV1 {
    std::string& out;

    void operator()(PartitionKeyValue::Undefined) const { out += kUndefinedTag; }
    void operator()(PartitionKeyValue::Null) const { out += kNullTag; }
    void operator()(bool value) const { out += value ? kTrueTag : kFalseTag; }
    void operator()(double value) const { append_number_v1(out, value); }
    void operator()(const std::string& value) const { append_string_v1(out, value); }
};

// The first 100 UTF-16 code units. When that splits a surrogate pair, .NET and JS keep half of it,
// which both encode as U+FFFD in UTF-8; so do we.
std::string truncate_v1(std::string_view text) {
    std::string_view rest = text;
    std::size_t units = 0;
    while (!rest.empty() && units < limits::kPartitionKeyV1UnitsMax) {
        const std::string_view before = rest;
        const char32_t c = take_code_point(rest).value_or(kReplacementCharacter);
        units += c >= 0x10000 ? 2 : 1;
        if (units > limits::kPartitionKeyV1UnitsMax) {
            std::string cut(text.substr(0, text.size() - before.size()));
            append_utf8(cut, kReplacementCharacter);
            return cut;
        }
    }
    return std::string(text.substr(0, text.size() - rest.size()));
}

void append_hash_v1(std::string& out, const PartitionKeyValue& key) {
    PartitionKeyValue truncated;
    for (const Component& component : key.components()) {
        const auto* text = std::get_if<std::string>(&component);
        truncated.append(text != nullptr ? Component(truncate_v1(*text)) : component);
    }
    std::string input;
    for (const Component& component : truncated.components()) {
        std::visit(HashInput{input, '\0'}, component);
    }
    append_number_v1(out, murmur3_x86_32(input, 0));
    for (const Component& component : truncated.components()) {
        std::visit(ReadableV1{out}, component);
    }
}

}  // namespace

std::string effective_partition_key(const PartitionKeyValue& key, HashKind kind) {
    std::string out;
    append_effective_partition_key(out, key, kind);
    return out;
}

void append_effective_partition_key(std::string& out, const PartitionKeyValue& key, HashKind kind) {
    if (key.empty()) return;
    if (kind == HashKind::kHashV1) return append_hash_v1(out, key);

    std::string input;
    for (const Component& component : key.components()) {
        std::visit(HashInput{input, '\xFF'}, component);
        if (kind == HashKind::kMultiHash) {
            append_hash_v2(out, input);
            input.clear();
        }
    }
    if (kind == HashKind::kHashV2) append_hash_v2(out, input);
}

bool has_unique_epk(const PartitionKeyValue& key, HashKind kind) {
    if (kind != HashKind::kHashV1) return true;
    const auto components = key.components();
    return std::all_of(components.begin(), components.end(), [](const Component& component) {
        const auto* text = std::get_if<std::string>(&component);
        // Longer strings are cut to exactly the limit. A string has at most as many UTF-16 units
        // as bytes.
        return text == nullptr || text->size() < limits::kPartitionKeyV1UnitsMax;
    });
}

EpkRange prefix_range(const PartitionKeyValue& prefix) {
    std::string epk = effective_partition_key(prefix, HashKind::kMultiHash);
    std::string end = epk;
    end += kEpkEnd;
    return {.min_inclusive = std::move(epk), .max_exclusive = std::move(end)};
}

EpkRange overlap(const EpkRange& a, const EpkRange& b) {
    std::string min = std::max(a.min_inclusive, b.min_inclusive);
    std::string max = std::max(min, std::min(a.max_exclusive, b.max_exclusive));
    return {.min_inclusive = std::move(min), .max_exclusive = std::move(max)};
}

std::vector<std::string> initial_boundaries(HashKind kind, unsigned count) {
    CHECK(count >= 1);
    std::vector<std::string> boundaries(count - 1);
    for (unsigned i = 1; i < count; ++i) {
        std::string& boundary = boundaries[i - 1];
        if (kind == HashKind::kHashV1) {
            const std::uint64_t at = std::uint64_t{0xFFFF'FFFF} / count * i;
            append_number_v1(boundary, static_cast<double>(at));
        } else {
            const Uint128 end = Uint128{kTopWordMask} << 64 | ~std::uint64_t{0};
            const Uint128 at = end / count * i;
            append_big_endian_pair(
                boundary, static_cast<std::uint64_t>(at >> 64), static_cast<std::uint64_t>(at));
        }
    }
    return boundaries;
}

std::optional<std::string> middle_of(const EpkRange& range, HashKind kind) {
    const auto is_inside = [&](const std::string& epk) {
        return epk > range.min_inclusive && epk < range.max_exclusive;
    };
    // Hash V1 covers only a part of the possible bytes, and hash V2 ends far below kEpkEnd.
    std::string middle = initial_boundaries(kind, 2).front();
    if (is_inside(middle)) return middle;
    const auto number_of = [](std::string_view epk) {
        Uint128 number = 0;
        for (std::size_t i = 0; i < sizeof(Uint128); ++i) {
            number = number << 8 | (i < epk.size() ? static_cast<unsigned char>(epk[i]) : 0);
        }
        return number;
    };
    constexpr std::string_view kEndOfHashes = "\x40";
    const bool capped = kind != HashKind::kHashV1 && range.max_exclusive > kEndOfHashes;
    const Uint128 low = number_of(range.min_inclusive);
    const Uint128 high = number_of(capped ? kEndOfHashes : std::string_view(range.max_exclusive));
    if (high <= low) return std::nullopt;
    const Uint128 at = low + (high - low) / 2;
    middle.clear();
    append_big_endian_pair(
        middle, static_cast<std::uint64_t>(at >> 64), static_cast<std::uint64_t>(at));
    if (!is_inside(middle)) return std::nullopt;
    return middle;
}

std::optional<std::string> parse_epk(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::string out;
    out.reserve(text.size() / 2);
    for (; !text.empty(); text.remove_prefix(2)) {
        const char* const pair_end = text.data() + 2;
        unsigned char byte = 0;
        const auto [end, error] = std::from_chars(text.data(), pair_end, byte, 16);
        if (error != std::errc() || end != pair_end) return std::nullopt;
        out += static_cast<char>(byte);
    }
    return out;
}

}  // namespace orrery::model
