#include "sql/exec/whole_result.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/stopwatch.h"
#include "sql/canonical.h"
#include "sql/exec/order_key.h"
#include "sql/exec/take_rows.h"
#include "sql/grouping.h"
#include "sql/plan/description.h"
#include "sql/plan/positions.h"
#include "sql/subquery.h"

namespace orrery::sql {

namespace {

// Rows by a key that orders them and, for DISTINCT, identifies them. They count for the budget,
// which stops the query when there are too many.
class KeyedRows {
public:
    using Rows = std::map<std::string, Value>;

    explicit KeyedRows(Budget& budget) : budget_(budget), kept_(budget) {}

    const Rows& rows() const { return rows_; }

    // Keeps the row under its key; keys must be unique.
    void add(std::string key, const Value& row) {
        kept_.charge(kNodeBytes + key.size());
        rows_.emplace(std::move(key), copy(row, kept_));
    }

    // Of equal rows, keeps the one that ORDER BY puts first.
    void add_distinct(const std::string& order, const std::string& identity, const Value& row) {
        const auto [place, is_new] = order_of_.try_emplace(identity, order);
        if (!is_new) {
            if (order >= place->second) return;
            rows_.erase(place->second + identity);
            place->second = order;
        }
        kept_.charge(kNodeBytes + order.size() + identity.size());
        add(order + identity, row);
    }

    Result<std::optional<Resume>> write_to(std::string_view position, Output& output) {
        auto row = begin_of(position);
        for (; row != rows_.end() && !output.is_complete(); ++row) {
            if (!output.add(row->second)) {
                TRY(budget_.status());
                return std::optional(Resume{.position = position_of(row->first),
                                            .item = 0,
                                            .rows_done = 0,
                                            .passed = output.passed(),
                                            .given = output.given()});
            }
        }
        TRY(budget_.status());
        TRY(output.status());
        return std::optional<Resume>();
    }

private:
    // A position must fit into a continuation token. For a longer key it holds a prefix, and a
    // digest to find the key among those that share the prefix.
    static constexpr std::size_t kKeyBytesMax = 400;
    // Of a map, besides the key's bytes.
    static constexpr std::size_t kNodeBytes = 96;

    static std::string position_of(const std::string& key) {
        if (key.size() <= kKeyBytesMax) return "k" + key;
        return "d" + std::string(as_bytes(sha256(key))) + key.substr(0, kKeyBytesMax);
    }

    Rows::iterator begin_of(std::string_view position) {
        if (position.empty()) return rows_.begin();
        if (position.front() == 'k') return rows_.lower_bound(std::string(position.substr(1)));
        constexpr std::size_t kDigestBytes = 32;
        const std::string_view digest = position.substr(1, kDigestBytes);
        const std::string_view prefix =
            position.substr(std::min(position.size(), 1 + kDigestBytes));
        const auto first = rows_.lower_bound(std::string(prefix));
        for (auto row = first; row != rows_.end() && row->first.starts_with(prefix); ++row) {
            if (!budget_.count_bytes(row->first.size())) break;
            if (as_bytes(sha256(row->first)) == digest) return row;
        }
        return first;
    }

    Budget& budget_;
    Arena kept_;
    Rows rows_;
    std::unordered_map<std::string, std::string> order_of_;  // by identity, for DISTINCT
};

class WholeResult {
public:
    WholeResult(const WholeResultContext& context, const Resume& from, ResultPage& page)
        : context_(context),
          evaluator_(context.evaluator),
          budget_(context.evaluator.budget()),
          page_(page),
          from_(from),
          paths_(context.prepared.paths),
          rows_(budget_) {}

    Result<std::optional<Resume>> run(Output& output) {
        TRY(collect(context_.prepared.query));
        if (paused_) return std::move(paused_);
        budget_.let_page_end(false);
        const Stopwatch watch(context_.limits.measure, page_.counters.writing);
        return rows_.write_to(goes_on() ? "" : from_.position, output);
    }

private:
    // This page goes on collecting where the one before had to stop.
    bool goes_on() const { return !from_.state.empty(); }

