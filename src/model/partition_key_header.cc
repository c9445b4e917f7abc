// Parses the partition key header. By hand, because Go's escapes are not JSON.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/utf8.h"
#include "json/text.h"
#include "model/partition_key.h"

namespace orrery::model {

namespace {

using Component = PartitionKeyValue::Component;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

Error invalid(const std::string& why) {
    return Error(ErrorCode::kBadRequest, "The partition key header is invalid: " + why + ".");
}

class HeaderParser {
public:
    explicit HeaderParser(std::string_view text) : rest_(text) {}

    Result<PartitionKeyValue> parse() {
        PartitionKeyValue value;
        if (!skip('[')) return invalid("it is not a JSON array");
        if (!skip(']')) {
            do {
                if (value.size() == limits::kPartitionKeyPathsMax) {
                    return invalid("it has more than " +
                                   std::to_string(limits::kPartitionKeyPathsMax) + " components");
                }
                value.append(TRY(component()));
            } while (skip(','));
            if (!skip(']')) return invalid("expected ',' or ']'");
        }
        skip_space();
        if (!rest_.empty()) return invalid("there is text after the array");
        TRY(value.within_limits());
        return value;
    }

private:
    Result<Component> component() {
        skip_space();
        if (rest_.empty()) return invalid("it ends too early");
        switch (rest_.front()) {
            case '"':
                return string();
            case '{':
                return undefined();
            case '[':
                return invalid("a component is an array; only scalars and {} are allowed");
            default:
                break;
        }
        if (rest_.front() == '-' || is_digit(rest_.front())) return number();
        if (skip_word("null")) return Component(PartitionKeyValue::Null{});
        if (skip_word("true")) return Component(true);
        if (skip_word("false")) return Component(false);
        return invalid("a component is not a JSON value");
    }

    Result<Component> undefined() {
        skip('{');
        if (!skip('}')) {
            return invalid("a component is an object; only {} is allowed, for undefined");
        }
        return Component(PartitionKeyValue::Undefined{});
    }

    Result<Component> number() {
        const std::string_view digits = rest_.substr(0, json::number_length(rest_));
        if (digits.empty()) return invalid("a number is malformed");
        rest_.remove_prefix(digits.size());
        const double value = json::to_double(digits);
        if (!std::isfinite(value)) return invalid("a number is out of range");
        return Component(value);
    }

    Result<Component> string() {
        rest_.remove_prefix(1);
        std::string out;
        while (!rest_.empty()) {
            const std::size_t plain = plain_length(rest_);
            out.append(rest_.substr(0, plain));
            rest_.remove_prefix(plain);
            if (rest_.empty()) break;
            const char c = rest_.front();
            rest_.remove_prefix(1);
            if (c == '"') {
                if (!json::is_valid_utf8(out)) return invalid("a string is not valid UTF-8");
                return Component(std::move(out));
            }
            if (static_cast<unsigned char>(c) < 0x20) {
                return invalid("a string contains a control character that is not escaped");
            }
            TRY(append_escape(out));
        }
        return invalid("a string has no end");
    }

    // The characters before the next one that is not simply part of a string.
    static std::size_t plain_length(std::string_view text) {
        const auto end = std::find_if(text.begin(), text.end(), [](char c) {
            return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
        });
        return static_cast<std::size_t>(end - text.begin());
    }

    Status append_escape(std::string& out) {
        if (rest_.empty()) return invalid("a string has no end");
        const char kind = rest_.front();
        rest_.remove_prefix(1);
        constexpr std::string_view kLetters = "\"\\/bfnrtav";
        constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t\a\v";
        if (const std::size_t at = kLetters.find(kind); at != std::string_view::npos) {
            out += kMeanings[at];
            return {};
        }
        if (kind == 'u') return append_unit_escape(out);
        const std::size_t digits = kind == 'x' ? 2 : kind == 'U' ? 8 : 0;
        const std::optional<char32_t> value = hex(digits);
        if (digits == 0 || !value) return invalid("a string contains an unknown escape");
        if (kind == 'x') {
            out += static_cast<char>(*value);
        } else if (is_scalar_value(*value)) {
            append_utf8(out, *value);
        } else {
            return invalid("a string contains an escape that is not a character");
        }
        return {};
    }

    Status append_unit_escape(std::string& out) {
        std::optional<char32_t> value = hex(4);
        if (!value) return invalid("a \\u escape needs four hex digits");
        if (*value >= 0xD800 && *value <= 0xDBFF && skip_word("\\u")) {
            const std::optional<char32_t> low = hex(4);
            if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
                value = 0x10000 + ((*value - 0xD800) << 10) + (*low - 0xDC00);
            }
        }
        if (is_surrogate(*value)) return invalid("a string contains an unpaired surrogate");
        append_utf8(out, *value);
        return {};
    }

    std::optional<char32_t> hex(std::size_t digits) {
        const std::string_view text = rest_.substr(0, digits);
        std::uint32_t value = 0;
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), value, 16);
        if (text.size() != digits || error != std::errc() || end != text.data() + text.size()) {
            return std::nullopt;
        }
        rest_.remove_prefix(digits);
        return value;
    }

    void skip_space() {
        const auto is_space = [](char c) {
            return c == ' ' || c == '\t' || c == '\r' || c == '\n';
        };
        while (!rest_.empty() && is_space(rest_.front())) {
            rest_.remove_prefix(1);
        }
    }

    bool skip(char token) {
        skip_space();
        if (!rest_.starts_with(token)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    bool skip_word(std::string_view word) {
        if (!rest_.starts_with(word)) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    std::string_view rest_;
};

}  // namespace

Result<PartitionKeyValue> parse_partition_key_header(std::string_view text) {
    return HeaderParser(text).parse();
}

}  // namespace orrery::model
