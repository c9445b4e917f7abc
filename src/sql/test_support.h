// In-memory items as the source of a query, and queries run to completion. Tests only.

#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "sql/binder.h"
#include "sql/budget.h"
#include "sql/checks.h"
#include "sql/exec/page.h"
#include "sql/parser.h"
#include "sql/source.h"

namespace orrery::sql::testing_support {

// Numbered from 1; there is no index.
class ListedItems : public ItemSource {
public:
    explicit ListedItems(std::vector<std::string> items) : items_(std::move(items)) {}

    std::unique_ptr<ItemCursor> items(ItemNumber from) override {
        return std::make_unique<Cursor>(*this, from == 0 ? 1 : from);
    }
    Result<const Item*> load(ItemNumber number) override {
        if (number == 0 || number > items_.size()) return static_cast<const Item*>(nullptr);
        item_ = {.number = number, .json = items_[number - 1]};
        return static_cast<const Item*>(&item_);
    }
    bool is_whole() const override { return true; }
    std::uint64_t item_count() const override { return items_.size(); }
    Result<std::optional<std::uint64_t>> count(Budget& /*budget*/) const override {
        return std::optional<std::uint64_t>(items_.size());
    }
    std::unique_ptr<index::DocnumCursor> members() const override { return nullptr; }
    const index::PathPolicy* policy() const override { return nullptr; }
    const IndexSource* index() const override { return nullptr; }

private:
    class Cursor : public ItemCursor {
    public:
        Cursor(ListedItems& items, ItemNumber next) : items_(items), next_(next) {}
        Result<const Item*> next() override { return items_.load(next_++); }

    private:
        ListedItems& items_;
        ItemNumber next_;
    };

    std::vector<std::string> items_;
    Item item_;
};

struct RunOptions {
    std::size_t page_size = 1000;
    std::vector<ParameterValue> parameters;
    UdfCaller* udfs = nullptr;
    Budget::Limits limits = {};    // of each page
    std::size_t* pages = nullptr;  // counts them
    Resume from = {};
};

// Time that passes only by looking at the clock, a nanosecond each time.
class Looks {
public:
    // Everything that is counted looks at this clock. A page ends after `page` looks, if it can,
    // and the query after `query` looks.
    Budget::Limits limits(std::int64_t page, std::int64_t query = 1'000'000'000) {
        return {.page_time = std::chrono::nanoseconds(page),
                .query_time = std::chrono::nanoseconds(query),
                .now = [this] { return Budget::TimePoint(std::chrono::nanoseconds(++count)); },
                .units_per_look = 0};
    }

    std::int64_t count = 0;
};

// All rows, as one JSON array; for an error "code: message".
inline std::string run(std::string_view text, ItemSource& source, const RunOptions& options = {}) {
    static const ManualClock kClock{std::chrono::milliseconds(1'700'000'000'000)};
    const auto failed = [](const Error& error) {
        const std::string sub =
            error.sub_status() == 0 ? "" : "/" + std::to_string(error.sub_status());
        return "error" + sub + ": " + error.message();
    };
    const auto syntax = parse(text);
    if (!syntax) return failed(syntax.error());
    const Status checked =
        check_query(**syntax, {.find_function = find_function, .allow_unsupported = false});
    if (!checked) return failed(checked.error());
    const BindingContext context{.parameters = options.parameters,
                                 .computed = {},
                                 .surroundings = {.start_ticks = 17'000'000'000'000'000,
                                                  .clock = &kClock,
                                                  .random_seed = 1,
                                                  .udfs = options.udfs,
                                                  .budget = nullptr}};
    const auto prepared = bind(**syntax, context);
    if (!prepared) return failed(prepared.error());
    std::string rows;
    Resume from = options.from;
    while (true) {
        const PageLimits limits{.rows_max = options.page_size, .bytes_max = 4 << 20};
        Budget budget(options.limits);
        Surroundings surroundings = context.surroundings;
        surroundings.budget = &budget;
        const auto page = run_page(*prepared, source, surroundings, {.resume = from}, limits);
        if (!page) return failed(page.error());
        if (options.pages != nullptr) ++*options.pages;
        if (page->count > 0 && !rows.empty()) rows += ',';
        rows += page->rows;
        if (!page->resume) return "[" + rows + "]";
        // As in a continuation token.
        const auto resumed = Resume::decode(page->resume->encode());
        if (!resumed) return failed(resumed.error());
        from = *resumed;
    }
}

// Without items: SELECT VALUE of the expression; "undefined" when there is no row.
inline std::string evaluate(std::string_view expression) {
    ListedItems none({});
    const std::string rows = run("SELECT VALUE " + std::string(expression), none);
    if (rows == "[]") return "undefined";
    return rows.starts_with("[") ? rows.substr(1, rows.size() - 2) : rows;
}

}  // namespace orrery::sql::testing_support
