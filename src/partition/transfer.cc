#include "partition/transfer.h"

#include <optional>
#include <string>
#include <utility>

#include "base/wait_for.h"

namespace orrery::partition {

namespace {

// What is written with one commit: little, so that others get their turn.
constexpr std::size_t kBytesPerCommit = std::size_t{512} << 10;
constexpr std::size_t kChangesPerCommit = 500;

struct CopiedItem {
    StoredItem item;
    LogEntry entry;
};

struct CopiedRemoval {
    LogPlace place;
    Removal removal;
};

// Some changes, oldest first.
struct Changes {
    std::vector<CopiedItem> items;
    std::vector<CopiedRemoval> removals;
    // In the order of the log: true for an item, false for a removal.
    std::vector<bool> order;
    // Versions that are no longer the newest; their order does not matter.
    std::vector<std::pair<LogPlace, std::string>> versions;
    // Attachments of items that have been copied before, and the lists of them.
    std::vector<std::function<Status(ItemWriter&)>> attachments;
    std::size_t bytes = 0;

    std::size_t size() const { return order.size() + versions.size() + attachments.size(); }
};

// A write that only its sender waits for.
class CopyTask final : public WriteTask {
public:
    using Write = std::function<Status(ItemWriter&)>;

    CopyTask(Write write, std::function<void(Status)> done)
        : write_(std::move(write)), done_(std::move(done)) {}

    Status apply(ItemWriter& writer) override { return write_(writer); }
    void complete(Status outcome) override { done_(std::move(outcome)); }

private:
    Write write_;
    std::function<void(Status)> done_;
};

Status write(Partition& partition, const CopyTask::Write& write) {
    return wait_for<Status>([&](std::function<void(Status)> done) {
        partition.submit(std::make_unique<CopyTask>(write, std::move(done)));
    });
}

Status import_all(ItemWriter& writer, const Changes& changes) {
    auto item = changes.items.begin();
    auto removal = changes.removals.begin();
    for (const bool is_item : changes.order) {
        if (is_item) {
            TRY(writer.import(item->item, item->entry));
            ++item;
        } else {
            TRY(writer.import(removal->place, removal->removal));
            ++removal;
        }
    }
    for (const auto& [place, value] : changes.versions)
        writer.import_version(place, value);
    for (const auto& import : changes.attachments)
        TRY(import(writer));
    return {};
}

// Records of data directories of format 2 say nothing about their origin, which their etags show.
Result<StoredItem> with_origin(StoredItem item, const Identity& source) {
    if (item.header().origin) return item;
    ItemHeader header = item.header();
    header.origin = static_cast<std::uint16_t>(source.etag_origin.value_or(source.storage_id));
    std::vector<std::string> digests;
    for (std::size_t i = 0; i < item.unique_count(); ++i) {
        digests.emplace_back(item.unique_digest(i));
    }
    std::string record;
    append_item_head(record,
                     header,
                     {.epk = item.epk(),
                      .partition_key = item.partition_key(),
                      .id = item.id(),
                      .unique_digests = digests});
    return StoredItem::decode(item.docnum(), record.append(item.json()));
}

}  // namespace

// One catch_up(), over one state of the source.
class Transfer::Round {
public:
    Round(const Partition& source, const std::vector<Target>& targets)
        : source_(source),
          targets_(targets),
          published_(source.lsn()),
          view_(source.view()),
          pending_(targets.size()) {}

    Result<State> state() const {
        std::string bytes;
        if (!TRY(view_.reader->get(state_key(), bytes))) return State{};
        return State::decode(bytes);
    }

    // Copies the changes after `from` up to `until`.
    Status run(Lsn from, Lsn until, const std::function<bool()>& may_go_on) {
        // Items that a delete hides in the view are not copied, so the first round has nothing to
        // undo; only a delete that is just being published may be missing in the view.
        undo_from_ = from > 0 ? 0 : published_ + 1;
        const auto part = [&](auto key_at) {
            return view_.reader->scan(
                {.from = key_at({.lsn = from + 1, .ordinal = 0, .docnum = 0}),
                 .until = key_at({.lsn = until + 1, .ordinal = 0, .docnum = 0})},
                storage::Direction::kForward);
        };
        const auto log = part([](const LogPlace& place) { return log_key(place); });
        const auto removals = part([](const LogPlace& place) { return removal_key(place); });
        if (keeps_versions_) {
            TRY(copy_versions(*part([](const LogPlace& place) { return version_key(place); }),
                              may_go_on));
        }
        while (log->valid() || removals->valid()) {
            if (!may_go_on()) return Error(ErrorCode::kUnavailable, "the copy was stopped");
            std::optional<LogPlace> changed;
            std::optional<LogPlace> removed;
            if (log->valid()) changed = TRY(place_of(log->key()));
            if (removals->valid()) removed = TRY(place_of(removals->key()));
            if (changed && (!removed || *changed < *removed)) {
                TRY(add_item(*changed, log->value()));
                log->next();
            } else {
                TRY(add_removal(*removed, removals->value()));
                removals->next();
            }
            ++seen_;
        }
        TRY(log->status());
        TRY(removals->status());
        for (std::size_t i = 0; i < targets_.size(); ++i)
            TRY(flush(i));
        if (keeps_versions_) TRY(copy_deletes());
        return copy_attachments(from, until, may_go_on);
    }

