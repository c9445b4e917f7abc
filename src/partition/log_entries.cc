#include "partition/log_entries.h"

#include <algorithm>
#include <utility>

#include "partition/item_record.h"

namespace orrery::partition {

namespace {

// A cursor takes over after so many items in a row whose numbers are that close together.
constexpr Docnum kGapMax = 16;
constexpr std::size_t kRunMin = 4;

// The log is left after so many entries in a row for items that were created one after the other:
// coming back to it takes as long as reading several entries.
constexpr std::size_t kCreatedMin = 16;

class WholeLog final : public LogItems {
public:
    WholeLog(const storage::Reader& state, std::string_view letters, Lsn after) {
        for (const char letter : letters) {
            std::string from = log_key({.lsn = after + 1, .ordinal = 0, .docnum = 0});
            from.front() = letter;
            cursors_.push_back(state.scan({.from = std::move(from), .until = all_of(letter).until},
                                          storage::Direction::kForward));
        }
    }

    Result<std::optional<LogItem>> next() override {
        if (last_ != nullptr) last_->next();
        std::optional<LogItem> first;
        for (const auto& cursor : cursors_) {
            if (!cursor->valid()) {
                TRY(cursor->status());
                continue;
            }
            const std::string_view key = cursor->key();
            const LogPlace place = TRY(place_of(key));
            if (first && first->place < place) continue;
            first = LogItem{.letter = key.front(), .place = place, .value = {}, .record = {}};
            last_ = cursor.get();
        }
        if (first) first->value = last_->value();
        return first;
    }

private:
    std::vector<std::unique_ptr<storage::Cursor>> cursors_;
    storage::Cursor* last_ = nullptr;  // that returned the last entry
};

class LatestVersions final : public LogItems {
public:
    LatestVersions(const storage::Reader& state, const LatestFrom& from, ItemLoader& items)
        : unordered_(from.unordered),
          items_(items),
          log_(state.scan({.from = log_key({.lsn = from.after + 1}), .until = all_of('L').until},
                          storage::Direction::kForward)) {}

    Result<std::optional<LogItem>> next() override {
        if (created_ >= kCreatedMin) {
            if (const auto item = next_created()) return item;
            created_ = 0;
            log_->seek(log_key({.lsn = last_.lsn + 1}));
        } else if (started_) {
            log_->next();
        }
        started_ = true;
        if (!log_->valid()) {
            TRY(log_->status());
            return std::optional<LogItem>();
        }
        const LogPlace place = TRY(place_of(log_->key()));
        count_created(place);
        last_ = place;
        return std::optional(
            LogItem{.letter = 'L', .place = place, .value = log_->value(), .record = {}});
    }

private:
    // Items that were created one after the other, with nothing in between that is in the log.
    std::optional<LogItem> next_created() {
        const auto item = items_.next_created(last_.lsn + 1);
        if (!item) return std::nullopt;
        last_ = {.lsn = last_.lsn + 1, .ordinal = 0, .docnum = item->docnum};
        return LogItem{.letter = 'L', .place = last_, .value = {}, .record = item->record};
    }

    void count_created(const LogPlace& place) {
        const bool follows = place.lsn == last_.lsn + 1 && place.docnum > last_.docnum &&
                             place.docnum - last_.docnum <= kGapMax && place.lsn > unordered_;
        created_ = follows ? created_ + 1 : 0;
    }

    const Lsn unordered_;
    ItemLoader& items_;
    std::unique_ptr<storage::Cursor> log_;
    LogPlace last_;
    std::size_t created_ = 0;
    bool started_ = false;
};

class Places final : public LogItems {
public:
    explicit Places(std::vector<LogPlace> places) : places_(std::move(places)) {
        std::sort(places_.begin(), places_.end());
    }

    Result<std::optional<LogItem>> next() override {
        if (at_ == places_.size()) return std::optional<LogItem>();
        return std::optional(
            LogItem{.letter = 'L', .place = places_[at_++], .value = {}, .record = {}});
    }

private:
    std::vector<LogPlace> places_;
    std::size_t at_ = 0;
};

}  // namespace

Result<std::string_view> ItemLoader::load(Docnum docnum) {
    const bool next = docnum > last_ && docnum - last_ <= kGapMax;
    run_ = next ? run_ + 1 : 0;
    last_ = docnum;
    if (run_ >= kRunMin && move_to(docnum)) return cursor_->value();
    if (TRY(state_.get(item_key(docnum), record_))) return std::string_view(record_);
    return Error(ErrorCode::kCorrupted, "an entry of the log, or a member, has no item");
}

std::optional<ItemLoader::Created> ItemLoader::next_created(Lsn lsn) {
    if (at_ != last_) return std::nullopt;
    cursor_->next();
    at_ = cursor_->valid() ? docnum_of_item_key(cursor_->key()) : std::nullopt;
    if (!at_ || !is_sole_change(cursor_->value(), lsn)) return std::nullopt;
    last_ = *at_;
    return Created{.docnum = last_, .record = cursor_->value()};
}

bool ItemLoader::move_to(Docnum docnum) {
    if (at_ && *at_ < docnum) {
        cursor_->next();
        at_ = cursor_->valid() ? docnum_of_item_key(cursor_->key()) : std::nullopt;
    }
    const std::string key = item_key(docnum);
    if (at_ && *at_ < docnum) {
        cursor_->seek(key);
    } else if (at_ != docnum) {
        cursor_ = state_.scan({.from = key, .until = all_of(key.front()).until},
                              storage::Direction::kForward);
    }
    at_ = cursor_->valid() ? docnum_of_item_key(cursor_->key()) : std::nullopt;
    return at_ == docnum;
}

std::unique_ptr<LogItems> read_log(const storage::Reader& state,
                                   std::string_view letters,
                                   Lsn after) {
    return std::make_unique<WholeLog>(state, letters, after);
}

std::unique_ptr<LogItems> read_latest(const storage::Reader& state,
                                      const LatestFrom& from,
                                      ItemLoader& items) {
    return std::make_unique<LatestVersions>(state, from, items);
}

std::unique_ptr<LogItems> read_places(std::vector<LogPlace> places) {
    return std::make_unique<Places>(std::move(places));
}

}  // namespace orrery::partition
