// A source with one item and no index: runs a query over an item that is at hand.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "sql/source.h"

namespace orrery::service {

class OneItem : public sql::ItemSource {
public:
    explicit OneItem(std::string_view json) : item_{.number = 1, .json = json} {}

    std::unique_ptr<sql::ItemCursor> items(sql::ItemNumber from) override {
        return std::make_unique<Cursor>(from <= item_.number ? &item_ : nullptr);
    }
    Result<const sql::Item*> load(sql::ItemNumber number) override {
        return number == item_.number ? &item_ : nullptr;
    }
    bool is_whole() const override { return true; }
    std::uint64_t item_count() const override { return 1; }
    Result<std::optional<std::uint64_t>> count(sql::Budget& /*budget*/) const override {
        return std::optional<std::uint64_t>(1);
    }
    std::unique_ptr<index::DocnumCursor> members() const override { return nullptr; }
    const index::PathPolicy* policy() const override { return nullptr; }
    const sql::IndexSource* index() const override { return nullptr; }

private:
    class Cursor : public sql::ItemCursor {
    public:
        explicit Cursor(const sql::Item* item) : item_(item) {}
        Result<const sql::Item*> next() override { return std::exchange(item_, nullptr); }

    private:
        const sql::Item* item_;
    };

    sql::Item item_;
};

}  // namespace orrery::service
