#include "service/overlay_source.h"

#include <algorithm>

namespace orrery::service {

namespace {

using Written = partition::Transaction::Written;

// The next written item that was not deleted.
Written::const_iterator next_existing(Written::const_iterator at, Written::const_iterator end) {
    return std::find_if(at, end, [](const auto& one) { return one.second.has_value(); });
}

class OverlayItems : public sql::ItemCursor {
public:
    OverlayItems(std::unique_ptr<sql::ItemCursor> base,
                 const Written& written,
                 sql::ItemNumber from)
        : base_(std::move(base)),
          written_(written),
          at_(next_existing(written.lower_bound(from), written.end())) {}

    Result<const sql::Item*> next() override {
        if (!found_) TRY(find_in_base());
        const bool has_written = at_ != written_.end();
        if (has_written && (found_ == nullptr || at_->first < found_->number)) {
            item_ = {.number = at_->first,
                     .json = at_->second->json(),
                     .numbers = at_->second->header().numbers};
            at_ = next_existing(std::next(at_), written_.end());
            return static_cast<const sql::Item*>(&item_);
        }
        return std::exchange(found_, nullptr);
    }

private:
    // The next item that the transaction has not written.
    Status find_in_base() {
        while (!base_ended_) {
            found_ = TRY(base_->next());
            base_ended_ = found_ == nullptr;
            if (!base_ended_ && !written_.contains(found_->number)) break;
            found_ = nullptr;
        }
        return {};
    }

    std::unique_ptr<sql::ItemCursor> base_;
    const Written& written_;
    Written::const_iterator at_;
    const sql::Item* found_ = nullptr;
    bool base_ended_ = false;
    sql::Item item_;
};

// Numbers of the snapshot plus those of written items. Loading a deleted one returns no item.
class OverlayMembers : public index::DocnumCursor {
public:
    OverlayMembers(std::unique_ptr<index::DocnumCursor> base, const Written& written)
        : base_(std::move(base)), written_(written), at_(written.begin()) {}

    bool valid() const override { return base_->valid() || at_ != written_.end(); }
    index::Docnum docnum() const override {
        if (!base_->valid()) return at_->first;
        if (at_ == written_.end()) return base_->docnum();
        return std::min(base_->docnum(), at_->first);
    }
    bool to_be_checked() const override { return false; }
    void next() override {
        const index::Docnum last = docnum();
        if (base_->valid() && base_->docnum() == last) base_->next();
        if (at_ != written_.end() && at_->first == last) ++at_;
    }
    void seek(index::Docnum docnum) override {
        base_->seek(docnum);
        while (at_ != written_.end() && at_->first < docnum) {
            ++at_;
        }
    }
    Status status() const override { return base_->status(); }

private:
    std::unique_ptr<index::DocnumCursor> base_;
    const Written& written_;
    Written::const_iterator at_;
};

}  // namespace

std::unique_ptr<sql::ItemCursor> OverlaySource::items(sql::ItemNumber from) {
    if (written_.empty()) return base_.items(from);
    return std::make_unique<OverlayItems>(base_.items(from), written_, from);
}

Result<const sql::Item*> OverlaySource::load(sql::ItemNumber number) {
    const auto found = written_.find(number);
    if (found == written_.end()) return base_.load(number);
    if (!found->second) return static_cast<const sql::Item*>(nullptr);
    item_ = {.number = number,
             .json = found->second->json(),
             .numbers = found->second->header().numbers};
    return static_cast<const sql::Item*>(&item_);
}

std::unique_ptr<index::DocnumCursor> OverlaySource::members() const {
    auto members = base_.members();
    if (members == nullptr || written_.empty()) return members;
    return std::make_unique<OverlayMembers>(std::move(members), written_);
}

}  // namespace orrery::service
