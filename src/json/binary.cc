#include "json/binary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/base64.h"
#include "json/number.h"
#include "json/scan.h"
#include "json/text.h"

namespace orrery::json {

namespace {

static_assert(std::endian::native == std::endian::little);

// Marker bytes. Most types have one marker for each width of their length field.
namespace wire {
enum Marker : std::uint8_t {
    kIntegersEnd = 0x20,       // before: the integer itself
    kSystemStringsEnd = 0x40,  // before: 20 + index into kSystemStrings
    kBase64 = 0x71,            // 71, 72
    kBase64Url = 0x73,         // 73, 74
    kGuidLower = 0x75,
    kGuidUpper = 0x76,
    kGuidQuoted = 0x77,
    kHexLower = 0x78,
    kHexUpper = 0x79,
    kDateTime = 0x7A,
    kPacked4 = 0x7B,  // 7B, 7C, 7D: 4, 5, 6 bits a character
    kPacked6 = 0x7D,
    kPacked7 = 0x7E,       // 7E, 7F
    kShortStrings = 0x80,  // 80 + length, up to 63
    kStrings = 0xC0,       // C0, C1, C2: lengths of 1, 2, 4 bytes
    kReferences = 0xC3,    // C3 to C6: offsets of 1 to 4 bytes
    kUint64 = 0xC7,
    kNull = 0xD0,
    kFalse = 0xD1,
    kTrue = 0xD2,
    kGuid = 0xD3,
    kBlobs = 0xDD,     // DD, DE, DF
    kArrays = 0xE0,    // empty, one element, three with a length, three with length and count
    kObjects = 0xE8,   // the same
    kUniform = 0xF0,   // numbers of one type: F0, F1 by the width of their count
    kUniforms = 0xF2,  // arrays of those: F2, F3
    kUniformsEnd = 0xF4,
};
}  // namespace wire

constexpr std::array<std::string_view, 32> kSystemStrings{"$s",
                                                          "$t",
                                                          "$v",
                                                          "_attachments",
                                                          "_etag",
                                                          "_rid",
                                                          "_self",
                                                          "_ts",
                                                          "attachments/",
                                                          "coordinates",
                                                          "geometry",
                                                          "GeometryCollection",
                                                          "id",
                                                          "url",
                                                          "Value",
                                                          "label",
                                                          "LineString",
                                                          "link",
                                                          "MultiLineString",
                                                          "MultiPoint",
                                                          "MultiPolygon",
                                                          "name",
                                                          "Name",
                                                          "Type",
                                                          "Point",
                                                          "Polygon",
                                                          "properties",
                                                          "type",
                                                          "value",
                                                          "Feature",
                                                          "FeatureCollection",
                                                          "_id"};

constexpr std::string_view kLowerDigits = "0123456789abcdef";
constexpr std::string_view kUpperDigits = "0123456789ABCDEF";
constexpr std::string_view kDateTimeCharacters = " 0123456789:-.TZ";
constexpr std::array<std::size_t, 3> kWidths{1, 2, 4};

class Reader {
public:
    Reader(std::string_view bytes, std::size_t text_bytes_max)
        : bytes_(bytes), text_bytes_max_(text_bytes_max) {}

    Result<std::string> run() {
        at_ = 1;
        text_.reserve(bytes_.size() + bytes_.size() / 2);
        TRY(value(0));
        if (at_ != bytes_.size()) return error("unexpected bytes after the value");
        return std::move(text_);
    }

private:
    Status value(int depth) {
        const auto marker = static_cast<std::uint8_t>(TRY(unsigned_integer(1)));
        if (marker < wire::kIntegersEnd) {
            append_number(text_, Number(int{marker}));
        } else if (is_string(marker)) {
            TRY(string(marker));
        } else if (marker >= wire::kArrays && marker < wire::kUniform) {
            TRY(container(marker, depth + 1));
        } else if (marker >= wire::kUniform && marker < wire::kUniformsEnd) {
            TRY(uniform(marker));
        } else if (marker == wire::kNull) {
            text_ += "null";
        } else if (marker == wire::kFalse) {
            text_ += "false";
        } else if (marker == wire::kTrue) {
            text_ += "true";
        } else {
            TRY(number(marker));
        }
        if (text_.size() > text_bytes_max_) {
            return Error(ErrorCode::kTooLarge, "Request size is too large");
        }
        return {};
    }

    static bool is_string(std::uint8_t marker) {
        return (marker >= wire::kIntegersEnd && marker < wire::kUint64) || marker == wire::kGuid ||
               (marker >= wire::kBlobs && marker < wire::kArrays);
    }

    // --- arrays and objects ---

    Status container(std::uint8_t marker, int depth) {
        if (depth > kDepthMax) return error("nested too deeply");
        const bool object = marker >= wire::kObjects;
        const std::size_t form = marker % 8U;
        text_ += object ? '{' : '[';
        if (form == 1) TRY(element(object, depth));
        if (form > 1) TRY(elements(object, form - 2, depth));
        text_ += object ? '}' : ']';
        return {};
    }

