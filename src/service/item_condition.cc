#include "service/item_condition.h"

#include <string>

#include "base/ascii.h"
#include "model/limits.h"
#include "service/computed.h"
#include "service/errors.h"
#include "service/one_item.h"
#include "service/surroundings.h"
#include "sql/binder.h"
#include "sql/checks.h"
#include "sql/exec/page.h"
#include "sql/parser.h"

namespace orrery::service {

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
