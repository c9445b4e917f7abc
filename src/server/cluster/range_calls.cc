#include "server/cluster/range_calls.h"

#include <thread>

#include "base/bytes.h"
#include "base/log.h"
#include "server/cluster/sized_text.h"

namespace orrery::server {

namespace {

using std::chrono::milliseconds;
using storage::PartitionId;

template <typename Number>
void append_numbers(std::string& out, const std::vector<Number>& numbers) {
    append_varint(out, numbers.size());
    for (const Number number : numbers)
        append_varint(out, number);
}

std::vector<std::uint32_t> take_numbers(ByteReader& reader) {
    std::vector<std::uint32_t> out;
    const std::uint64_t count = reader.varint();
    for (std::uint64_t i = 0; i < count && reader.ok(); ++i)
        out.push_back(static_cast<std::uint32_t>(reader.varint()));
    return out;
}

Error damaged_change() { return Error(ErrorCode::kBadRequest, "the change of ranges is damaged"); }

catalog::PartitionRange take_range(ByteReader& reader) {
    catalog::PartitionRange out;
    out.id = static_cast<std::uint32_t>(reader.varint());
    out.epks.min_inclusive = take_sized(reader);
    out.epks.max_exclusive = take_sized(reader);
    out.partition = static_cast<PartitionId>(reader.varint());
    out.parents = take_numbers(reader);
    return out;
}

}  // namespace

Result<std::vector<PartitionId>> RangeCalls::reserve_partitions(std::uint32_t count) {
    auto reserved = catalog_.reserve_partitions(count);
    if (reserved || reserved.error().code() != ErrorCode::kElsewhere) return reserved;
    std::string change = "r";
    append_varint(change, count);
    const std::string answer = TRY(ask(change));
    ByteReader reader(answer);
    return take_numbers(reader);
}

Status RangeCalls::replace_ranges(model::ContainerRid rid,
                                  const std::vector<std::uint32_t>& old_ids,
                                  const std::vector<catalog::PartitionRange>& replacements) {
    Status replaced = catalog_.replace_ranges(rid, old_ids, replacements);
    if (replaced || replaced.error().code() != ErrorCode::kElsewhere) return replaced;
    std::string change = "p";
    append_sized(change, rid.text());
    append_numbers(change, old_ids);
    append_varint(change, replacements.size());
    for (const catalog::PartitionRange& range : replacements) {
        append_varint(change, range.id);
        append_sized(change, range.epks.min_inclusive);
        append_sized(change, range.epks.max_exclusive);
        append_varint(change, range.partition);
        append_numbers(change, range.parents);
    }
    TRY(ask(change));
    return {};
}

Status RangeCalls::cancel_reservation(const std::vector<PartitionId>& reserved) {
    Status cancelled = catalog_.cancel_reservation(reserved);
    if (cancelled || cancelled.error().code() != ErrorCode::kElsewhere) return cancelled;
    std::string change = "c";
    append_numbers(change, reserved);
    TRY(ask(change));
    return {};
}

void RangeCalls::abandon_partitions(const std::vector<PartitionId>& reserved) {
    catalog_.abandon_partitions(reserved);
    std::string change = "a";
    append_numbers(change, reserved);
    const auto leader = member_.routing().owner_of(storage::kCatalogPartition);
    if (!leader || leader->identity == member_.lease()->identity()) return;
    // If this fails, the next leader drops them.
    if (const auto told = ask(change); !told) {
        log::debug("abandon_failed", {{"reason", told.error().message()}});
    }
}

Result<std::string> RangeCalls::ask(const std::string& change) {
    constexpr int kAttempts = 20;
    constexpr milliseconds kAnswerTime{30'000};
    constexpr milliseconds kPause{100};
    Error last(ErrorCode::kUnavailable, "no node has the catalog");
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        if (const auto leader = member_.routing().owner_of(storage::kCatalogPartition)) {
            auto answer = calls_.call(*leader, "/_node/ranges", change, kAnswerTime);
            if (answer) return answer;
            last = std::move(answer).take_error();
            // After a time-out it may have been done, so it must not be done again.
            const bool not_done =
                last.code() == ErrorCode::kElsewhere || last.code() == ErrorCode::kUnavailable;
            if (!not_done) break;
        }
        std::this_thread::sleep_for(kPause);
    }
    return last;
}

Result<std::string> RangeCalls::carry_out(std::string_view change) {
    ByteReader reader(change);
    const std::string_view kind = reader.take(1);
    std::string out;
    if (kind == "r") {
        const auto count = static_cast<std::uint32_t>(reader.varint());
        append_numbers(out, TRY(catalog_.reserve_partitions(count)));
        return out;
    }
    if (kind == "c") {
        TRY(catalog_.cancel_reservation(take_numbers(reader)));
        return out;
    }
    if (kind == "a") {
        catalog_.abandon_partitions(take_numbers(reader));
        return out;
    }
    const auto rid = model::ContainerRid::parse(take_sized(reader));
    const std::vector<std::uint32_t> old_ids = take_numbers(reader);
    std::vector<catalog::PartitionRange> replacements;
    const std::uint64_t count = reader.varint();
    for (std::uint64_t i = 0; i < count && reader.ok(); ++i)
        replacements.push_back(take_range(reader));
    if (kind != "p" || !rid || !reader.ok()) return damaged_change();
    TRY(catalog_.replace_ranges(*rid, old_ids, replacements));
    return out;
}

}  // namespace orrery::server
