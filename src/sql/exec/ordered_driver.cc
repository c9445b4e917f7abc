#include "sql/exec/ordered_driver.h"

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "index/value_encoding.h"
#include "sql/exec/order_key.h"
#include "sql/exec/positions.h"
#include "sql/exec/sort_driver.h"
#include "sql/index_value.h"

namespace orrery::sql {

namespace {

std::string inverted(std::string bytes) {
    std::transform(
        bytes.begin(), bytes.end(), bytes.begin(), [](char c) { return static_cast<char>(~c); });
    return bytes;
}

// Taken apart again: the values as index entries hold them, and the number.
struct EntryKey {
    std::string value;
    ItemNumber number = 0;
};

// A key that was cut has no number; then it begins with the first item of the value.
EntryKey entry_of(const std::string& key, std::size_t value_size, bool backward, bool descends) {
    EntryKey out;
    out.value = key.substr(0, value_size);
    if (backward) out.value = inverted(out.value);
    ByteReader number(std::string_view(key).substr(std::min(key.size(), value_size)));
    out.number = number.big_endian<ItemNumber>();
    if (!number.ok()) out.number = 0;
    out.number = order_number(out.number, descends);
    return out;
}

class OrderedDriver : public Driver {
public:
    explicit OrderedDriver(const DriverContext& context) : context_(context), loader_(context) {}

    Status open(std::string_view position) {
        const IndexSource& index = *context_.source.index();
        const Access& access = context_.access;
        const std::string from = TRY(first_key(context_, position));
        if (access.composite) {
            entries_ = index.composite(*access.composite, access.bounds, access.backward);
            seek_entries(from);
            return {};
        }
        const model::IndexPath path = path_of_order();
        const IndexSource::Path listed = TRY(index.find(path));
        index::ValueBounds bounds = access.bounds;
        if (listed.state == IndexSource::PathState::kAbsent) bounds.until = bounds.from;
        entries_ = index.terms(listed.id, bounds, access.backward);
        if (access.with_undefined) {
            lacking_ = TRY(index.items_lacking(listed, access.backward));
            lacking_first_ = !access.backward;
        }
        seek(from);
        return {};
    }

    Result<bool> next() override {
        if (lacking_first_ && TRY(next_lacking())) return true;
        if (TRY(next_entry())) return true;
        return !lacking_first_ && TRY(next_lacking());
    }

    ItemNumber number() const override { return number_; }
    std::span<const Value> paths() const override { return loader_.values(); }
    std::string position() const override {
        std::string key = at_lacking_ ? undefined_key() : key_of_entry();
        append_big_endian(key, order_number(number_, context_.access.numbers_descend));
        return key_position(key, number_);
    }

private:
    model::IndexPath path_of_order() const {
        model::IndexPath path;
        for (const ast::PathStep& step : *context_.query.order_by.front().path) {
            path.push_back({.name = std::get<std::string>(step), .element = false});
        }
        return path;
    }

    void seek(const std::string& from) {
        if (from.empty()) return;
        const bool descends = context_.access.backward;
        const std::string undefined = undefined_key();
        if (from.starts_with(undefined)) {
            const EntryKey entry = entry_of(from, undefined.size(), false, descends);
            if (lacking_) lacking_->seek(entry.number);
            if (descends) entries_.reset();
            return;
        }
        if (!descends) lacking_.reset();
        seek_entries(from);
    }

    void seek_entries(const std::string& from) {
        if (from.empty()) return;
        const std::size_t size = values_size(from);
        const EntryKey entry =
            entry_of(from, size, context_.access.backward, context_.access.numbers_descend);
        entries_->seek(entry.value, entry.number);
    }

    // Where the values end and the number begins.
    std::size_t values_size(std::string_view key) const {
        std::size_t size = 0;
        for (const BoundOrder& order : context_.query.order_by) {
            const std::size_t one = index::encoded_length(
                key.substr(size),
                order.descending ? index::Order::kDescending : index::Order::kAscending);
            if (one == 0) return key.size();
            size += one;
        }
        return size;
    }

    std::string undefined_key() const {
        std::string encoded;
        index::encode_undefined(encoded);
        return context_.access.backward ? inverted(encoded) : encoded;
    }

    std::string key_of_entry() const {
        std::string value(entries_->value());
        return context_.access.backward ? inverted(std::move(value)) : value;
    }

    Result<bool> next_entry() {
        at_lacking_ = false;
        while (entries_) {
            if (entries_started_) entries_->next();
            entries_started_ = true;
            if (!entries_->valid()) break;
            ++context_.counters.index_entries_read;
            number_ = entries_->docnum();
            if (TRY(loader_.load(number_))) return true;
        }
        if (entries_) TRY(entries_->status());
        entries_.reset();
        return false;
    }

    Result<bool> next_lacking() {
        at_lacking_ = true;
        while (lacking_) {
            if (lacking_started_) lacking_->next();
            lacking_started_ = true;
            if (!lacking_->valid()) break;
            ++context_.counters.index_entries_read;
            number_ = lacking_->docnum();
            if (!TRY(loader_.load(number_))) continue;
            if (!lacking_->to_be_checked() || TRY(really_lacks())) return true;
        }
        if (lacking_) TRY(lacking_->status());
        lacking_.reset();
        return false;
    }

    Result<bool> really_lacks() {
        Evaluator evaluator(0, context_.surroundings);
        evaluator.paths = loader_.values();
        const Value value = evaluator.evaluate(*context_.query.order_by.front().expression);
        if (auto error = evaluator.take_error()) return *std::move(error);
        return value.is_undefined();
    }

    const DriverContext& context_;
    ItemLoader loader_;
    std::unique_ptr<index::TermCursor> entries_;
    std::unique_ptr<index::DocnumCursor> lacking_;
    bool lacking_first_ = false;
    bool at_lacking_ = false;
    bool entries_started_ = false;
    bool lacking_started_ = false;
    ItemNumber number_ = 0;
};

}  // namespace

Result<std::unique_ptr<Driver>> make_ordered_driver(const DriverContext& context,
                                                    std::string_view position) {
    auto driver = std::make_unique<OrderedDriver>(context);
    TRY(driver->open(position));
    return std::unique_ptr<Driver>(std::move(driver));
}

}  // namespace orrery::sql
