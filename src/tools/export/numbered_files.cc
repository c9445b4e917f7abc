#include "tools/export/numbered_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <vector>

namespace orrery::tools {

namespace {

constexpr std::size_t kDigits = 5;

struct Name {
    std::string stem;       // with the directory
    std::string extension;  // with that of the compression: .jsonl.gz
};

Name split_name(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
    std::size_t at = path.size();
    const auto next_dot = [&] {
        const std::size_t dot = path.substr(0, at).rfind('.');
        if (dot != std::string::npos && dot > start) at = dot;
    };
    for (const std::string_view compressed : {".gz", ".zst", ".zstd"}) {
        if (path.ends_with(compressed)) next_dot();
    }
    next_dot();
    return {.stem = path.substr(0, at), .extension = path.substr(at)};
}

// The numbered files that exist, by number.
Result<std::vector<std::string>> list_files(const std::string& path, std::uint64_t above) {
    const Name name = split_name(path);
    const std::filesystem::path stem(name.stem);
    const std::string start = stem.filename().string() + "-";
    std::vector<std::pair<std::uint64_t, std::string>> found;
    std::error_code problem;
    const auto directory = stem.has_parent_path() ? stem.parent_path() : ".";
    for (auto entry = std::filesystem::directory_iterator(directory, problem);
         !problem && entry != std::filesystem::directory_iterator();
         entry.increment(problem)) {
        const std::string file = entry->path().filename().string();
        if (file.size() < start.size() + kDigits + name.extension.size()) continue;
        if (!file.starts_with(start) || !file.ends_with(name.extension)) continue;
        const char* const first = file.data() + start.size();
        const char* const last = file.data() + file.size() - name.extension.size();
        std::uint64_t number = 0;
        const auto [until, error] = std::from_chars(first, last, number);
        const bool matches = error == std::errc() && until == last;
        if (matches && number > above) found.emplace_back(number, numbered_file(path, number));
    }
    if (problem) {
        return Error(
            ErrorCode::kUnavailable,
            "cannot create '" + path + "': cannot read its directory: " + problem.message());
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> out;
    for (auto& [number, file] : found) {
        if (std::filesystem::exists(file)) out.push_back(std::move(file));
    }
    return out;
}

}  // namespace

std::string numbered_file(const std::string& path, std::uint64_t number) {
    const Name name = split_name(path);
    std::string digits = std::to_string(number);
    if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
    return name.stem + "-" + digits + name.extension;
}

Result<std::string> find_numbered_file(const std::string& path, std::uint64_t above) {
    const auto files = TRY(list_files(path, above));
    return files.empty() ? std::string() : files.front();
}

Status remove_numbered_files(const std::string& path, std::uint64_t above) {
    for (const std::string& file : TRY(list_files(path, above))) {
        std::error_code problem;
        std::filesystem::remove(file, problem);
        if (problem) {
            return Error(ErrorCode::kUnavailable,
                         "cannot remove '" + file + "': " + problem.message());
        }
    }
    return {};
}

}  // namespace orrery::tools