    // Calls `take` for every row that passes the query's sources and filters.
    template <typename Take>
    Status each_row(const BoundQuery& query, Take take) {
        RowLoop loop(query, evaluator_, RowLoop::Rows::kUsed);
        if (query.derived) return each_derived_row(query, loop, take);
        if (!query.over_items) {
            evaluator_.arena().reset();
            loop.start();
            TRY(take_rows(loop, evaluator_, take));
            return {};
        }
        const Condition condition = condition_of(query, context_.prepared.paths);
        TRY(plan(query, condition));
        const DriverContext context{query,
                                    paths_,
                                    paths_,
                                    condition,
                                    page_.access,
                                    context_.source,
                                    context_.surroundings,
                                    budget_,
                                    page_.counters,
                                    0,
                                    context_.limits.measure,
                                    0,
                                    takes_runs_};
        budget_.let_page_end(can_pause_ && page_.access.order == ItemOrder::kNumber);
        const auto driver = TRY(make_driver(context, goes_on() ? from_.position : ""));
        loop.report_progress();
        if (page_.access.answers_filters) loop.trust_items();
        return each_row(*driver, loop, take);
    }

    Status plan(const BoundQuery& query, const Condition& condition) {
        const Prepared& prepared = context_.prepared;
        {
            const Stopwatch watch(context_.limits.measure, page_.counters.planning);
            // A plan that resumes by item number never walks an index in value order.
            std::string position = keeps_order(query) ? number_position(0) : "";
            if (goes_on()) position = from_.position;
            page_.access = TRY(
                plan_access(query, prepared.paths, condition, context_.source, position, budget_));
        }
        if (!context_.limits.describe) return {};
        return describe(page_.access, query, condition, context_.source, budget_);
    }

    template <typename Take>
    Status each_row(Driver& driver, RowLoop& loop, Take take) {
        const auto find_next = [&] {
            const Stopwatch watch(context_.limits.measure, page_.counters.finding);
            return driver.next();
        };
        while (true) {
            const Driver::Step step = TRY(find_next());
            if (step == Driver::Step::kEnd) return {};
            if (step == Driver::Step::kPaused) return pause(driver, {});
            evaluator_.arena().reset();
            evaluator_.paths = driver.paths();
            evaluator_.item_number = driver.number();
            run_ = driver.run();
            const bool resumed = goes_on() && driver.number() == from_.item;
            loop.start_at(resumed ? from_.place : RowLoop::Place());
            if (auto place = TRY(take_rows(loop, evaluator_, take))) {
                return pause(driver, *std::move(place));
            }
            budget_.progressed();
        }
    }

    Status pause(const Driver& driver, RowLoop::Place place) {
        paused_ = Resume{.position = driver.position(),
                         .item = driver.number(),
                         .rows_done = 0,
                         .passed = 0,
                         .given = 0,
                         .place = std::move(place)};
        return {};
    }

    // The rows of the subquery in FROM are the items of this query.
    template <typename Take>
    Status each_derived_row(const BoundQuery& query, RowLoop& loop, Take take) {
        const Resume start;
        WholeResult inner(context_, start, page_);
        inner.outer_keeps_order_ = keeps_order(query);
        TRY(inner.collect(*query.derived));
        const std::vector<Value> none(paths_.size());
        for (const auto& [key, row] : inner.rows_.rows()) {
            evaluator_.arena().reset();
            evaluator_.paths = none;
            loop.start(&row);
            TRY(take_rows(loop, evaluator_, take));
        }
        return {};
    }

    Status collect(const BoundQuery& query) {
        if (query.grouped) return collect_groups(query);
        return each_row(query, [&]() -> Result<Taken> {
            const Value row = evaluator_.evaluate(*query.output);
            if (row.is_defined()) keep(query, row);
            return Taken::kYes;
        });
    }

    Status collect_groups(const BoundQuery& query) {
        Grouping grouping(query, evaluator_);
        std::optional<std::uint64_t> count;
        if (goes_on()) TRY(grouping.restore(from_.state));
        if (!goes_on() && counts_all_items(query)) count = TRY(context_.source.count(budget_));
        if (count) {
            grouping.add(*count);
        } else {
            can_pause_ = &query == &context_.prepared.query && grouping.can_save();
            takes_runs_ = can_take_runs(query);
            TRY(each_row(query, [&]() -> Result<Taken> {
                grouping.add(run_);
                if (can_pause_ && !grouping.can_save()) budget_.let_page_end(can_pause_ = false);
                return Taken::kYes;
            }));
        }
        if (paused_) {
            paused_->state = grouping.save();
            return {};
        }
        budget_.let_page_end(false);
        return keep_groups(query, grouping);
    }

