#include "tools/import/checkpoint.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include "json/value.h"

namespace orrery::tools {

namespace {

using json::Value;

constexpr int kVersion = 1;

Value count_value(std::uint64_t value) { return Value(static_cast<std::int64_t>(value)); }

std::string print(const Checkpoint& checkpoint) {
    Value::Object out;
    out.push_back({"version", kVersion});
    out.push_back({"import", checkpoint.import});
    out.push_back({"source", count_value(checkpoint.position.source)});
    out.push_back({"records", count_value(checkpoint.position.records)});
    out.push_back({"loaded", count_value(checkpoint.totals.loaded)});
    out.push_back({"skipped", count_value(checkpoint.totals.skipped)});
    out.push_back({"failed", count_value(checkpoint.totals.failed)});
    out.push_back({"errorsBytes", count_value(checkpoint.errors_bytes)});
    return Value(std::move(out)).text() + "\n";
}

Error file_error(const std::string& path) {
    return Error(ErrorCode::kInternal, path + ": " + std::strerror(errno));
}

Status write_synced(const std::string& path, const std::string& content) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return file_error(path);
    const bool done =
        write(file, content.data(), content.size()) == static_cast<ssize_t>(content.size()) &&
        fsync(file) == 0;
    Status out;
    if (!done) out = file_error(path);
    close(file);
    return out;
}

// Nothing if it is not what print() prints.
std::optional<Checkpoint> parse(const std::string& text) {
    const auto body = Value::parse(text);
    if (!body) return std::nullopt;
    bool good = true;
    const auto take = [&](std::string_view name) -> std::uint64_t {
        const Value* const found = body->find(name);
        const bool is_number = found != nullptr && found->is_number();
        const std::int64_t value = is_number ? found->integer().value_or(-1) : -1;
        good = good && value >= 0;
        return good ? static_cast<std::uint64_t>(value) : 0;
    };
    const Value* const import = body->find("import");
    if (import == nullptr || !import->is_string() || take("version") != kVersion) {
        return std::nullopt;
    }
    Checkpoint out{
        .import = import->string(),
        .position = {.source = take("source"), .records = take("records")},
        .totals = {.loaded = take("loaded"), .skipped = take("skipped"), .failed = take("failed")},
        .errors_bytes = take("errorsBytes")};
    return good ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace

Status save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
    const std::string draft = path + ".new";
    TRY(write_synced(draft, print(checkpoint)));
    if (std::rename(draft.c_str(), path.c_str()) != 0) return file_error(path);
    return {};
}

Result<std::optional<Checkpoint>> load_checkpoint(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        if (errno == ENOENT) return std::optional<Checkpoint>();
        return file_error(path);
    }
    std::ostringstream content;
    content << file.rdbuf();
    auto out = parse(content.str());
    if (!out) return Error(ErrorCode::kBadRequest, path + " is not a checkpoint of an import");
    return out;
}

}  // namespace orrery::tools
