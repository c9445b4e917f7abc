#include "server/backup_record.h"

#include <fmt/format.h>

#include "base/base64.h"
#include "base/crc32.h"
#include "base/iso_time.h"

namespace orrery::server {

namespace {

using json::Value;

Value number(std::uint64_t value) { return {static_cast<std::int64_t>(value)}; }

std::string checksum_of(std::string_view text) { return fmt::format("{:08x}", crc32(text)); }

Error damaged() { return Error(ErrorCode::kCorrupted, "the record of a backup is damaged"); }

// Reads members; a missing one makes all of it invalid.
class MemberReader {
public:
    explicit MemberReader(const Value& object) : object_(object) {}

    std::int64_t integer(std::string_view name) {
        const Value* found = object_.find(name);
        const auto value = found != nullptr && found->is_number() ? found->integer() : std::nullopt;
        ok_ = ok_ && value && *value >= 0;
        return value.value_or(0);
    }
    std::uint64_t size(std::string_view name) { return static_cast<std::uint64_t>(integer(name)); }
    std::string text(std::string_view name) {
        const Value* found = object_.find(name);
        ok_ = ok_ && found != nullptr && found->is_string();
        return ok_ ? found->string() : "";
    }
    bool ok() const { return ok_; }

private:
    const Value& object_;
    bool ok_ = true;
};

Result<std::vector<SmallFile>> decode_files(const Value* list) {
    if (list == nullptr || !list->is_array()) return damaged();
    std::vector<SmallFile> files;
    for (const Value& entry : list->array()) {
        MemberReader reader(entry);
        std::string name = reader.text("name");
        auto content = base64_decode(reader.text("base64"));
        // A name must not lead out of the directory.
        if (!reader.ok() || !content || name.starts_with('/') ||
            name.find("..") != std::string::npos) {
            return damaged();
        }
        files.push_back({.name = std::move(name), .content = std::move(*content)});
    }
    return files;
}

}  // namespace

json::Value BackupRecord::description() const {
    Value out(Value::Object{});
    out.set("id", number(id()));
    out.set("begun", print_iso_time(begun_micros));
    out.set("reached", print_iso_time(outcome.reached.micros));
    out.set("position", number(outcome.reached.position));
    out.set("history", outcome.history);
    out.set("logAfter", number(outcome.log_after));
    out.set("bytes", number(outcome.bytes));
    out.set("newBytes", number(outcome.new_bytes));
    out.set("logBytes", number(outcome.log_bytes));
    return out;
}

std::string BackupRecord::encode() const {
    Value backup(Value::Object{});
    backup.set("id", number(id()));
    backup.set("dataFormat", Value(data_format));
    backup.set("begunMicros", Value(begun_micros));
    backup.set("history", outcome.history);
    backup.set("logAfter", number(outcome.log_after));
    backup.set("position", number(outcome.reached.position));
    backup.set("reachedMicros", Value(outcome.reached.micros));
    backup.set("bytes", number(outcome.bytes));
    backup.set("newBytes", number(outcome.new_bytes));
    backup.set("logBytes", number(outcome.log_bytes));
    Value::Array entries;
    for (const SmallFile& file : files) {
        Value entry(Value::Object{});
        entry.set("name", file.name);
        entry.set("base64", base64_encode(file.content));
        entries.push_back(std::move(entry));
    }
    backup.set("files", std::move(entries));
    Value out(Value::Object{});
    out.set("checksum", checksum_of(backup.text()));
    out.set("backup", std::move(backup));
    return out.text() + "\n";
}

Result<BackupRecord> BackupRecord::decode(std::string_view text) {
    const auto parsed = Value::parse(text);
    if (!parsed) return damaged();
    const Value* backup = parsed->find("backup");
    MemberReader outer(*parsed);
    if (backup == nullptr || outer.text("checksum") != checksum_of(backup->text())) {
        return damaged();
    }
    MemberReader reader(*backup);
    BackupRecord record;
    record.outcome.id = static_cast<std::uint32_t>(reader.integer("id"));
    record.data_format = static_cast<int>(reader.integer("dataFormat"));
    record.begun_micros = reader.integer("begunMicros");
    record.outcome.history = reader.text("history");
    record.outcome.log_after = reader.size("logAfter");
    record.outcome.reached.position = reader.size("position");
    record.outcome.reached.micros = reader.integer("reachedMicros");
    record.outcome.bytes = reader.size("bytes");
    record.outcome.new_bytes = reader.size("newBytes");
    record.outcome.log_bytes = reader.size("logBytes");
    if (!reader.ok()) return damaged();
    record.files = TRY(decode_files(backup->find("files")));
    return record;
}

}  // namespace orrery::server
