#include "service/queries.h"

#include <algorithm>

#include "base/ascii.h"
#include "model/limits.h"
#include "service/computed.h"
#include "service/errors.h"
#include "service/item_selection.h"
#include "service/merged_source.h"
#include "service/partition_source.h"
#include "service/read_ahead.h"
#include "service/surroundings.h"
#include "sql/binder.h"
#include "sql/gateway_rules.h"
#include "sql/parser.h"
#include "sql/query_plan.h"
#include "sql/walk.h"

namespace orrery::service {

namespace {

using SteadyClock = std::chrono::steady_clock;

Result<ParsedQuery> parse(const catalog::Container& container,
                          const QueryText& text,
                          sql::Surroundings surroundings,
                          sql::UdfCaller* udfs) {
    surroundings.udfs = udfs;
    return parse_query(
        text, TRY(parse_computed(container.definition.computed_properties)), surroundings);
}

// UDFs are interrupted when the time of their session is up; the page should end before.
sql::Budget::Limits limits_of(const Request& request, bool calls_udfs, MemoryPool& memory) {
    if (!calls_udfs) return page_limits(memory, request.pacer);
    constexpr std::chrono::milliseconds kUdfTime{model::limits::kScriptMillisecondsMax};
    return page_limits_within(kUdfTime, memory);
}

// The ranges that the filter on the partition key leaves to query.
struct Routing {
    sql::PartitionKeyFilter filter;
    std::vector<std::size_t> ranges;
};

bool touches(const catalog::PartitionRange& range, const sql::QueryRange& wanted) {
    const bool ends_before = wanted.max_inclusive ? wanted.max < range.epks.min_inclusive
                                                  : wanted.max <= range.epks.min_inclusive;
    return !ends_before && wanted.min_inclusive < range.epks.max_exclusive;
}

Routing route(const ParsedQuery& query,
              const catalog::Container& container,
              const ItemSelection& selection) {
    const model::PartitionKeyDefinition& key = container.definition.partition_key;
    sql::ConstantFolder folder(query.context);
    Routing out;
    out.filter = sql::partition_key_filter(
        *query.syntax, key, [&](const sql::ast::Expression& e) { return folder.fold(e); });
    const auto wanted = sql::query_ranges(out.filter, key);
    for (std::size_t i = selection.first_range; i <= selection.last_range; ++i) {
        const bool touched = std::any_of(wanted.begin(), wanted.end(), [&](const auto& one) {
            return touches(container.ranges[i], one);
        });
        if (touched) out.ranges.push_back(i);
    }
    // Query one range anyway, so that an empty result still carries a session token.
    if (out.ranges.empty()) out.ranges.push_back(selection.first_range);
    return out;
}

Result<std::string> plan_text(const ParsedQuery& query,
                              const catalog::Container& container,
                              const sql::QueryFeatures& features) {
    sql::ConstantFolder folder(query.context);
    const sql::Fold fold = [&](const sql::ast::Expression& e) { return folder.fold(e); };
    return sql::to_json(
        TRY(sql::make_query_plan(*query.syntax,
                                 {.partition_key = container.definition.partition_key,
                                  .fold = fold,
                                  .features = features})));
}

// Queries without a partition key or range follow the service's gateway: serve the query, or tell
// the client to fetch a plan.
Status check_gateway(const ParsedQuery& query,
                     const QueryOptions& options,
                     const catalog::Container& container,
                     const Routing& routing) {
    constexpr std::uint32_t kNotServable = 1004;
    const auto decided =
        TRY(sql::decide_gateway_answer(*query.syntax,
                                       routing.filter,
                                       container.definition.partition_key,
                                       {.cross_partition_enabled = options.cross_partition,
                                        .parallelize = options.parallelize,
                                        .continuation_expected = options.continuation_expected}));
    if (decided == sql::GatewayAnswer::kServe) return {};
    std::string plan = TRY(plan_text(query, container, sql::QueryFeatures::all()));
    if (decided == sql::GatewayAnswer::kCrossPartitionDisabled) {
        return bad_request(
                   "Cross partition query is required but disabled. Please set "
                   "x-ms-documentdb-query-enablecrosspartition to true, specify "
                   "x-ms-documentdb-partitionkey, or revise your query to avoid this "
                   "exception.")
            .with_info(std::move(plan));
    }
    return Error(ErrorCode::kBadRequest,
                 "The provided cross partition query can not be directly served by the gateway. "
                 "This is a first chance (internal) exception that all newer clients will know how "
                 "to handle gracefully. This exception is traced, but unless you see it bubble up "
                 "as an exception (which only happens on older SDK clients), then you can safely "
                 "ignore this message.",
                 kNotServable)
        .with_info(std::move(plan));
}

// Reads the ranges of one query into a page, and sets its continuation.
class RangeReader {
public:
    RangeReader(Partitions& partitions,
                const QueryTokens& tokens,
                const Request& request,
                const catalog::Container& container,
                const ItemSelection& selection)
        : partitions_(partitions),
          tokens_(tokens),
          request_(request),
          container_(container),
          selection_(selection) {}