    std::uint64_t seen() const { return seen_; }

private:
    std::optional<std::size_t> target_of(std::string_view epk) const {
        for (std::size_t i = 0; i < targets_.size(); ++i) {
            if (targets_[i].epks.contains(epk)) return i;
        }
        return std::nullopt;
    }

    Status add_item(const LogPlace& place, std::string_view entry) {
        std::string record;
        if (!TRY(view_.reader->get(item_key(place.docnum), record))) {
            return Error(ErrorCode::kCorrupted, "an entry of the change log has no item");
        }
        StoredItem item = TRY(StoredItem::decode(place.docnum, std::move(record)));
        const bool deleted =
            view_.deletes && view_.deletes->hides(item.partition_key(), item.header());
        // If versions are kept, each deleted item will be logged by itself: by the target, if the
        // source has not come to it.
        if (deleted && !keeps_versions_) return {};
        const auto target = target_of(item.epk());
        if (!target) return {};
        Changes& pending = pending_[*target];
        pending.bytes += item.record().size();
        LogEntry change = TRY(LogEntry::decode(entry));
        // Format 2 did not say; records that name their origin must have a kind.
        if (change.kind == ChangeKind::kUnknown) change.kind = ChangeKind::kCreate;
        pending.items.push_back(
            {.item = TRY(with_origin(std::move(item), source_.identity())), .entry = change});
        pending.order.push_back(true);
        return flush_if_full(*target);
    }

    Status add_removal(const LogPlace& place, std::string_view value) {
        Removal removal = TRY(Removal::decode(value));
        const auto target = target_of(removal.epk);
        if (!target) return {};
        const bool undoes = removal.kind == ChangeKind::kKeyDelete && place.lsn >= undo_from_;
        if (undoes && !keeps_versions_) {
            TRY(expunge_key(*target, place, removal));
        }
        Changes& pending = pending_[*target];
        pending.bytes += value.size();
        pending.removals.push_back({.place = place, .removal = std::move(removal)});
        pending.order.push_back(false);
        return flush_if_full(*target);
    }

    // Versions that were replaced or removed since the last round. What was copied as the newest
    // version becomes one when its successor is imported.
    Status copy_versions(storage::Cursor& cursor, const std::function<bool()>& may_go_on) {
        for (; cursor.valid(); cursor.next()) {
            if (!may_go_on()) return Error(ErrorCode::kUnavailable, "the copy was stopped");
            const LogPlace place = TRY(place_of(cursor.key()));
            const Version version = TRY(Version::decode(cursor.value()));
            const auto target = target_of(TRY(ItemView::decode(place.docnum, version.record)).epk);
            if (!target) continue;
            Changes& pending = pending_[*target];
            pending.bytes += cursor.value().size();
            pending.versions.emplace_back(place, cursor.value());
            TRY(flush_if_full(*target));
        }
        return cursor.status();
    }

    // The targets go on with the deletes of partition keys that are under way.
    Status copy_deletes() {
        if (!view_.deletes) return {};
        for (const auto& entry : view_.deletes->all()) {
            const auto target = target_of(entry.second.epk);
            if (!target) continue;
            TRY(write(*targets_[*target].partition, [&](ItemWriter& writer) -> Status {
                writer.import_delete(entry.first, entry.second);
                return {};
            }));
        }
        return {};
    }

    // Of items that have been copied, now or before.
    Status copy_attachments(Lsn from, Lsn until, const std::function<bool()>& may_go_on) {
        const auto log = view_.reader->scan(
            {.from = attachment_log_key(from + 1, 0), .until = attachment_log_key(until + 1, 0)},
            storage::Direction::kForward);
        for (; log->valid(); log->next(), ++seen_) {
            if (!may_go_on()) return Error(ErrorCode::kUnavailable, "the copy was stopped");
            const Docnum owner = TRY(docnum_of_key(log->key()));
            TRY(copy_attachments_of(owner, from));
        }
        TRY(log->status());
        for (std::size_t i = 0; i < targets_.size(); ++i)
            TRY(flush(i));
        return {};
    }

