// The value of a partition key: up to three components, each a scalar or undefined. Two keys are
// equal when their encodings are; a key without components is the "none" key of containers created
// without a partition key.

#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "model/limits.h"

namespace orrery::model {

class PartitionKeyValue {
public:
    // The item has nothing at the path, or an object or array.
    struct Undefined {
        bool operator==(const Undefined&) const = default;
    };
    struct Null {
        bool operator==(const Null&) const = default;
    };
    // Numbers are finite; strings are valid UTF-8.
    using Component = std::variant<Undefined, Null, bool, double, std::string>;

    PartitionKeyValue() = default;
    PartitionKeyValue(std::initializer_list<Component> components);

    // -0 becomes 0, so that equal numbers are equal keys. Appending a fourth component is a bug.
    void append(Component component);

    std::span<const Component> components() const { return {components_.data(), size_}; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    // kBadRequest when a string is longer than a partition key value may be.
    Status within_limits() const;

    // On disk. Never reuse or renumber. Per component one tag byte, then its value:
    //   00 undefined   01 null   02 false   03 true
    //   05 number: IEEE double, 8 bytes, big endian
    //   08 string: length in bytes as a varint, UTF-8 bytes
    // ["ab", 1, {}] → 08 02 61 62, 05 3f f0 00 00 00 00 00 00, 00.
    std::string encode() const;
    void append_encoded(std::string& out) const;

    // kCorrupted for any bytes that encode() does not produce.
    static Result<PartitionKeyValue> decode(std::string_view bytes);

    // The value as in the request header, in ASCII: `["caf\u00e9",5,{}]`.
    std::string to_json() const;

    bool operator==(const PartitionKeyValue&) const = default;

private:
    std::array<Component, limits::kPartitionKeyPathsMax> components_;
    std::uint8_t size_ = 0;
};

// Parses `x-ms-documentdb-partitionkey`: a JSON array of scalars and `{}` for undefined. Strings
// may also contain the escapes of Go's strconv.QuoteToASCII, which azcosmos sends: \a \v \xNN
// \UNNNNNNNN. As in Go, \xNN is one byte, not one character; the resulting string must be UTF-8.
// Everything else is kBadRequest, including the range sentinels "Infinity" and
// {"type":"MinNumber"}.
Result<PartitionKeyValue> parse_partition_key_header(std::string_view text);

}  // namespace orrery::model
