#include "json/path.h"

#include <algorithm>

namespace orrery::json {

namespace {

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kEndOfName = "/*?[]\"' \t\r\n";
constexpr std::string_view kEndOfStoredName = "/*?[]\"";

class PathParser {
public:
    PathParser(std::string_view text, PathForm form)
        : text_(text), end_of_name_(form == PathForm::kStored ? kEndOfStoredName : kEndOfName) {}

    Result<Path> parse() {
        Path path;
        do {
            if (!take('/')) return refuse();
            std::string name;
            const bool quoted = at() == '"' || at() == '\'';
            if (!(quoted ? take_quoted(name) : take_plain(name)) || name.empty()) return refuse();
            path.push_back(std::move(name));
        } while (position_ < text_.size());
        return path;
    }

private:
    char at() const { return position_ < text_.size() ? text_[position_] : '\0'; }

    bool take(char c) {
        if (position_ == text_.size() || text_[position_] != c) return false;
        ++position_;
        return true;
    }

    bool take_plain(std::string& name) {
        const std::size_t end =
            std::min(text_.find_first_of(end_of_name_, position_), text_.size());
        name = text_.substr(position_, end - position_);
        // The service skips white space and reports the position of what follows it.
        position_ = std::min(text_.find_first_not_of(kSpaces, end), text_.size());
        return position_ == end && (end == text_.size() || text_[end] == '/');
    }

    // False if the closing quote is missing.
    bool take_quoted(std::string& name) {
        const char quote = text_[position_++];
        while (position_ < text_.size() && text_[position_] != quote) {
            const bool escape = text_[position_] == '\\' && position_ + 1 < text_.size() &&
                                (text_[position_ + 1] == quote || text_[position_ + 1] == '\\');
            if (escape) ++position_;
            name += text_[position_++];
        }
        return take(quote);
    }

    Error refuse() const {
        return Error(ErrorCode::kBadRequest,
                     "path '" + std::string(text_) + "' could not be accepted, failed near " +
                         "position '" + std::to_string(position_) + "'.");
    }

    std::string_view text_;
    std::string_view end_of_name_;
    std::size_t position_ = 0;
};

}  // namespace

Result<Path> parse_path(std::string_view text, PathForm form) {
    return PathParser(text, form).parse();
}

}  // namespace orrery::json