    // Reads a single range.
    Status read(std::size_t range, QueryPage& page) const {
        const std::string scope = scope_of(selection_);
        const Start start = TRY(start_of({range}, scope));
        if (const auto resume = TRY(read_range(range, start.resume, page))) {
            page.answer().page.continuation = sign(range, *resume, scope);
        }
        return {};
    }

    // Reads range by range, as the service's gateway does: a page holds the rows of one range, so
    // its session token and its metrics belong to that range.
    Status read_routed(const std::vector<std::size_t>& ranges, QueryPage& page) const {
        const Start start = TRY(start_routed(ranges));
        const std::size_t range = ranges[start.at];
        if (const auto resume = TRY(read_range(range, start.resume, page))) {
            continue_routed_at(range, *resume, page);
        } else if (start.at + 1 < ranges.size()) {
            continue_routed_at(ranges[start.at + 1], {}, page);
        }
        return {};
    }

    // Reads all ranges at once.
    Status read_merged(const std::vector<std::size_t>& ranges,
                       ThreadPool& readers,
                       QueryPage& page) const {
        const std::string scope = "merged " + scope_of(selection_);
        const Start start = TRY(start_of({ranges.front()}, scope));
        std::vector<MergedSource::Part> parts;
        for (const std::size_t range : ranges) {
            auto source = TRY(open(range, page.answer()));
            parts.push_back({id_of(range), std::move(source)});
        }
        MergedSource source(readers, std::move(parts));
        if (const auto resume = TRY(page.read(source, start.resume))) {
            page.answer().page.continuation = sign(ranges.front(), *resume, scope);
        }
        return {};
    }

private:
    // An index in the list of ranges, and the position in that range.
    struct Start {
        std::size_t at = 0;
        sql::Resume resume;
    };

    std::uint32_t id_of(std::size_t range) const { return container_.ranges[range].id; }

    std::string scope_of(const ItemSelection& selection) const {
        return "query " + selection.text(container_);
    }

    // The scope of the same query sent to this range only.
    std::string scope_of_range(std::size_t range) const {
        ItemSelection one = selection_;
        one.first_range = one.last_range = range;
        return scope_of(one);
    }

    Result<Start> start_of(const std::vector<std::size_t>& ranges, const std::string& scope) const {
        if (!request_.continuation) return Start();
        return start_at(TRY(tokens_.check(*request_.continuation, scope)), ranges);
    }

    Result<Start> start_routed(const std::vector<std::size_t>& ranges) const {
        // Tokens of earlier versions are signed for the whole selection.
        if (!request_.continuation || !request_.continuation->starts_with('{')) {
            return start_of(ranges, scope_of(selection_));
        }
        const auto token = RangeContinuation::parse(*request_.continuation);
        if (!token) return bad_continuation();
        const auto found = std::find_if(ranges.begin(), ranges.end(), [&](const std::size_t range) {
            return container_.ranges[range].epks == token->epks;
        });
        if (found == ranges.end()) return bad_continuation();
        return start_at(TRY(tokens_.check(token->token, scope_of_range(*found))), ranges);
    }

    Result<Start> start_at(const QueryTokens::Place& place,
                           const std::vector<std::size_t>& ranges) const {
        const std::size_t range = TRY(range_index(place.source, container_));
        const auto found = std::find(ranges.begin(), ranges.end(), range);
        if (found == ranges.end()) return bad_continuation();
        return Start{.at = static_cast<std::size_t>(found - ranges.begin()),
                     .resume = place.resume};
    }

    Result<std::optional<sql::Resume>> read_range(std::size_t range,
                                                  const sql::Resume& from,
                                                  QueryPage& page) const {
        const auto source = TRY(open(range, page.answer()));
        return page.read(*source, from);
    }

    Result<std::unique_ptr<PartitionSource>> open(std::size_t range, QueryAnswer& answer) const {
        const auto partition = TRY(partitions_.open(container_, range));
        TRY(check_session(request_, *partition));
        auto source = TRY(
            PartitionSource::open(*partition, selection_.scope, container_.definition.default_ttl));
        answer.position = {.range_id = partition->identity().range_id, .lsn = source->lsn()};
        ++answer.partitions;
        return source;
    }

    std::string sign(std::size_t range, const sql::Resume& resume, const std::string& scope) const {
        return tokens_.sign({.source = id_of(range), .resume = resume}, scope);
    }

    void continue_routed_at(std::size_t range, const sql::Resume& resume, QueryPage& page) const {
        const RangeContinuation token{.token = sign(range, resume, scope_of_range(range)),
                                      .epks = container_.ranges[range].epks};
        page.answer().page.continuation = token.to_json();
    }

