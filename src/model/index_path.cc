#include "model/index_path.h"

#include <algorithm>

#include "json/text.h"

namespace orrery::model {

namespace {

constexpr std::string_view kReserved = "*?[]{}\",";

class PatternParser {
public:
    explicit PatternParser(std::string_view text) : text_(text), rest_(text) {}

    Result<std::vector<IndexPattern>> parse() {
        std::vector<IndexPath> paths(1);
        // The root, as the first API versions wrote it and some clients still do.
        if (text_ == "/") return ended(std::move(paths), true);
        while (!rest_.empty()) {
            if (!take('/')) return refuse();
            if (rest_ == "?" || rest_ == "*") return ended(std::move(paths), rest_ == "*");
            const std::vector<IndexStep> steps = TRY(step());
            std::vector<IndexPath> longer;
            for (const IndexPath& path : paths) {
                for (const IndexStep& next : steps) {
                    longer.push_back(path);
                    longer.back().push_back(next);
                }
            }
            paths = std::move(longer);
        }
        return refuse();
    }

private:
    static std::vector<IndexPattern> ended(std::vector<IndexPath> paths, bool below) {
        std::vector<IndexPattern> patterns;
        patterns.reserve(paths.size());
        for (IndexPath& path : paths) {
            patterns.push_back({.path = std::move(path), .below = below});
        }
        return patterns;
    }

    // One step, or one for each name in braces.
    Result<std::vector<IndexStep>> step() {
        if (rest_.starts_with("[]")) {
            rest_.remove_prefix(2);
            return std::vector<IndexStep>{{.name = {}, .element = true}};
        }
        if (!take('{')) return std::vector<IndexStep>{{.name = TRY(name("/")), .element = false}};
        // Several members of one element, indexed together; braces are allowed nowhere else, and
        // only once.
        if (std::exchange(braces_, true)) return refuse();
        std::vector<IndexStep> steps;
        do {
            steps.push_back({.name = TRY(name(",}")), .element = false});
        } while (take(','));
        if (!take('}')) return refuse();
        return steps;
    }

    Result<std::string> name(std::string_view ends) {
        std::string found;
        if (take('"')) {
            while (!rest_.empty() && rest_[0] != '"') {
                if (rest_.starts_with("\\\"") || rest_.starts_with("\\\\")) rest_.remove_prefix(1);
                found += rest_[0];
                rest_.remove_prefix(1);
            }
            if (!take('"')) return refuse();
        } else {
            found = rest_.substr(0, std::min(rest_.find_first_of(ends), rest_.size()));
            rest_.remove_prefix(found.size());
            if (found.find_first_of(kReserved) != std::string::npos) return refuse();
        }
        if (found.empty()) return refuse();
        return found;
    }

    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    Error refuse() const {
        return Error(ErrorCode::kBadRequest,
                     "The index path '" + std::string(text_) +
                         "' is not valid. It starts with '/', ends in '/?' or '/*', and names "
                         "properties in between, [] standing for the elements of an array.");
    }

    std::string_view text_;
    std::string_view rest_;
    bool braces_ = false;
};

}  // namespace

Result<std::vector<IndexPattern>> parse_index_pattern(std::string_view text) {
    return PatternParser(text).parse();
}

Result<IndexPath> parse_composite_path(std::string_view text) {
    std::string ended(text);
    if (!text.ends_with("/?")) ended += "/?";
    auto patterns = PatternParser(ended).parse();
    const auto is_element = [](const IndexStep& step) { return step.element; };
    if (!patterns || patterns->size() != 1 || patterns->front().path.empty() ||
        std::any_of(patterns->front().path.begin(), patterns->front().path.end(), is_element)) {
        return Error(ErrorCode::kBadRequest,
                     "The path '" + std::string(text) +
                         "' of a composite index is not valid. It starts with '/' and names "
                         "properties; wildcards and array elements are not supported.");
    }
    return std::move(patterns->front().path);
}

std::string to_text(const IndexPath& path) {
    std::string text;
    for (const IndexStep& step : path) {
        text += '/';
        if (step.element) {
            text += "[]";
            continue;
        }
        const bool plain =
            !step.name.empty() && step.name.find_first_of("/*?[]{}\",\\ ") == std::string::npos;
        if (plain) {
            text += step.name;
            continue;
        }
        text += '"';
        for (const char c : step.name) {
            if (c == '"' || c == '\\') text += '\\';
            text += c;
        }
        text += '"';
    }
    return text;
}

}  // namespace orrery::model