    Status keep_groups(const BoundQuery& query, Grouping& grouping) {
        for (const auto& [key, group] : grouping.groups()) {
            evaluator_.arena().reset();
            grouping.enter(group);
            const Value row = evaluator_.evaluate(*query.output);
            if (row.is_defined() && !evaluator_.is_stopped()) {
                if (query.distinct) {
                    keep(query, row);
                } else {
                    rows_.add(sort_key(query) + key, row);
                }
            }
            TRY(evaluator_.take_status());
            grouping.leave();
        }
        return {};
    }

    // MAKELIST and MAKESET expose the order of the rows: that of the items, not of an index.
    bool keeps_order(const BoundQuery& query) const {
        return outer_keeps_order_ ||
               std::any_of(query.aggregates.begin(),
                           query.aggregates.end(),
                           [](const BoundAggregate& aggregate) {
                               return aggregate.kind == AggregateKind::kMakeList ||
                                      aggregate.kind == AggregateKind::kMakeSet;
                           });
    }

    // Every expression has the same value for items that agree in its paths.
    static bool can_take_runs(const BoundQuery& query) {
        const auto is_stable = [](const BoundPtr& part) { return is_deterministic(*part); };
        return query.sources.empty() && std::ranges::all_of(query.filters, is_stable) &&
               std::ranges::all_of(query.group_keys, is_stable) &&
               std::ranges::all_of(query.aggregates, [&](const BoundAggregate& aggregate) {
                   return is_stable(aggregate.argument);
               });
    }

    // The query asks only for the number of items.
    static bool counts_all_items(const BoundQuery& query) {
        return query.over_items && query.filters.empty() && query.sources.empty() &&
               query.group_keys.empty() &&
               std::all_of(query.aggregates.begin(),
                           query.aggregates.end(),
                           [](const BoundAggregate& aggregate) {
                               return aggregate.kind == AggregateKind::kCount &&
                                      aggregate.argument->op == Op::kConstant;
                           });
    }

    void keep(const BoundQuery& query, const Value& row) {
        std::string key = sort_key(query);
        if (!query.order_by.empty() && !query.grouped) {
            const NumberOrder order = query.order_by.front().descending
                                          ? NumberOrder::kDescendingByRange
                                          : NumberOrder::kAscending;
            append_big_endian(key, order_number(evaluator_.item_number, order));
            append_big_endian(key, sequence_++);
        }
        if (query.distinct) {
            std::string identity;
            append_canonical(identity, row, evaluator_.arena());
            // What is stopped may have lost a part of its key.
            if (!evaluator_.is_stopped()) rows_.add_distinct(key, identity, row);
            return;
        }
        // Without DISTINCT, rows with equal keys keep the order in which they were found.
        append_big_endian(key, sequence_++);
        rows_.add(std::move(key), row);
    }

    // The part of the key that ORDER BY determines.
    std::string sort_key(const BoundQuery& query) {
        std::string key;
        for (const BoundOrder& order : query.order_by) {
            const std::size_t from = key.size();
            append_canonical(key, evaluator_.evaluate(*order.expression), evaluator_.arena());
            if (order.descending) invert(key, from);
        }
        return key;
    }

    static void invert(std::string& key, std::size_t from) {
        std::transform(key.begin() + static_cast<std::ptrdiff_t>(from),
                       key.end(),
                       key.begin() + static_cast<std::ptrdiff_t>(from),
                       [](char c) { return static_cast<char>(~c); });
    }

    const WholeResultContext& context_;
    Evaluator& evaluator_;
    Budget& budget_;
    ResultPage& page_;
    const Resume& from_;
    const ItemPaths paths_;
    KeyedRows rows_;
    std::uint64_t sequence_ = 0;
    bool outer_keeps_order_ = false;  // this is the FROM subquery of a query that does
    bool can_pause_ = false;
    bool takes_runs_ = false;
    std::uint64_t run_ = 1;         // the items that the current row stands for
    std::optional<Resume> paused_;  // where to go on; set when the page ends early
};

}  // namespace

bool needs_whole_result(const BoundQuery& query) {
    return query.grouped || query.distinct || !query.over_items;
}

Result<std::optional<Resume>> run_whole_result(const WholeResultContext& context,
                                               const Resume& from,
                                               Output& output,
                                               ResultPage& page) {
    return WholeResult(context, from, page).run(output);
}

}  // namespace orrery::sql
