#include "tools/import/inputs.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "tools/import/container_records.h"

namespace orrery::tools {

namespace {

using json::Value;

Value names_of(const json::Path& path) {
    Value::Array out;
    for (const std::string& name : path) {
        out.emplace_back(name);
    }
    return out;
}

std::int64_t nanoseconds_of(const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

Value identity_of(const std::string& path) {
    Value::Object out;
    out.push_back({"path", path});
    struct stat file {};
    if (path != "-" && stat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode)) {
        out.push_back({"size", std::int64_t{file.st_size}});
        out.push_back({"modified", nanoseconds_of(file.st_mtim)});
    }
    return out;
}

Result<Format> choose_format(const std::string& path, FormatChoice choice, TextCursor& text) {
    switch (choice) {
        case FormatChoice::kJson:
            return Format{.layout = Layout::kJson};
        case FormatChoice::kLines:
            return Format{.layout = Layout::kLines};
        case FormatChoice::kCsv:
            return Format{.layout = Layout::kCsv};
        case FormatChoice::kTsv:
            return Format{.layout = Layout::kTsv};
        default:
            break;
    }
    const std::string_view beginning = text.ahead(kBeginningBytes, tells_format);
    TRY(text.status());
    auto found = detect_format(path, beginning);
    if (choice == FormatChoice::kMongo) {
        const bool lines = found && found->layout == Layout::kLines;
        return Format{.layout = lines ? Layout::kLines : Layout::kJson, .mongo = true};
    }
    if (!found) {
        return Error(ErrorCode::kBadRequest,
                     "its format is none of those that are known; --format says which it is");
    }
    return *found;
}

Result<std::unique_ptr<Records>> read_format(TextCursor& text,
                                             const Format& format,
                                             bool plain_strings) {
    switch (format.layout) {
        case Layout::kLines:
            return read_lines(text);
        case Layout::kCsv:
            return read_csv(text, {.delimiter = ',', .plain_strings = plain_strings});
        case Layout::kTsv:
            return read_csv(text, {.delimiter = '\t', .plain_strings = plain_strings});
        default:
            return read_json(text);
    }
}

}  // namespace

Result<std::uint64_t> measure_inputs(const std::vector<std::string>& paths) {
    std::uint64_t out = 0;
    bool known = true;
    for (const std::string& path : paths) {
        struct stat file {};
        const bool standard = path == "-";
        const bool found =
            standard ? fstat(STDIN_FILENO, &file) == 0 : stat(path.c_str(), &file) == 0;
        if (!found || (!standard && access(path.c_str(), R_OK) != 0)) {
            return Error(ErrorCode::kNotFound, path + ": " + std::strerror(errno));
        }
        if (S_ISDIR(file.st_mode)) {
            return Error(ErrorCode::kBadRequest, path + " is a directory");
        }
        known = known && S_ISREG(file.st_mode);
        out += static_cast<std::uint64_t>(file.st_size);
    }
    return known ? out : 0;
}

Status check_outputs(const ImportOptions& options) {
    for (const std::string& output : {options.errors_file, options.checkpoint_file}) {
        for (const std::string& input : options.inputs) {
            std::error_code missing;
            if (std::filesystem::equivalent(output, input, missing)) {
                return Error(ErrorCode::kBadRequest,
                             output + " is an input: it is not overwritten");
            }
        }
    }
    return {};
}

std::string name_import(const ImportOptions& options, const std::string& container_rid) {
    Value::Array inputs;
    for (const std::string& path : options.inputs) {
        inputs.push_back(identity_of(path));
    }
    Value::Array keys;
    for (const json::Path& path : options.rules.key_from) {
        keys.push_back(names_of(path));
    }
    Value::Object out;
    out.push_back({"endpoint", options.account.endpoint.shown()});
    out.push_back({"database", options.target.database});
    out.push_back({"container", options.target.container});
    out.push_back({"rid", container_rid});
    out.push_back({"inputs", std::move(inputs)});
    out.push_back({"format", static_cast<int>(options.format)});
    out.push_back({"strings", options.plain_strings});
    out.push_back({"mode", static_cast<int>(options.mode)});
    out.push_back({"id", names_of(options.rules.id_from)});
    out.push_back({"keys", std::move(keys)});
    out.push_back({"generate", options.rules.generate_ids});
    out.push_back({"errors", options.errors_file});
    return to_hex_upper(as_bytes(sha256(Value(std::move(out)).text())));
}

Result<Input> open_input(const std::string& path,
                         const ImportOptions& options,
                         const SourceOptions& source,
                         const std::atomic<bool>& interrupted) {
    Input out;
    if (options.from) {
        out.records = read_container(*options.from, source, interrupted);
        out.report = {.source = path, .format = {.layout = Layout::kContainer}};
        return out;
    }
    out.source = TRY(open_source(path, source));
    out.text = std::make_unique<TextCursor>(*out.source.bytes);
    const Format format = TRY(choose_format(path, options.format, *out.text));
    out.records = TRY(read_format(*out.text, format, options.plain_strings));
    out.report = {.source = path, .format = format, .compression = out.source.compression};
    return out;
}

}  // namespace orrery::tools
