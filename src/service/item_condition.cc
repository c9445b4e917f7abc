#include "service/item_condition.h"

#include <memory>
#include <string>

#include "base/ascii.h"
#include "model/limits.h"
#include "service/computed.h"
#include "service/errors.h"
#include "service/surroundings.h"
#include "sql/binder.h"
#include "sql/checks.h"
#include "sql/exec/page.h"
#include "sql/parser.h"

namespace orrery::service {

namespace {

// A source with one item and no index.
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

}  // namespace

Result<ItemCondition> ItemCondition::parse(std::string_view text,
                                           const catalog::Container& container,
                                           const Clock& clock) {
    constexpr std::string_view kFrom = "from";
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos || !same_word(text.substr(start, kFrom.size()), kFrom)) {
        return bad_request(
            "Invalid patch request: the condition must be a query fragment that starts with FROM.");
    }
    const auto syntax = TRY(sql::parse("SELECT * " + std::string(text)));
    TRY(sql::check_query(*syntax,
                         {.find_function = sql::find_function, .allow_unsupported = false}));
    sql::Budget budget(condition_limits());
    const sql::BindingContext context{
        .parameters = {},
        .computed = TRY(parse_computed(container.definition.computed_properties)),
        .surroundings = surroundings_at(clock, budget)};
    auto prepared = TRY(sql::bind(*syntax, context));
    sql::Surroundings surroundings = context.surroundings;
    surroundings.budget = nullptr;  // each evaluation has its own
    return ItemCondition(std::move(prepared), surroundings);
}

Result<bool> ItemCondition::holds_for(std::string_view json) const {
    OneItem source(json);
    sql::Budget budget(condition_limits());
    sql::Surroundings surroundings = surroundings_;
    surroundings.budget = &budget;
    const sql::PageLimits limits{.rows_max = 1, .bytes_max = model::limits::kPageBytesMax};
    const sql::ResultPage page = TRY(sql::run_page(prepared_, source, surroundings, {}, limits));
    return page.count > 0;
}

}  // namespace orrery::service
