#include "sql/exec/whole_result.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/stopwatch.h"
#include "model/limits.h"
#include "sql/canonical.h"
#include "sql/errors.h"
#include "sql/exec/order_key.h"
#include "sql/grouping.h"
#include "sql/plan/description.h"
#include "sql/plan/positions.h"
#include "sql/subquery.h"

namespace orrery::sql {

namespace {

constexpr std::uint64_t kItemsPerLookAtClock = 1024;

// Rows by a key that orders them and, for DISTINCT, identifies them.
class KeyedRows {
public:
    using Rows = std::map<std::string, Value>;

    const Rows& rows() const { return rows_; }

    // Keeps the row under its key; keys must be unique.
    Status add(std::string key, const Value& row) {
        bytes_ += key.size();
        rows_.emplace(std::move(key), copy(row, kept_));
        if (kept_.used() + bytes_ > model::limits::kQueryMemoryBytesMax) {
            return plain_query_error("The result of the query exceeds the memory limit of " +
                                     std::to_string(model::limits::kQueryMemoryBytesMax) +
                                     " bytes.");
        }
        return {};
    }

    // Of equal rows, keeps the one that ORDER BY puts first.
    Status add_distinct(const std::string& order, const std::string& identity, const Value& row) {
        const auto [place, is_new] = order_of_.try_emplace(identity, order);
        if (!is_new) {
            if (order >= place->second) return {};
            rows_.erase(place->second + identity);
            place->second = order;
        }
        bytes_ += order.size() + identity.size();
        return add(order + identity, row);
    }

    Result<std::optional<Resume>> write_to(const Resume& from, Output& output) {
        auto row = begin_of(from.position);
        for (; row != rows_.end() && !output.is_complete(); ++row) {
            if (!output.add(row->second)) {
                return std::optional(Resume{.position = position_of(row->first),
                                            .item = 0,
                                            .rows_done = 0,
                                            .passed = output.passed(),
                                            .given = output.given()});
            }
        }
        TRY(output.status());
        return std::optional<Resume>();
    }

private:
    // A position must fit into a continuation token. For a longer key it holds a prefix, and a
    // digest to find the key among those that share the prefix.
    static constexpr std::size_t kKeyBytesMax = 400;

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
            if (as_bytes(sha256(row->first)) == digest) return row;
        }
        return first;
    }

    Arena kept_;
    Rows rows_;
    std::unordered_map<std::string, std::string> order_of_;  // by identity, for DISTINCT
    std::size_t bytes_ = 0;
};

class WholeResult {
public:
    WholeResult(const Prepared& prepared,
                Evaluator& evaluator,
                ItemSource& source,
                const Surroundings& surroundings,
                const PageLimits& limits,
                ResultPage& page)
        : prepared_(prepared),
          evaluator_(evaluator),
          source_(source),
          surroundings_(surroundings),
          limits_(limits),
          page_(page),
          paths_(prepared.paths) {}

    Result<std::optional<Resume>> run(const Resume& from, Output& output) {
        TRY(collect(prepared_.query));
        const Stopwatch watch(limits_.measure, page_.counters.writing);
        return rows_.write_to(from, output);
    }

private:
    // Calls `take` for every row that passes the query's sources and filters.
    template <typename Take>
    Status each_row(const BoundQuery& query, Take take) {
        RowLoop loop(query, evaluator_);
        if (query.derived) return each_derived_row(query, loop, take);
        if (!query.over_items) return rows_of_one(loop, take);
        const Condition condition = condition_of(query, prepared_.paths);
        {
            const Stopwatch watch(limits_.measure, page_.counters.planning);
            // A plan that resumes by item number never walks an index in value order.
            const std::string position = keeps_order(query) ? number_position(0) : "";
            page_.access = TRY(plan_access(query, prepared_.paths, condition, source_, position));
        }
        if (limits_.describe) TRY(describe(page_.access, query, condition, source_));
        const DriverContext context{query,
                                    paths_,
                                    condition,
                                    page_.access,
                                    source_,
                                    surroundings_,
                                    page_.counters,
                                    0,
                                    limits_.measure};
        const auto driver = TRY(make_driver(context, {}));
        const auto find_next = [&] {
            const Stopwatch watch(limits_.measure, page_.counters.finding);
            return driver->next();
        };
        for (std::uint64_t items = 1; TRY(find_next()); ++items) {
            if (items % kItemsPerLookAtClock == 0 && limits_.gives_up()) {
                return Error(ErrorCode::kTimeout,
                             "The query exceeds the time limit of one request; narrow its "
                             "filter or aggregate fewer items.");
            }
            evaluator_.paths = driver->paths();
            evaluator_.item_number = driver->number();
            TRY(rows_of_one(loop, take));
        }
        return {};
    }

