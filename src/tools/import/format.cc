#include <algorithm>

#include "base/ascii.h"
#include "json/value.h"
#include "tools/import/records.h"

namespace orrery::tools {

namespace {

bool ends_with(std::string_view path, std::string_view extension) {
    return path.size() > extension.size() &&
           same_word(path.substr(path.size() - extension.size()), extension);
}

std::string_view from_first_word(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

std::string_view without_compression(std::string_view path) {
    for (const std::string_view extension : {".gz", ".zst", ".zstd"}) {
        if (ends_with(path, extension)) return path.substr(0, path.size() - extension.size());
    }
    return path;
}

// The first value of the text, which may be cut off after it.
std::optional<json::Value> first_value(std::string_view text) {
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '"') {
            const std::size_t length = json::string_length(text.substr(at));
            if (length == 0) return std::nullopt;
            at += length - 1;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            auto value = json::Value::parse(text.substr(0, at + 1));
            if (!value) return std::nullopt;
            return *std::move(value);
        }
    }
    return std::nullopt;
}

bool is_mongo(const std::optional<json::Value>& item) {
    return item && item->find("_id") != nullptr && item->find("id") == nullptr;
}

bool is_json(std::string_view text) { return text.starts_with('[') || text.starts_with('{'); }

// The first item of an array or of values.
std::optional<json::Value> first_item(std::string_view text) {
    return first_value(text.substr(std::min(text.find('{'), text.size())));
}

Format json_format(std::string_view path, std::string_view text) {
    Format out;
    if (text.starts_with('{')) {
        const std::string_view line = text.substr(0, text.find('\n'));
        const bool lines = ends_with(path, ".jsonl") || ends_with(path, ".ndjson");
        if (lines || first_value(line)) out.layout = Layout::kLines;
    }
    out.mongo = is_mongo(first_item(text));
    return out;
}

}  // namespace

std::string name_of(const Format& format) {
    switch (format.layout) {
        case Layout::kCsv:
            return "csv";
        case Layout::kTsv:
            return "tsv";
        case Layout::kContainer:
            return "container";
        case Layout::kLines:
            return format.mongo ? "mongo (jsonl)" : "jsonl";
        default:
            return format.mongo ? "mongo (json)" : "json";
    }
}

bool tells_format(std::string_view beginning) {
    const std::string_view text = from_first_word(beginning);
    if (is_json(text)) return first_item(text).has_value();
    return text.find('\n') != std::string_view::npos;
}

std::optional<Format> detect_format(std::string_view path, std::string_view beginning) {
    path = without_compression(path);
    if (ends_with(path, ".csv")) return Format{.layout = Layout::kCsv};
    if (ends_with(path, ".tsv") || ends_with(path, ".tab")) return Format{.layout = Layout::kTsv};
    const std::string_view text = from_first_word(beginning);
    if (is_json(text)) return json_format(path, text);
    const bool lines = ends_with(path, ".jsonl") || ends_with(path, ".ndjson");
    if (lines) return Format{.layout = Layout::kLines};
    if (ends_with(path, ".json")) return Format{.layout = Layout::kJson};
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.find('\t') != std::string_view::npos) return Format{.layout = Layout::kTsv};
    if (line.find(',') != std::string_view::npos) return Format{.layout = Layout::kCsv};
    if (text.empty()) return Format{.layout = Layout::kLines};
    return std::nullopt;
}

}  // namespace orrery::tools
