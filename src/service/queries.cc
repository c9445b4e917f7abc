#include "service/queries.h"

#include <algorithm>

#include "base/ascii.h"
#include "service/computed.h"
#include "service/errors.h"
#include "service/item_selection.h"
#include "service/merged_source.h"
#include "service/partition_source.h"
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
                          const Clock& clock,
                          sql::UdfCaller* udfs) {
    return parse_query(
        text, TRY(parse_computed(container.definition.computed_properties)), clock, udfs);
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

// Reads the ranges of one query.
class RangeReader {
public:
    RangeReader(Partitions& partitions,
                const Request& request,
                const catalog::Container& container,
                const ItemSelection& selection)
        : partitions_(partitions),
          request_(request),
          container_(container),
          selection_(selection) {}

    // Reads one range after the other until the page is full.
    Status read(const std::vector<std::size_t>& ranges, QueryPage& page) const {
        std::size_t at = 0;
        sql::Resume from;
        if (const auto& start = page.start()) {
            at = TRY(place_of(start->source, ranges));
            from = start->resume;
        }
        for (; at < ranges.size(); ++at, from = {}) {
            const auto source = TRY(open(ranges[at], page.answer()));
            if (const auto resume = TRY(page.add_rows(*source, from))) {
                page.continue_at(id_of(ranges[at]), *resume);
                break;
            }
            if (page.is_full() && at + 1 < ranges.size()) {
                page.continue_at(id_of(ranges[at + 1]), {});
                break;
            }
        }
        return {};
    }

    // Reads all ranges at once.
    Status read_merged(const std::vector<std::size_t>& ranges,
                       ThreadPool& readers,
                       QueryPage& page) const {
        std::vector<MergedSource::Part> parts;
        for (const std::size_t range : ranges) {
            auto source = TRY(open(range, page.answer()));
            parts.push_back({id_of(range), std::move(source)});
        }
        MergedSource source(readers, std::move(parts));
        sql::Resume from;
        if (const auto& start = page.start()) {
            TRY(place_of(start->source, {ranges.front()}));
            from = start->resume;
        }
        const auto resume = TRY(page.add_rows(source, from));
        if (resume) page.continue_at(id_of(ranges.front()), *resume);
        return {};
    }

private:
    std::uint32_t id_of(std::size_t range) const { return container_.ranges[range].id; }

    // The index in `ranges` of the range that a token names.
    Result<std::size_t> place_of(std::uint32_t id, const std::vector<std::size_t>& ranges) const {
        const std::size_t range = TRY(range_index(id, container_));
        const auto found = std::find(ranges.begin(), ranges.end(), range);
        if (found == ranges.end()) return bad_request("Invalid Continuation Token");
        return static_cast<std::size_t>(found - ranges.begin());
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

    Partitions& partitions_;
    const Request& request_;
    const catalog::Container& container_;
    const ItemSelection& selection_;
};

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
    const ParsedQuery query = TRY(parse(container, text, clock_, udfs));
    const ItemSelection selection = TRY(select_items(request, container));
    const Routing routing = route(query, container, selection);
    // A container without a partition key has one partition, and its clients know of no others.
    const bool addressed = request.range_id || selection.scope.partition_key ||
                           container.definition.partition_key.system_key;
    // EXPLAIN covers all partitions together.
    const bool merge = options.merge || query.syntax->explain;
    if (!addressed && !merge) TRY(check_gateway(query, options, container, routing));
    const auto compiled = SteadyClock::now();
    const bool merged = merge && routing.ranges.size() > 1;
    QueryPage page =
        TRY(QueryPage::open(request,
                            query,
                            signer_,
                            (merged ? "merged query " : "query ") + selection.text(container),
                            {.describe = options.index_metrics, .measure = options.query_metrics}));
    const RangeReader reader(partitions_, request, container, selection);
    TRY(merged ? reader.read_merged(routing.ranges, readers_, page)
               : reader.read(routing.ranges, page));
    QueryAnswer answer = std::move(page).finish();
    answer.times.compile = compiled - start;
    answer.times.run = SteadyClock::now() - compiled;
    return answer;
}

Result<QueryAnswer> Queries::run_over(const Request& request,
                                      const catalog::Container& container,
                                      const QueryText& text,
                                      sql::ItemSource& source,
                                      sql::UdfCaller* udfs) const {
    const ParsedQuery query = TRY(parse(container, text, clock_, udfs));
    const ItemSelection selection = TRY(select_items(request, container));
    const std::string scope = "script query " + selection.text(container);
    return service::run_over(request, query, signer_, scope, source);
}

Result<std::string> Queries::plan(const Request& request,
                                  const QueryOptions& options,
                                  const catalog::Container& container,
                                  const QueryText& text) const {
    TRY(check_intended_container(request, container));
    const ParsedQuery query = TRY(parse(container, text, clock_, nullptr));
    return plan_text(query, container, sql::QueryFeatures::parse(options.supported_features));
}

}  // namespace orrery::service