    Status elements(bool object, std::size_t form, int depth) {
        const std::size_t width = kWidths.at(form % 3);
        const std::size_t length = TRY(unsigned_integer(width));
        std::optional<std::size_t> count;
        if (form >= 3) count = TRY(unsigned_integer(width));
        if (length > bytes_.size() - at_) return error("unexpected end");
        const std::size_t end = at_ + length;
        std::size_t found = 0;
        for (; at_ < end; ++found) {
            if (found > 0) text_ += ',';
            TRY(element(object, depth));
        }
        if (at_ != end || count.value_or(found) != found) return error("wrong length or count");
        return {};
    }

    Status element(bool object, int depth) {
        if (object) {
            const auto marker = static_cast<std::uint8_t>(TRY(unsigned_integer(1)));
            if (!is_string(marker)) return error("expected a property name");
            TRY(string(marker));
            text_ += ':';
        }
        return value(depth);
    }

    // Numbers of one type follow without markers of their own.
    Status uniform(std::uint8_t marker) {
        const bool nested = marker >= wire::kUniforms;
        const std::size_t width = kWidths.at(marker % 2U);
        if (nested && TRY(unsigned_integer(1)) != wire::kUniform + width - 1) {
            return error("unknown marker");
        }
        const auto type = static_cast<std::uint8_t>(TRY(unsigned_integer(1)));
        const std::size_t inner = TRY(unsigned_integer(width));
        if (!nested) return numbers(type, inner);
        const std::size_t outer = TRY(unsigned_integer(width));
        text_ += '[';
        for (std::size_t i = 0; i < outer; ++i) {
            if (i > 0) text_ += ',';
            TRY(numbers(type, inner));
        }
        text_ += ']';
        return {};
    }

    Status numbers(std::uint8_t type, std::size_t count) {
        text_ += '[';
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) text_ += ',';
            TRY(number(type));
        }
        text_ += ']';
        return {};
    }

    // --- numbers ---

    Status number(std::uint8_t marker) {
        switch (marker) {
            case 0xC8:
            case 0xD7:
                return integer<std::uint8_t>();
            case 0xD8:
                return integer<std::int8_t>();
            case 0xC9:
            case 0xD9:
                return integer<std::int16_t>();
            case 0xCA:
            case 0xDA:
                return integer<std::int32_t>();
            case 0xDC:
                return integer<std::uint32_t>();
            case 0xCB:
            case 0xDB:
                return integer<std::int64_t>();
            case wire::kUint64:
                text_ += std::to_string(TRY(fixed<std::uint64_t>()));
                return {};
            case 0xCC:
            case 0xCE:
                return real(TRY(fixed<double>()));
            case 0xCD:
                return real(double{TRY(fixed<float>())});
            default:
                return error("unknown marker");
        }
    }

    template <typename T>
    Status integer() {
        append_number(text_, Number(std::int64_t{TRY(fixed<T>())}));
        return {};
    }

    Status real(double number) {
        if (!std::isfinite(number)) return error("not a number of JSON");
        append_number(text_, Number(number).normalized());
        return {};
    }

    template <typename T>
    Result<T> fixed() {
        const std::string_view from = TRY(take(sizeof(T)));
        T out;
        std::memcpy(&out, from.data(), sizeof out);
        return out;
    }

    // --- strings ---

    Status string(std::uint8_t marker) {
        if (marker >= wire::kReferences && marker < wire::kUint64) {
            const std::size_t target = TRY(unsigned_integer(marker - wire::kReferences + 1U));
            if (target >= bytes_.size()) return error("a reference to nothing");
            const auto found = static_cast<std::uint8_t>(bytes_[target]);
            const bool chain = found >= wire::kReferences && found < wire::kUint64;
            if (!is_string(found) || chain) return error("a reference to no string");
            const std::size_t back = at_;
            at_ = target + 1;
            append_quoted(text_, TRY(characters(found)));
            at_ = back;
            return {};
        }
        append_quoted(text_, TRY(characters(marker)));
        return {};
    }

    // Of a string that is no reference. Valid until the next call.
    Result<std::string_view> characters(std::uint8_t marker) {
        if (marker < wire::kSystemStringsEnd) return kSystemStrings.at(marker - wire::kIntegersEnd);
        if (marker >= wire::kShortStrings && marker < wire::kStrings) {
            return take(marker - wire::kShortStrings);
        }
        if (marker >= wire::kStrings && marker < wire::kReferences) {
            return take(TRY(unsigned_integer(kWidths.at(marker - wire::kStrings))));
        }
        decoded_.clear();
        if (marker >= wire::kBlobs) {
            const std::size_t size = TRY(unsigned_integer(kWidths.at(marker - wire::kBlobs)));
            append_base64(decoded_, TRY(take(size)));
            return std::string_view(decoded_);
        }
        switch (marker) {
            case wire::kBase64:
            case wire::kBase64 + 1:
                return base64(kWidths.at(marker - wire::kBase64), false);
            case wire::kBase64Url:
            case wire::kBase64Url + 1:
                return base64(kWidths.at(marker - wire::kBase64Url), true);
            case wire::kGuidLower:
            case wire::kGuidUpper:
            case wire::kGuidQuoted:
                return guid_string(marker);
            case wire::kGuid:
                return guid();
            case wire::kHexLower:
                return nibbles(kLowerDigits);
            case wire::kHexUpper:
                return nibbles(kUpperDigits);
            case wire::kDateTime:
                return nibbles(kDateTimeCharacters);
            case wire::kPacked7:
            case wire::kPacked7 + 1:
                return packed(TRY(unsigned_integer(kWidths.at(marker - wire::kPacked7))), 7, 0);
            default:
                break;
        }
        if (marker >= wire::kPacked4 && marker <= wire::kPacked6) {
            const std::size_t length = TRY(unsigned_integer(1));
            const std::size_t base = TRY(unsigned_integer(1));
            return packed(length, marker - wire::kPacked4 + 4U, base);
        }
        return error("unknown marker");  // 40 to 67: a dictionary that no request has
    }

