// Parses JSON text that was validated and minified before it was stored. It does not repeat the
// checks of a scan (scan.h), but never reads outside the text: damage results in !ok().

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery::json {

class StoredText {
public:
    explicit StoredText(std::string_view text) : text_(text) {}

    bool ok() const { return ok_; }
    bool at_end() const { return at_ == text_.size(); }
    std::size_t offset() const { return at_; }

    // The next character, 0 at the end and after damage.
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    // Takes the next character if it is this one.
    bool take(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    // The same, but anything else is damage.
    bool expect(char c) { return take(c) || fail(); }

    // The next string, number or literal, as written. Empty after damage.
    std::string_view string();
    std::string_view scalar() { return peek() == '"' ? string() : plain_scalar(); }
    // The next value of any kind.
    std::string_view value();

    // Marks the text as damaged; returns false.
    bool fail() {
        ok_ = false;
        at_ = text_.size();
        return false;
    }

private:
    std::string_view plain_scalar();

    std::string_view text_;
    std::size_t at_ = 0;
    bool ok_ = true;
};

// The characters of a string that StoredText returned: a slice of `quoted` itself, or unescaped
// into `scratch`.
std::string_view unquoted(std::string_view quoted, std::string& scratch);

}  // namespace orrery::json