    Status copy_attachments_of(Docnum docnum, Lsn from) {
        std::string bytes;
        std::string record;
        const bool whole = TRY(view_.reader->get(attachments_key(docnum), bytes)) &&
                           TRY(view_.reader->get(item_key(docnum), record));
        if (!whole) return Error(ErrorCode::kCorrupted, "attachments have no list or no item");
        const auto target = target_of(TRY(ItemView::decode(docnum, record)).epk);
        if (!target) return {};
        AttachmentDirectory directory = TRY(AttachmentDirectory::decode(bytes));
        for (const AttachmentEntry& entry : directory.entries) {
            if (entry.lsn <= from) continue;
            if (!TRY(view_.reader->get(attachment_key(docnum, entry.number), record))) {
                return Error(ErrorCode::kCorrupted, "an attachment is missing");
            }
            std::optional<std::string> media;
            if (entry.media_bytes) {
                if (!TRY(view_.reader->get(media_key(docnum, entry.number), media.emplace()))) {
                    return Error(ErrorCode::kCorrupted, "the media of an attachment is missing");
                }
            }
            Changes& pending = pending_[*target];
            pending.bytes += entry.bytes();
            pending.attachments.emplace_back(
                [docnum, number = entry.number, record, media = std::move(media)](
                    ItemWriter& writer) {
                    return writer.import_attachment(docnum, number, record, media);
                });
            TRY(flush_if_full(*target));
        }
        pending_[*target].attachments.emplace_back(
            [docnum, directory = std::move(directory)](ItemWriter& writer) {
                return writer.import_attachments(docnum, directory);
            });
        return flush_if_full(*target);
    }

    // In commits of their own: the items must be in the store to be found.
    Status expunge_key(std::size_t target, const LogPlace& place, const Removal& removal) {
        TRY(flush(target));
        bool done = false;
        const auto expunge_some = [&](ItemWriter& writer) -> Status {
            done = TRY(writer.expunge_key(place, removal, kChangesPerCommit));
            return {};
        };
        while (!done)
            TRY(write(*targets_[target].partition, expunge_some));
        return {};
    }

    Status flush_if_full(std::size_t target) {
        const Changes& pending = pending_[target];
        const bool full = pending.bytes >= kBytesPerCommit || pending.size() >= kChangesPerCommit;
        return full ? flush(target) : Status();
    }

    Status flush(std::size_t target) {
        const Changes changes = std::exchange(pending_[target], {});
        if (changes.size() == 0) return {};
        return write(*targets_[target].partition,
                     [&](ItemWriter& writer) { return import_all(writer, changes); });
    }

    const Partition& source_;
    const std::vector<Target>& targets_;
    const Lsn published_;  // before the view was taken
    const Partition::View view_;
    const bool keeps_versions_ = targets_.front().partition->keeps_versions();
    Lsn undo_from_ = 0;  // deletes of keys from here on may concern items that were copied
    std::vector<Changes> pending_;
    std::uint64_t seen_ = 0;
};

Transfer::Transfer(std::shared_ptr<Partition> source, std::vector<Target> targets)
    : source_(std::move(source)), targets_(std::move(targets)) {
    source_->keep_removals(true);
}

Transfer::~Transfer() { source_->keep_removals(false); }

Result<std::uint64_t> Transfer::catch_up(const std::function<bool()>& may_go_on) {
    Round round(*source_, targets_);
    const State state = TRY(round.state());
    TRY(round.run(until_, state.lsn, may_go_on));
    until_ = state.lsn;
    timestamp_ = state.last_timestamp;
    copied_ += round.seen();
    return round.seen();
}

Status Transfer::seal(bool is_only_source) {
    const auto state = source_->store().snapshot();
    const ItemWriter::Seal seal{.lsn = until_,
                                .timestamp = timestamp_,
                                .unordered = is_only_source ? TRY(unordered_until(*state)) : until_,
                                .versions_from = TRY(versions_from(*state)).value_or(until_)};
    for (const Target& target : targets_) {
        TRY(write(*target.partition,
                  [&](ItemWriter& writer) -> Status { return writer.seal(seal); }));
    }
    return {};
}

}  // namespace orrery::partition
