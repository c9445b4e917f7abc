// Bytes as the tests write them, and a schema with every kind of column.

#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "hybridrow/schema.h"

namespace orrery::hybridrow {

// "81 7054e17f" → the five bytes. Anything that is not a hexadecimal digit separates.
inline std::string from_hex(std::string_view hex) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string out;
    int high = -1;
    for (const char c : hex) {
        const std::size_t digit = kDigits.find(c);
        if (digit == std::string_view::npos) continue;
        if (high < 0) {
            high = static_cast<int>(digit);
        } else {
            out += static_cast<char>(high * 16 + static_cast<int>(digit));
            high = -1;
        }
    }
    return out;
}

enum TestColumn : std::size_t { kNumber, kOther, kText, kBytes, kFlag, kCount, kRatio, kName };

inline constexpr std::array<Column, 8> kTestColumns = {{
    {"number", TypeCode::kInt32, StorageKind::kFixed},
    {"other", TypeCode::kInt32, StorageKind::kFixed},
    {"text", TypeCode::kUtf8, StorageKind::kVariable},
    {"bytes", TypeCode::kBinary, StorageKind::kVariable},
    {"flag", TypeCode::kTrue, StorageKind::kSparse},
    {"count", TypeCode::kUInt32, StorageKind::kSparse},
    {"ratio", TypeCode::kFloat64, StorageKind::kSparse},
    {"name", TypeCode::kUtf8, StorageKind::kSparse},
}};

inline constexpr Schema kTestSchema = {.id = 0x04030201, .columns = kTestColumns};

// A row of that schema with every column, byte for byte.
inline constexpr std::string_view kFullRow =
    "81 01020304 0f"
    "feffffff 07000000"
    "03 61c3a9"
    "02 00ff"
    "03 05"
    "0b 06 ffffffff"
    "10 07 000000000000f83f"
    "14 08 01 7a";

inline Row full_row() {
    using namespace std::string_view_literals;
    Row row;
    row[kNumber] = std::int32_t{-2};
    row[kOther] = std::int32_t{7};
    row[kText] = "a\xc3\xa9"sv;
    row[kBytes] = "\x00\xff"sv;
    row[kFlag] = true;
    row[kCount] = std::uint32_t{0xffffffff};
    row[kRatio] = 1.5;
    row[kName] = "z"sv;
    return row;
}

}  // namespace orrery::hybridrow
