#include "model/partition_key.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/utf8.h"
#include "json/text.h"
#include "model/component_tags.h"

namespace orrery::model {

namespace {

using Component = PartitionKeyValue::Component;
using Undefined = PartitionKeyValue::Undefined;
using Null = PartitionKeyValue::Null;

struct Encoder {
    std::string& out;

    void operator()(Undefined) const { out += kUndefinedTag; }
    void operator()(Null) const { out += kNullTag; }
    void operator()(bool value) const { out += value ? kTrueTag : kFalseTag; }
    void operator()(double value) const {
        out += kNumberTag;
        append_big_endian(out, std::bit_cast<std::uint64_t>(value));
    }
    void operator()(const std::string& value) const {
        out += kStringTag;
        append_varint(out, value.size());
        out += value;
    }
};

// Nothing for a tag or value that Encoder does not write.
std::optional<Component> decode_component(ByteReader& reader) {
    switch (static_cast<char>(reader.big_endian<std::uint8_t>())) {
        case kUndefinedTag:
            return Undefined{};
        case kNullTag:
            return Null{};
        case kFalseTag:
            return false;
        case kTrueTag:
            return true;
        case kNumberTag: {
            const auto number = std::bit_cast<double>(reader.big_endian<std::uint64_t>());
            if (!std::isfinite(number)) return std::nullopt;
            return number;
        }
        case kStringTag: {
            const std::string_view text = reader.take(reader.varint());
            if (!json::is_valid_utf8(text)) return std::nullopt;
            return std::string(text);
        }
        default:
            return std::nullopt;
    }
}

void append_unit_escape(std::string& out, char32_t unit) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(unit));
}

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    while (!text.empty()) {
        const char32_t c = take_code_point(text).value_or(kReplacementCharacter);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += static_cast<char>(c);
        } else if (c >= 0x20 && c < 0x7F) {
            out += static_cast<char>(c);
        } else if (c < 0x10000) {
            append_unit_escape(out, c);
        } else {
            append_unit_escape(out, 0xD800 + ((c - 0x10000) >> 10));
            append_unit_escape(out, 0xDC00 + ((c - 0x10000) & 0x3FF));
        }
    }
    out += '"';
}

struct JsonPrinter {
    std::string& out;

    void operator()(Undefined) const { out += "{}"; }
    void operator()(Null) const { out += "null"; }
    void operator()(bool value) const { out += value ? "true" : "false"; }
    void operator()(double value) const {
        std::array<char, 32> digits;
        const auto written = std::to_chars(digits.data(), digits.data() + digits.size(), value);
        out.append(digits.data(), written.ptr);
    }
    void operator()(const std::string& value) const { append_json_string(out, value); }
};

}  // namespace

PartitionKeyValue::PartitionKeyValue(std::initializer_list<Component> components) {
    for (const Component& component : components) {
        append(component);
    }
}

void PartitionKeyValue::append(Component component) {
    CHECK(size_ < components_.size());
    if (double* number = std::get_if<double>(&component)) {
        CHECK(std::isfinite(*number));
        *number += 0.0;  // -0 + 0 is 0
    }
    components_[size_++] = std::move(component);
}

Status PartitionKeyValue::within_limits() const {
    for (const Component& component : components()) {
        const auto* text = std::get_if<std::string>(&component);
        if (text != nullptr && text->size() > limits::kPartitionKeyValueBytesMax) {
            return Error(ErrorCode::kBadRequest,
                         fmt::format("The partition key value is {} bytes long; at most {} bytes "
                                     "are allowed.",
                                     text->size(),
                                     limits::kPartitionKeyValueBytesMax));
        }
    }
    return {};
}

std::string PartitionKeyValue::encode() const {
    std::string out;
    append_encoded(out);
    return out;
}

void PartitionKeyValue::append_encoded(std::string& out) const {
    for (const Component& component : components()) {
        std::visit(Encoder{out}, component);
    }
}

Result<PartitionKeyValue> PartitionKeyValue::decode(std::string_view bytes) {
    const auto corrupted = [] {
        return Error(ErrorCode::kCorrupted, "a stored partition key value is malformed");
    };
    PartitionKeyValue value;
    ByteReader reader(bytes);
    while (reader.ok() && !reader.rest().empty()) {
        std::optional<Component> component = decode_component(reader);
        if (!component || value.size() == limits::kPartitionKeyPathsMax) return corrupted();
        value.append(std::move(*component));
    }
    // Rejects alternative encodings: -0, and lengths with redundant varint bytes.
    if (!reader.ok() || value.encode() != bytes) return corrupted();
    return value;
}

std::string PartitionKeyValue::to_json() const {
    std::string out = "[";
    for (const Component& component : components()) {
        if (out.size() > 1) out += ',';
        std::visit(JsonPrinter{out}, component);
    }
    out += ']';
    return out;
}

}  // namespace orrery::model
