// Fixed-width and variable-width integers in byte strings. Big endian where bytes must sort like
// the numbers (keys), LEB128 where they need not (values), little endian where a wire format says
// so. Encodings here are on disk: never change.

#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace orrery {

// From the order of bytes of this machine to big endian, and back.
template <typename T>
T swap_to_big_endian(T value) {
    if constexpr (std::endian::native == std::endian::big || sizeof(T) == 1) return value;
    if constexpr (sizeof(T) == 2)
        return static_cast<T>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
    if constexpr (sizeof(T) == 4)
        return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
    if constexpr (sizeof(T) == 8)
        return static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
}

template <typename T>
void append_big_endian(std::string& out, T value) {
    const T swapped = swap_to_big_endian(value);
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &swapped, sizeof(T));
    out.append(bytes.data(), bytes.size());
}

template <typename T>
void append_little_endian(std::string& out, T value) {
    for (unsigned shift = 0; shift < sizeof(T) * 8; shift += 8) {
        out += static_cast<char>((value >> shift) & 0xff);
    }
}

// 300 → ac 02.
void append_varint(std::string& out, std::uint64_t value);

// A number in one to nine bytes that sort like the numbers: as many leading one bits as bytes
// follow, then the number, big endian. 127 → 7f, 300 → 81 2c.
void append_ordered_varint(std::string& out, std::uint64_t value);

std::string to_hex_upper(std::string_view bytes);

// Reads from the front of a string; a read past the end sets `ok()` to false and yields zeros.
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

    template <typename T>
    T big_endian() {
        const std::string_view bytes = take(sizeof(T));
        if (bytes.empty()) return 0;
        T value;
        std::memcpy(&value, bytes.data(), sizeof(T));
        return swap_to_big_endian(value);
    }
    template <typename T>
    T little_endian() {
        std::uint64_t value = 0;
        unsigned shift = 0;
        for (const char c : take(sizeof(T))) {
            value |= static_cast<std::uint64_t>(static_cast<unsigned char>(c)) << shift;
            shift += 8;
        }
        return static_cast<T>(value);
    }
    std::uint64_t varint() {
        const bool is_short = !rest_.empty() && static_cast<unsigned char>(rest_.front()) < 0x80;
        return is_short ? static_cast<unsigned char>(take(1)[0]) : long_varint();
    }
    // Inline, like take(), because it is called for every index entry of a scan.
    std::uint64_t ordered_varint() {
        const std::string_view first = take(1);
        if (!ok_) return 0;
        const auto byte = static_cast<unsigned char>(first[0]);
        const auto following = static_cast<unsigned>(std::countl_one(byte));
        std::uint64_t value = following >= 7 ? 0 : byte & (0x7fU >> following);
        for (const char c : take(following)) {
            value = value << 8 | static_cast<unsigned char>(c);
        }
        return ok_ ? value : 0;
    }
    std::string_view take(std::size_t count) {
        if (count > rest_.size()) {
            ok_ = false;
            rest_ = {};
            return {};
        }
        const std::string_view taken(rest_.data(), count);
        rest_.remove_prefix(count);
        return taken;
    }
    std::string_view rest() const { return rest_; }
    bool ok() const { return ok_; }

private:
    std::uint64_t long_varint();

    std::string_view rest_;
    bool ok_ = true;
};

}  // namespace orrery
