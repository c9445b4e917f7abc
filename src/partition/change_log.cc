#include "partition/change_log.h"

#include "base/bytes.h"
#include "partition/item_record.h"

namespace orrery::partition {

namespace {

Error damaged_change() {
    return Error(ErrorCode::kCorrupted, "an entry of the change log is damaged");
}

}  // namespace

std::string LogEntry::encode() const {
    std::string out(1, static_cast<char>(kind));
    if (kind == ChangeKind::kReplace) append_varint(out, static_cast<std::uint64_t>(previous));
    return out;
}

Result<LogEntry> LogEntry::decode(std::string_view value) {
    LogEntry entry;
    if (value.empty()) return entry;
    ByteReader reader(value);
    entry.kind = static_cast<ChangeKind>(reader.big_endian<std::uint8_t>());
    if (entry.kind == ChangeKind::kReplace) entry.previous = static_cast<Lsn>(reader.varint());
    const bool known = entry.kind == ChangeKind::kCreate || entry.kind == ChangeKind::kReplace;
    if (!known || !reader.ok() || !reader.rest().empty() || !lsn_is_possible(entry.previous)) {
        return damaged_change();
    }
    return entry;
}

std::string Removal::encode() const {
    std::string out(1, static_cast<char>(kind));
    append_big_endian(out, static_cast<std::uint64_t>(timestamp));
    append_varint(out, static_cast<std::uint64_t>(previous));
    for (const std::string& name : {epk, partition_key}) {
        append_varint(out, name.size());
        out.append(name);
    }
    out.append(id);
    return out;
}

Result<Removal> Removal::decode(std::string_view value) {
    ByteReader reader(value);
    Removal out;
    out.kind = static_cast<ChangeKind>(reader.big_endian<std::uint8_t>());
    out.timestamp = static_cast<std::int64_t>(reader.big_endian<std::uint64_t>());
    out.previous = static_cast<Lsn>(reader.varint());
    out.epk = reader.take(reader.varint());
    out.partition_key = reader.take(reader.varint());
    out.id = reader.rest();
    const bool known = out.kind == ChangeKind::kDelete || out.kind == ChangeKind::kExpiry ||
                       out.kind == ChangeKind::kKeyDelete;
    if (!known || !reader.ok() || !timestamp_is_possible(out.timestamp) ||
        !lsn_is_possible(out.previous)) {
        return damaged_change();
    }
    return out;
}

std::string Version::encode(std::string_view entry, std::string_view record) {
    std::string out;
    out.reserve(entry.size() + record.size() + 1);
    append_varint(out, entry.size());
    return out.append(entry).append(record);
}

Result<Version> Version::decode(std::string_view value) {
    ByteReader reader(value);
    Version out;
    out.entry = TRY(LogEntry::decode(reader.take(reader.varint())));
    out.record = reader.rest();
    if (!reader.ok()) return damaged_change();
    return out;
}

namespace {

Result<std::optional<Lsn>> read_lsn(const storage::Reader& state, const std::string& key) {
    std::string value;
    if (!TRY(state.get(key, value))) return std::optional<Lsn>();
    ByteReader reader(value);
    const auto lsn = static_cast<Lsn>(reader.big_endian<std::uint64_t>());
    if (!reader.ok() || !reader.rest().empty() || !lsn_is_possible(lsn)) return damaged_change();
    return std::optional(lsn);
}

}  // namespace

Result<std::optional<Lsn>> versions_from(const storage::Reader& state) {
    return read_lsn(state, versions_from_key());
}

Result<Lsn> unordered_until(const storage::Reader& state) {
    return TRY(read_lsn(state, unordered_key())).value_or(0);
}

std::string lsn_value(Lsn lsn) {
    std::string out;
    append_big_endian(out, static_cast<std::uint64_t>(lsn));
    return out;
}

}  // namespace orrery::partition
