#include "service/change_readers.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "service/change_position.h"

namespace orrery::service {

namespace {

std::size_t hash_of(model::ContainerRid container, std::string_view etag) {
    return std::hash<std::string_view>()(etag) ^ (std::size_t{container.number} << 1U);
}

std::string_view shortened(std::string_view client) {
    return client.substr(0, ChangeReaders::kClientBytesMax);
}

bool is_same(const ChangeReaders::Reader& reader, const ChangeReaders::Poll& poll) {
    return reader.container == poll.container && reader.epks == poll.epks &&
           reader.client == shortened(poll.client);
}

}  // namespace

void ChangeReaders::note(const Poll& poll, TimePoint now) {
    const std::lock_guard lock(mutex_);
    const auto found = find(poll);
    if (found == readers_.end()) {
        if (readers_.size() >= kReadersMax) forget(now);
        readers_.emplace(hash_of(poll.container, poll.after),
                         Reader{.number = ++last_number_,
                                .container = poll.container,
                                .epks = poll.epks,
                                .client = std::string(shortened(poll.client)),
                                .previous = std::string(poll.before.value_or("")),
                                .etag = std::string(poll.after),
                                .seen = now});
        return;
    }
    found->second.seen = now;
    if (found->second.etag == poll.after) return;
    auto moved = readers_.extract(found);
    moved.mapped().previous = std::string(poll.before.value_or(""));
    moved.mapped().etag = std::string(poll.after);
    moved.key() = hash_of(poll.container, poll.after);
    readers_.insert(std::move(moved));
}

ChangeReaders::Readers::iterator ChangeReaders::find(const Poll& poll) {
    if (!poll.before || *poll.before == kFromNow) return readers_.end();
    const auto [begin, end] = readers_.equal_range(hash_of(poll.container, *poll.before));
    const auto found = std::find_if(begin, end, [&](const auto& entry) {
        return is_same(entry.second, poll) && entry.second.etag == *poll.before;
    });
    if (found != end) return found;
    return std::find_if(readers_.begin(), readers_.end(), [&](const auto& entry) {
        return is_same(entry.second, poll) && entry.second.previous == *poll.before;
    });
}

// If nothing is old enough, the reader that was not seen for the longest time.
void ChangeReaders::forget(TimePoint now) {
    std::erase_if(readers_,
                  [&](const auto& entry) { return entry.second.seen + kForgottenAfter < now; });
    if (readers_.size() < kReadersMax) return;
    readers_.erase(
        std::min_element(readers_.begin(), readers_.end(), [](const auto& a, const auto& b) {
            return a.second.seen < b.second.seen;
        }));
}

std::vector<ChangeReaders::Reader> ChangeReaders::readers(TimePoint now) {
    std::vector<Reader> out;
    const std::lock_guard lock(mutex_);
    for (const auto& [hash, reader] : readers_) {
        if (reader.seen + kForgottenAfter >= now) out.push_back(reader);
    }
    std::sort(out.begin(), out.end(), [](const Reader& a, const Reader& b) {
        return a.number < b.number;
    });
    return out;
}

std::uint64_t lag_of(const ChangeReaders::Reader& reader,
                     const catalog::Container& container,
                     const Partitions& partitions) {
    const Result<ChangePosition> position = ChangePosition::parse(reader.etag);
    if (!position) return 0;
    std::uint64_t lag = 0;
    for (const catalog::PartitionRange& range : container.ranges) {
        const model::EpkRange epks = model::overlap(range.epks, reader.epks);
        const auto partition = epks.empty() ? nullptr : partitions.find(range.partition);
        if (!partition) continue;
        // Parts of one partition share its changes: the one furthest behind counts.
        partition::Lsn behind = 0;
        for (const ChangePart& part : position->parts) {
            if (model::overlap(epks, part.epks).empty()) continue;
            behind = std::max(behind, partition->lsn() - part.after);
        }
        lag += static_cast<std::uint64_t>(behind);
    }
    return lag;
}

}  // namespace orrery::service
