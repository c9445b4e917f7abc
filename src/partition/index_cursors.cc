#include "partition/index_cursors.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "index/value_encoding.h"
#include "partition/index_keys.h"
#include "partition/keys.h"

namespace orrery::partition {

namespace {

using storage::Direction;

Error damaged_entry() { return Error(ErrorCode::kCorrupted, "an index entry is damaged"); }

std::string entry_key(std::string_view prefix, std::string_view value, Docnum docnum) {
    std::string key(prefix);
    key.append(value);
    append_index_docnum(key, docnum);
    return key;
}

class StoredTerms final : public TermCursor {
public:
    StoredTerms(const storage::Reader& store,
                std::string prefix,
                std::vector<index::Order> orders,
                const index::ValueBounds& bounds,
                Direction direction)
        : prefix_(std::move(prefix)), orders_(std::move(orders)) {
        cursor_ =
            store.scan({.from = prefix_ + bounds.from, .until = prefix_ + bounds.until}, direction);
        read();
    }

    bool valid() const override { return sound_ && cursor_->valid(); }
    std::string_view value() const override { return value_; }
    Docnum docnum() const override { return docnum_; }
    void next() override {
        cursor_->next();
        read();
    }
    void seek(std::string_view value, Docnum docnum) override {
        cursor_->seek(entry_key(prefix_, value, docnum));
        read();
    }
    Status status() const override { return sound_ ? cursor_->status() : Status(damaged_entry()); }

private:
    void read() {
        if (!sound_ || !cursor_->valid()) return;
        const std::string_view rest = cursor_->key().substr(prefix_.size());
        // Encoded values are not prefixes of others, so this one need not be measured again.
        if (value_.empty() || !rest.starts_with(value_)) value_ = rest.substr(0, value_size(rest));
        const std::optional<Docnum> docnum = index_docnum(rest.substr(value_.size()));
        sound_ = !value_.empty() && docnum;
        docnum_ = docnum.value_or(0);
    }

    // 0 if it is damaged.
    std::size_t value_size(std::string_view rest) const {
        std::size_t size = 0;
        for (const index::Order order : orders_) {
            const std::size_t length = index::encoded_length(rest.substr(size), order);
            if (length == 0) return 0;
            size += length;
        }
        return size;
    }

    const std::string prefix_;
    const std::vector<index::Order> orders_;
    std::unique_ptr<storage::Cursor> cursor_;
    std::string value_;
    Docnum docnum_ = 0;
    bool sound_ = true;
};

// The items of one posting list.
class StoredPosting {
public:
    StoredPosting(const storage::Reader& store, const Posting& posting, Direction direction)
        : posting_(posting), cursor_(store.scan(keys_with(posting.prefix), direction)) {
        read();
    }

    bool valid() const { return sound_ && cursor_->valid(); }
    Docnum docnum() const { return docnum_; }
    bool to_be_checked() const { return posting_.to_be_checked; }
    void next() {
        cursor_->next();
        read();
    }
    void seek(Docnum docnum) {
        cursor_->seek(entry_key(posting_.prefix, {}, docnum));
        read();
    }
    Status status() const { return sound_ ? cursor_->status() : Status(damaged_entry()); }

private:
    void read() {
        if (!sound_ || !cursor_->valid()) return;
        const auto docnum = index_docnum(cursor_->key().substr(posting_.prefix.size()));
        sound_ = docnum.has_value();
        docnum_ = docnum.value_or(0);
    }

    Posting posting_;
    std::unique_ptr<storage::Cursor> cursor_;
    Docnum docnum_ = 0;
    bool sound_ = true;
};

class MergedPostings final : public DocnumCursor {
    // Orders the heap so that the next docnum in walk direction is at the front.
    struct Later {
        bool forward;
        bool operator()(const std::unique_ptr<StoredPosting>& a,
                        const std::unique_ptr<StoredPosting>& b) const {
            return forward ? a->docnum() > b->docnum() : a->docnum() < b->docnum();
        }
    };

public:
    MergedPostings(const storage::Reader& store,
                   const std::vector<Posting>& postings,
                   Direction direction)
        : later_{direction == Direction::kForward} {
        for (const Posting& posting : postings) {
            add(std::make_unique<StoredPosting>(store, posting, direction));
        }
        make_heap();
    }

    bool valid() const override { return status_ && !heap_.empty(); }
    Docnum docnum() const override { return heap_.front()->docnum(); }
    bool to_be_checked() const override { return heap_.front()->to_be_checked(); }
    void next() override {
        std::pop_heap(heap_.begin(), heap_.end(), later_);
        auto first = std::move(heap_.back());
        heap_.pop_back();
        first->next();
        if (add(std::move(first))) std::push_heap(heap_.begin(), heap_.end(), later_);
    }
    void seek(Docnum docnum) override {
        auto all = std::move(heap_);
        heap_.clear();
        for (auto& posting : all) {
            posting->seek(docnum);
            add(std::move(posting));
        }
        make_heap();
    }
    Status status() const override {
        if (status_) return {};
        return Error(status_.error().code(), status_.error().message());
    }

private:
    // Returns false if the list is at its end.
    bool add(std::unique_ptr<StoredPosting> posting) {
        if (posting->valid()) {
            heap_.push_back(std::move(posting));
            return true;
        }
        if (Status status = posting->status(); !status) status_ = std::move(status);
        return false;
    }
    void make_heap() { std::make_heap(heap_.begin(), heap_.end(), later_); }

    const Later later_;
    std::vector<std::unique_ptr<StoredPosting>> heap_;  // the next docnum in front
    Status status_;
};

}  // namespace

std::unique_ptr<TermCursor> walk_terms(const storage::Reader& store,
                                       std::string prefix,
                                       std::vector<index::Order> orders,
                                       const index::ValueBounds& bounds,
                                       Direction direction) {
    return std::make_unique<StoredTerms>(
        store, std::move(prefix), std::move(orders), bounds, direction);
}

std::unique_ptr<DocnumCursor> walk_postings(const storage::Reader& store,
                                            const std::vector<Posting>& postings,
                                            Direction direction) {
    return std::make_unique<MergedPostings>(store, postings, direction);
}

}  // namespace orrery::partition
