// Scans JSON text from start to end, validates it strictly (RFC 8259, valid UTF-8, bounded depth)
// and reports what it finds to a visitor, as slices of the text itself.
//
// Why not simdjson here: it refuses integers beyond 64 bits and numbers like 1e400, which must be
// preserved digit for digit, and it does not report where a value starts and ends (docs/adr/0003).
//
// A visitor has:
//   void begin(Kind, std::size_t at);                     { or [ at this offset
//   void end(Kind, std::size_t after);                    the offset after } or ]
//   void key(std::string_view raw, std::size_t at);       a member name, quotes included
//   void scalar(Kind, std::string_view raw, std::size_t at);  string (quoted), number, true, null
// Optional, as it takes comparing all names:
//   void duplicates();                                    the object about to end has duplicate
//   names

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/text.h"

namespace orrery::json {

enum class Kind : std::uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

// Cosmos DB refuses items nested deeper than this.
inline constexpr int kDepthMax = 128;

// Detects duplicate member names in an object.
class MemberNames {
public:
    void begin_object() { starts_.push_back(names_.size()); }
    void add(std::string_view raw) { names_.push_back(raw); }
    // Whether the object that ends here has duplicates.
    bool end_object();

private:
    std::vector<std::string_view> names_;  // quoted, as in the text
    std::vector<std::size_t> starts_;
};

template <typename Visitor>
class Scan {
public:
    Scan(std::string_view text, Visitor& visitor, int depth_max)
        : text_(text), visitor_(visitor), depth_max_(depth_max) {}

    Status run() {
        if (!is_valid_utf8(text_)) return Error(ErrorCode::kBadRequest, "JSON is not valid UTF-8");
        skip_whitespace();
        TRY(value(0));
        skip_whitespace();
        if (at_ != text_.size()) return error("unexpected characters after the value");
        return {};
    }

    // Where it ended; after an error, where that is.
    std::size_t at() const { return at_; }

    // So far there was no insignificant whitespace.
    bool is_minified() const { return minified_; }

private:
    static constexpr bool kWantsDuplicates = requires(Visitor & visitor) { visitor.duplicates(); };

    Status value(int depth) {
        if (at_ == text_.size()) return error("unexpected end");
        switch (text_[at_]) {
            case '{':
                return object(depth + 1);
            case '[':
                return array(depth + 1);
            case '"':
                return scalar(Kind::kString, string_length(text_.substr(at_)), "invalid string");
            case 't':
                return scalar(Kind::kTrue, literal_length("true"), "invalid literal");
            case 'f':
                return scalar(Kind::kFalse, literal_length("false"), "invalid literal");
            case 'n':
                return scalar(Kind::kNull, literal_length("null"), "invalid literal");
            default:
                return scalar(Kind::kNumber, number_length(text_.substr(at_)), "invalid value");
        }
    }

    Status scalar(Kind kind, std::size_t length, const char* otherwise) {
        if (length == 0) return error(otherwise);
        visitor_.scalar(kind, text_.substr(at_, length), at_);
        at_ += length;
        return {};
    }

    Status object(int depth) {
        if (depth > depth_max_) return error("nested too deeply");
        visitor_.begin(Kind::kObject, at_++);
        if constexpr (kWantsDuplicates) names_.begin_object();
        skip_whitespace();
        if (!next_is('}')) {
            do {
                TRY(member(depth));
            } while (take(','));
            if (!next_is('}')) return error("expected ',' or '}'");
        }
        ++at_;
        if constexpr (kWantsDuplicates) {
            if (names_.end_object()) visitor_.duplicates();
        }
        visitor_.end(Kind::kObject, at_);
        return {};
    }

    Status member(int depth) {
        skip_whitespace();
        if (!next_is('"')) return error("expected a property name");
        const std::size_t length = string_length(text_.substr(at_));
        if (length == 0) return error("invalid property name");
        if constexpr (kWantsDuplicates) names_.add(text_.substr(at_, length));
        visitor_.key(text_.substr(at_, length), at_);
        at_ += length;
        skip_whitespace();
        if (!take(':')) return error("expected ':'");
        skip_whitespace();
        TRY(value(depth));
        skip_whitespace();
        return {};
    }

    Status array(int depth) {
        if (depth > depth_max_) return error("nested too deeply");
        visitor_.begin(Kind::kArray, at_++);
        skip_whitespace();
        if (!next_is(']')) {
            do {
                skip_whitespace();
                TRY(value(depth));
                skip_whitespace();
            } while (take(','));
            if (!next_is(']')) return error("expected ',' or ']'");
        }
        visitor_.end(Kind::kArray, ++at_);
        return {};
    }

    bool take(char c) {
        if (!next_is(c)) return false;
        ++at_;
        return true;
    }

    bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }

    void skip_whitespace() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' ||
                                      text_[at_] == '\n' || text_[at_] == '\r')) {
            ++at_;
            minified_ = false;
        }
    }

    std::size_t literal_length(std::string_view literal) const {
        return text_.substr(at_, literal.size()) == literal ? literal.size() : 0;
    }

    Error error(const std::string& what) const {
        return Error(ErrorCode::kBadRequest,
                     "invalid JSON at offset " + std::to_string(at_) + ": " + what);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool minified_ = true;
    Visitor& visitor_;
    const int depth_max_;
    MemberNames names_;
};

// `depth_max` may be larger for JSON that contains items.
template <typename Visitor>
Status scan(std::string_view text, Visitor& visitor, int depth_max = kDepthMax) {
    return Scan<Visitor>(text, visitor, depth_max).run();
}

// Validates text for code that parses it later (walk.h).
struct Checked {
    bool duplicates = false;  // some object has a duplicate member name
};
Result<Checked> check(std::string_view text, int depth_max = kDepthMax);

}  // namespace orrery::json