    template <typename Take>
    Status rows_of_one(RowLoop& loop, Take take, const Value* derived = nullptr) {
        evaluator_.begin_item();
        evaluator_.arena().reset();
        loop.start(derived);
        while (loop.next()) {
            TRY(take());
        }
        if (auto error = evaluator_.take_error()) return *std::move(error);
        return {};
    }

    // The rows of the subquery in FROM are the items of this query.
    template <typename Take>
    Status each_derived_row(const BoundQuery& query, RowLoop& loop, Take take) {
        WholeResult inner(prepared_, evaluator_, source_, surroundings_, limits_, page_);
        inner.outer_keeps_order_ = keeps_order(query);
        TRY(inner.collect(*query.derived));
        const std::vector<Value> none(paths_.size());
        for (const auto& [key, row] : inner.rows_.rows()) {
            evaluator_.paths = none;
            TRY(rows_of_one(loop, take, &row));
        }
        return {};
    }

    Status collect(const BoundQuery& query) {
        if (query.grouped) return collect_groups(query);
        return each_row(query, [&]() -> Status {
            const Value row = evaluator_.evaluate(*query.output);
            if (row.is_undefined()) return {};
            return keep(query, row);
        });
    }

    Status collect_groups(const BoundQuery& query) {
        Grouping grouping(query, evaluator_);
        std::optional<std::uint64_t> count;
        if (counts_all_items(query)) count = TRY(source_.count());
        if (count) {
            grouping.add_rows(*count);
        } else {
            TRY(each_row(query, [&]() -> Status {
                grouping.add();
                return {};
            }));
        }
        for (const auto& [key, group] : grouping.groups()) {
            evaluator_.arena().reset();
            grouping.enter(group);
            const Value row = evaluator_.evaluate(*query.output);
            if (auto error = evaluator_.take_error()) return *std::move(error);
            if (row.is_defined()) {
                TRY(query.distinct ? keep(query, row) : keep_group(query, key, row));
                if (auto error = evaluator_.take_error()) return *std::move(error);
            }
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

    Status keep(const BoundQuery& query, const Value& row) {
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
            return rows_.add_distinct(key, identity, row);
        }
        // Without DISTINCT, rows with equal keys keep the order in which they were found.
        append_big_endian(key, sequence_++);
        return rows_.add(std::move(key), row);
    }

    Status keep_group(const BoundQuery& query, const std::string& group, const Value& row) {
        return rows_.add(sort_key(query) + group, row);
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

    const Prepared& prepared_;
    Evaluator& evaluator_;
    ItemSource& source_;
    const Surroundings& surroundings_;
    const PageLimits& limits_;
    ResultPage& page_;
    const ItemPaths paths_;
    KeyedRows rows_;
    std::uint64_t sequence_ = 0;
    bool outer_keeps_order_ = false;  // this is the FROM subquery of a query that does
};

}  // namespace

bool needs_whole_result(const BoundQuery& query) {
    return query.grouped || query.distinct || !query.over_items;
}

Result<std::optional<Resume>> run_whole_result(const Prepared& prepared,
                                               ItemSource& source,
                                               const Surroundings& surroundings,
                                               const Resume& from,
                                               const PageLimits& limits,
                                               Output& output,
                                               ResultPage& page) {
    Evaluator evaluator(prepared.variables, surroundings);
    return WholeResult(prepared, evaluator, source, surroundings, limits, page).run(from, output);
}

}  // namespace orrery::sql