    // Groups of four characters, then how many '=' end the text; more than two: the complement of
    // how many were left away.
    Result<std::string_view> base64(std::size_t width, bool url) {
        const std::size_t length = TRY(unsigned_integer(width)) * 4;
        const std::size_t padding = TRY(unsigned_integer(1));
        const bool stripped = padding > 2;
        const std::size_t missing = stripped ? 0xFF - padding : padding;
        if (missing > 2 || missing > length) return error("wrong padding");
        append_base64(decoded_, TRY(take((length - missing) * 3 / 4)));
        if (decoded_.size() != length) return error("wrong padding");
        if (stripped) decoded_.resize(length - missing);
        if (url) {
            std::replace(decoded_.begin(), decoded_.end(), '+', '-');
            std::replace(decoded_.begin(), decoded_.end(), '/', '_');
        }
        return std::string_view(decoded_);
    }

    // The digits in the order of the text, the first of a pair in the low half of its byte.
    Result<std::string_view> guid_string(std::uint8_t marker) {
        const std::string_view digits = marker == wire::kGuidUpper ? kUpperDigits : kLowerDigits;
        const std::string_view from = TRY(take(16));
        if (marker == wire::kGuidQuoted) decoded_ += '"';
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (i == 4 || i == 6 || i == 8 || i == 10) decoded_ += '-';
            const auto pair = static_cast<std::uint8_t>(from[i]);
            decoded_ += digits[pair & 15U];
            decoded_ += digits[pair >> 4U];
        }
        if (marker == wire::kGuidQuoted) decoded_ += '"';
        return std::string_view(decoded_);
    }

    // As .NET keeps it in memory: the first three groups are little-endian numbers.
    Result<std::string_view> guid() {
        constexpr std::array<std::size_t, 16> kOrder{
            3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
        const std::string_view from = TRY(take(16));
        for (std::size_t i = 0; i < from.size(); ++i) {
            if (i == 4 || i == 6 || i == 8 || i == 10) decoded_ += '-';
            const auto pair = static_cast<std::uint8_t>(from[kOrder.at(i)]);
            decoded_ += kLowerDigits[pair >> 4U];
            decoded_ += kLowerDigits[pair & 15U];
        }
        return std::string_view(decoded_);
    }

    Result<std::string_view> nibbles(std::string_view characters) {
        const std::size_t length = TRY(unsigned_integer(1));
        TRY(packed(length, 4, 0));
        for (char& c : decoded_)
            c = characters[static_cast<std::uint8_t>(c)];
        return std::string_view(decoded_);
    }

    // So many bits a character, the low ones of a byte first.
    Result<std::string_view> packed(std::size_t length, std::size_t bits, std::size_t base) {
        const std::string_view from = TRY(take((length * bits + 7) / 8));
        std::size_t held = 0;
        std::size_t window = 0;
        std::size_t next = 0;
        for (std::size_t i = 0; i < length; ++i) {
            if (held < bits) {
                window |= std::size_t{static_cast<std::uint8_t>(from[next++])} << held;
                held += 8;
            }
            const std::size_t character = base + (window & ((std::size_t{1} << bits) - 1));
            if (character > 0x7F) return error("a packed string that is not ASCII");
            decoded_ += static_cast<char>(character);
            window >>= bits;
            held -= bits;
        }
        return std::string_view(decoded_);
    }

    // --- bytes ---

    Result<std::string_view> take(std::size_t size) {
        if (size > bytes_.size() - at_) return error("unexpected end");
        at_ += size;
        return bytes_.substr(at_ - size, size);
    }

    Result<std::size_t> unsigned_integer(std::size_t width) {
        const std::string_view from = TRY(take(width));
        std::size_t out = 0;
        std::memcpy(&out, from.data(), from.size());
        return out;
    }

    Error error(const char* what) const {
        return Error(ErrorCode::kBadRequest,
                     "invalid binary JSON at offset " + std::to_string(at_) + ": " + what);
    }

    std::string_view bytes_;
    std::size_t at_ = 0;
    std::string text_;
    const std::size_t text_bytes_max_;
    std::string decoded_;
};

}  // namespace

Result<std::string> text_of_binary(std::string_view binary, std::size_t text_bytes_max) {
    return Reader(binary, text_bytes_max).run();
}

}  // namespace orrery::json
