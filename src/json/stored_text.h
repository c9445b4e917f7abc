// Parses JSON text that was validated and minified before it was stored. It does not repeat the
// checks of a scan (scan.h), but never reads outside the text: damage results in !ok().

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "json/plain_run.h"

namespace orrery::json {

// Inline where a scan of items spends its time.
class StoredText {
public:
    explicit StoredText(std::string_view text)
        : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

    bool ok() const { return ok_; }
    bool at_end() const { return at_ == end_; }
    std::size_t offset() const { return static_cast<std::size_t>(at_ - begin_); }

    // The next character, 0 at the end and after damage.
    char peek() const { return at_ != end_ ? *at_ : '\0'; }
    // Takes the next character if it is this one.
    bool take(char c) {
        if (at_ == end_ || *at_ != c) return false;
        ++at_;
        return true;
    }
    // The same, but anything else is damage.
    bool expect(char c) { return take(c) || fail(); }

    // The next string, number or literal, as written. Empty after damage.
    std::string_view string() {
        if (peek() != '"') return fail(), std::string_view();
        const char* const stop = plain_run_end(at_ + 1, end_);
        if (stop == end_ || *stop != '"') return escaped_string();
        return taken_until(stop + 1);
    }
    std::string_view scalar() { return peek() == '"' ? string() : plain_scalar(); }
    // The next value of any kind.
    std::string_view value() {
        const char first = peek();
        return first == '{' || first == '[' ? container() : scalar();
    }

    // Marks the text as damaged; returns false.
    bool fail() {
        ok_ = false;
        at_ = end_;
        return false;
    }

private:
    std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }
    std::string_view taken_until(const char* end) {
        const char* const from = std::exchange(at_, end);
        return {from, static_cast<std::size_t>(end - from)};
    }
    std::string_view escaped_string();
    std::string_view plain_scalar();
    std::string_view container();

    const char* begin_;
    const char* at_;
    const char* end_;
    bool ok_ = true;
};

// The characters of a string that StoredText returned: a slice of `quoted` itself, or unescaped
// into `scratch`.
std::string_view unquoted(std::string_view quoted, std::string& scratch);

}  // namespace orrery::json
