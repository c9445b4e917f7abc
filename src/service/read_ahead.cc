#include "service/read_ahead.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace orrery::service {

namespace {

// Items are handed over in chunks, so that threads rarely wait for each other.
constexpr std::size_t kChunkBytes = std::size_t{128} << 10;
constexpr std::size_t kChunksAhead = 4;
constexpr std::size_t kPartsAhead = 8;
constexpr std::size_t kChunkItems = 4096;  // most of them hidden, if it is so many
constexpr std::chrono::milliseconds kWait{5};

struct Chunk {
    struct Place {
        sql::ItemNumber number;
        std::size_t end;  // of its text in `bytes`
        json::NumberForm numbers;
    };
    std::string bytes;
    std::vector<Place> items;
};

// One partition. A reader fills the queue and leaves; taking a chunk schedules the next reader.
class Part {
public:
    Part(ThreadPool& readers, OpenItems open) : readers_(readers), open_(std::move(open)) {}
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() {
        std::unique_lock lock(mutex_);
        ended_ = true;
        changed_.wait(lock, [&] { return !reading_; });
    }

    void start() {
        const std::lock_guard lock(mutex_);
        call_reader();
    }

    // The next chunk; nullopt at the end, an empty one if it does not come soon.
    Result<std::optional<Chunk>> take() {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, kWait, [&] { return !chunks_.empty() || ended_; })) {
            return std::optional<Chunk>(std::in_place);
        }
        if (chunks_.empty()) {
            if (!outcome_) return std::move(outcome_).take_error();
            return std::optional<Chunk>();
        }
        Chunk chunk = std::move(chunks_.front());
        chunks_.pop_front();
        call_reader();
        return std::optional(std::move(chunk));
    }

private:
    void call_reader() {
        if (reading_ || ended_ || chunks_.size() >= kChunksAhead) return;
        reading_ = true;
        readers_.post([this] { read(); });
    }

    // Only one reader runs this at a time, so the cursor needs no lock.
    void read() {
        if (!cursor_) cursor_ = open_();
        while (true) {
            Chunk chunk;
            auto more = wanted() ? fill(chunk) : Result<bool>(false);
            const std::lock_guard lock(mutex_);
            if (!chunk.items.empty()) chunks_.push_back(std::move(chunk));
            ended_ = ended_ || !more || !*more;
            if (!more) outcome_ = std::move(more).take_error();
            reading_ = !ended_ && chunks_.size() < kChunksAhead;
            // Notify under the lock: without it this object may already be destroyed.
            changed_.notify_all();
            if (!reading_) return;
        }
    }

    bool wanted() {
        const std::lock_guard lock(mutex_);
        return !ended_;
    }

    // Returns false at the end.
    Result<bool> fill(Chunk& chunk) {
        chunk.bytes.reserve(kChunkBytes);
        while (chunk.bytes.size() < kChunkBytes && chunk.items.size() < kChunkItems) {
            const sql::Item* item = TRY(cursor_->next());
            if (item == nullptr) return false;
            chunk.bytes.append(item->json);
            chunk.items.push_back(
                {.number = item->number, .end = chunk.bytes.size(), .numbers = item->numbers});
        }
        return true;
    }

    ThreadPool& readers_;
    const OpenItems open_;
    std::unique_ptr<sql::ItemCursor> cursor_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Chunk> chunks_;
    bool reading_ = false;  // a reader is running or scheduled
    bool ended_ = false;    // no more reads: at the end, failed or cancelled
    Status outcome_;
};

class ReadAhead : public sql::ItemCursor {
public:
    ReadAhead(ThreadPool& readers, std::vector<OpenItems> parts, sql::ItemNumber from)
        : item_{.number = from, .json = {}} {
        for (OpenItems& open : parts) {
            parts_.push_back(std::make_unique<Part>(readers, std::move(open)));
        }
        start_parts();
    }

    Result<const sql::Item*> next() override {
        while (at_item_ == chunk_.items.size()) {
            if (at_part_ == parts_.size()) return static_cast<const sql::Item*>(nullptr);
            auto chunk = TRY(parts_[at_part_]->take());
            if (!chunk) {
                parts_[at_part_++].reset();
                start_parts();
                continue;
            }
            chunk_ = *std::move(chunk);
            at_item_ = 0;
            if (chunk_.items.empty()) return nothing_yet();
        }
        const std::size_t begin = at_item_ == 0 ? 0 : chunk_.items[at_item_ - 1].end;
        const Chunk::Place& place = chunk_.items[at_item_++];
        item_ = {.number = place.number,
                 .json = std::string_view(chunk_.bytes).substr(begin, place.end - begin),
                 .numbers = place.numbers};
        return static_cast<const sql::Item*>(&item_);
    }

private:
    const sql::Item* nothing_yet() {
        if (!item_.is_hidden()) item_ = {.number = item_.number + 1, .json = {}};
        return &item_;
    }

    void start_parts() {
        for (; started_ < parts_.size() && started_ < at_part_ + kPartsAhead; ++started_) {
            parts_[started_]->start();
        }
    }

    std::vector<std::unique_ptr<Part>> parts_;
    std::size_t started_ = 0;
    std::size_t at_part_ = 0;
    Chunk chunk_;
    std::size_t at_item_ = 0;
    sql::Item item_;
};

}  // namespace

std::size_t read_ahead_bytes_max(std::size_t parts) {
    // One more is being filled.
    constexpr std::size_t kPerChunk = kChunkBytes + kChunkItems * sizeof(Chunk::Place);
    return std::min(parts, kPartsAhead) * (kChunksAhead + 1) * kPerChunk;
}

std::unique_ptr<sql::ItemCursor> read_ahead(ThreadPool& readers,
                                            std::vector<OpenItems> parts,
                                            sql::ItemNumber from) {
    return std::make_unique<ReadAhead>(readers, std::move(parts), from);
}

}  // namespace orrery::service