    Partitions& partitions_;
    const QueryTokens& tokens_;
    const Request& request_;
    const catalog::Container& container_;
    const ItemSelection& selection_;
};

// A scan of a logical partition uses its key; the service reports that as an index on the paths of
// the key (azure-sdk-for-python, test_query.py).
void add_partition_key_index(const catalog::Container& container,
                             const ItemSelection& selection,
                             sql::Access& access) {
    if (!selection.scope.partition_key || access.kind != sql::Access::Kind::kScan) return;
    for (const std::string& path : container.definition.partition_key.path_texts) {
        access.used.paths.push_back(path + "/?");
    }
}

}  // namespace

bool calls_udfs(const QueryText& text) {
    // Avoids parsing most queries twice. JSON may escape the letters of "udf".
    constexpr std::string_view kWord = "udf";
    const std::string_view body = text.body;
    const auto same_letter = [](char a, char b) { return lower(a) == b; };
    const bool named =
        std::search(body.begin(), body.end(), kWord.begin(), kWord.end(), same_letter) !=
        body.end();
    if (!named && body.find('\\') == std::string_view::npos) return false;
    const auto spec = parse_spec(text);
    if (!spec) return false;
    const auto query = sql::parse(spec->text);
    return query && sql::calls_udf(**query);
}

Result<QueryAnswer> Queries::run(const Request& request,
                                 const QueryOptions& options,
                                 const catalog::Container& container,
                                 const QueryText& text,
                                 sql::UdfCaller* udfs) const {
    TRY(check_intended_container(request, container));
    const auto start = SteadyClock::now();
    sql::Budget budget(limits_of(request, udfs != nullptr, memory_));
    const ParsedQuery query = TRY(parse(container, text, surroundings_at(clock_, budget), udfs));
    const ItemSelection selection = TRY(select_items(request, container));
    const Routing routing = route(query, container, selection);
    // A container without a partition key has one partition, and its clients know of no others.
    const bool addressed = request.range_id || selection.scope.partition_key ||
                           container.definition.partition_key.system_key;
    // EXPLAIN covers all partitions together.
    const bool merge = options.merge || query.syntax->explain;
    if (!addressed && !merge) TRY(check_gateway(query, options, container, routing));
    const auto compiled = SteadyClock::now();
    const auto& ranges = routing.ranges;
    const bool merged = merge && ranges.size() > 1;
    // The service does not look past a full page of an unsorted query; the next page may be empty
    // (azcosmos, emulator_cosmos_query_test.go). Queries on a range come from SDKs that merge
    // ranges. There the JS SDK (4.10, enableQueryControl) never gets past an empty last page.
    const bool seeks_end = merged || request.range_id || !query.syntax->order_by.empty();
    QueryPage page = TRY(QueryPage::open(request,
                                         query,
                                         {.describe = options.index_metrics,
                                          .measure = options.query_metrics,
                                          .seeks_end = seeks_end}));
    if (merged) budget.take(read_ahead_bytes_max(ranges.size()));
    const QueryTokens tokens(signer_, query);
    const RangeReader reader(partitions_, tokens, request, container, selection);
    TRY(merged               ? reader.read_merged(ranges, readers_, page)
        : merge || addressed ? reader.read(ranges.front(), page)
                             : reader.read_routed(ranges, page));
    if (options.index_metrics || query.syntax->explain) {
        add_partition_key_index(container, selection, page.answer().access);
    }
    QueryAnswer answer = std::move(page).finish();
    answer.times.compile = compiled - start;
    answer.times.run = SteadyClock::now() - compiled;
    return answer;
}

Result<QueryAnswer> Queries::run_over(const Request& request,
                                      const catalog::Container& container,
                                      const QueryText& text,
                                      sql::ItemSource& source,
                                      sql::UdfCaller* udfs,
                                      std::chrono::milliseconds time) const {
    sql::Budget budget(page_limits_within(time, memory_));
    const ParsedQuery query = TRY(parse(container, text, surroundings_at(clock_, budget), udfs));
    const ItemSelection selection = TRY(select_items(request, container));
    const std::string scope = "script query " + selection.text(container);
    return service::run_over(request, query, signer_, scope, source);
}

Result<std::string> Queries::plan(const Request& request,
                                  const QueryOptions& options,
                                  const catalog::Container& container,
                                  const QueryText& text) const {
    TRY(check_intended_container(request, container));
    sql::Budget budget(page_limits(memory_, request.pacer));
    const ParsedQuery query = TRY(parse(container, text, surroundings_at(clock_, budget), nullptr));
    return plan_text(query, container, sql::QueryFeatures::parse(options.supported_features));
}

}  // namespace orrery::service
