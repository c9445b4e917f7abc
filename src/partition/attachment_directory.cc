#include "partition/attachment_directory.h"

#include <algorithm>
#include <limits>

#include "base/bytes.h"
#include "partition/item_record.h"

namespace orrery::partition {

namespace {

constexpr char kDirectoryFormat = 1;  // on disk

auto lower_entry(auto& entries, std::uint32_t number) {
    return std::lower_bound(
        entries.begin(),
        entries.end(),
        number,
        [](const AttachmentEntry& entry, std::uint32_t wanted) { return entry.number < wanted; });
}

AttachmentEntry take_entry(ByteReader& reader) {
    AttachmentEntry entry;
    entry.number = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(reader.varint(), std::numeric_limits<std::uint32_t>::max()));
    entry.lsn = static_cast<Lsn>(reader.varint());
    entry.json_bytes = reader.varint();
    if (const std::uint64_t media = reader.varint(); media > 0) entry.media_bytes = media - 1;
    const std::uint64_t id_bytes = reader.varint();
    entry.id = reader.take(id_bytes);
    return entry;
}

}  // namespace

const AttachmentEntry* AttachmentDirectory::find(const AttachmentRef& ref) const {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
        return ref.number ? entry.number == *ref.number : entry.id == ref.id;
    });
    if (found == entries.end() || (ref.with_media && !found->media_bytes)) return nullptr;
    return &*found;
}

std::uint64_t AttachmentDirectory::bytes() const {
    std::uint64_t sum = 0;
    for (const AttachmentEntry& entry : entries)
        sum += entry.bytes();
    return sum;
}

void AttachmentDirectory::put(AttachmentEntry entry) {
    const auto at = lower_entry(entries, entry.number);
    if (at != entries.end() && at->number == entry.number) {
        *at = std::move(entry);
    } else {
        entries.insert(at, std::move(entry));
    }
}

void AttachmentDirectory::remove(std::uint32_t number) {
    const auto at = lower_entry(entries, number);
    if (at != entries.end() && at->number == number) entries.erase(at);
}

std::string AttachmentDirectory::encode() const {
    std::string out(1, kDirectoryFormat);
    append_big_endian(out, static_cast<std::uint64_t>(lsn));
    append_big_endian(out, last_number);
    for (const AttachmentEntry& entry : entries) {
        append_varint(out, entry.number);
        append_varint(out, static_cast<std::uint64_t>(entry.lsn));
        append_varint(out, entry.json_bytes);
        append_varint(out, entry.media_bytes ? *entry.media_bytes + 1 : 0);
        append_varint(out, entry.id.size());
        out.append(entry.id);
    }
    return out;
}

Result<AttachmentDirectory> AttachmentDirectory::decode(std::string_view bytes) {
    const Error damaged(ErrorCode::kCorrupted, "a list of attachments is damaged");
    ByteReader reader(bytes);
    AttachmentDirectory out;
    const bool known = reader.take(1) == std::string_view(&kDirectoryFormat, 1);
    out.lsn = static_cast<Lsn>(reader.big_endian<std::uint64_t>());
    out.last_number = reader.big_endian<std::uint32_t>();
    if (!known || !reader.ok() || !lsn_is_possible(out.lsn)) return damaged.copy();
    std::uint32_t before = 0;
    while (!reader.rest().empty()) {
        AttachmentEntry entry = take_entry(reader);
        const bool in_order = entry.number > before && entry.number <= out.last_number;
        const bool possible = lsn_is_possible(entry.lsn) && entry.lsn <= out.lsn;
        if (!reader.ok() || !in_order || !possible) return damaged.copy();
        before = entry.number;
        out.entries.push_back(std::move(entry));
    }
    return out;
}

}  // namespace orrery::partition
