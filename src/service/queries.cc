#include "service/queries.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/stopwatch.h"
#include "model/limits.h"
#include "service/computed.h"
#include "service/errors.h"
#include "service/explain.h"
#include "service/item_selection.h"
#include "service/merged_source.h"
#include "service/partition_source.h"
#include "service/surroundings.h"
#include "sql/binder.h"
#include "sql/checks.h"
#include "sql/gateway_rules.h"
#include "sql/parser.h"
#include "sql/printer.h"
#include "sql/query_plan.h"
#include "sql/query_spec.h"
#include "sql/walk.h"

namespace orrery::service {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Time limit for a page, even one without rows.
constexpr std::chrono::seconds kPageTime{5};
// Time limit for queries that return no rows before they have read all items.
constexpr std::chrono::seconds kQueryTime{60};

std::function<bool()> expires_in(std::chrono::seconds time) {
    return [end = SteadyClock::now() + time] { return SteadyClock::now() >= end; };
}

// A parsed and validated query.
struct Parsed {
    sql::QuerySpec spec;
    sql::ast::QueryPtr syntax;
    sql::BindingContext context;
};

Result<sql::QuerySpec> spec_of(const QueryOptions& options, std::string_view body) {
    if (options.plain_text) return sql::plain_query_spec(body);
    return sql::parse_query_spec(body);
}

Result<Parsed> parse(const QueryOptions& options,
                     const catalog::Container& container,
                     std::string_view body,
                     const Clock& clock) {
    Parsed out;
    out.spec = TRY(spec_of(options, body));
    out.syntax = TRY(sql::parse(out.spec.text));
    TRY(sql::check_query(*out.syntax,
                         {.find_function = sql::find_function, .allow_unsupported = false}));
    out.context = {.parameters = out.spec.parameters,
                   .computed = TRY(parse_computed(container.definition.computed_properties)),
                   .surroundings = surroundings_at(clock)};
    return out;
}

// Identifies the query, so that a continuation of another one is refused. A position in an ORDER BY
// is valid for every query with that order: SDKs send it with a filter that starts there (protocol
// §6.6).
std::string digest_of(const Parsed& query) {
    std::string text;
    if (!query.syntax->order_by.empty() && query.syntax->group_by.empty()) {
        for (const sql::ast::OrderItem& item : query.syntax->order_by) {
            text += sql::print(*item.expression) + (item.descending() ? " DESC," : " ASC,");
        }
    } else {
        text = query.spec.text;
        for (const sql::ParameterValue& parameter : query.spec.parameters) {
            text.append(1, '\0').append(parameter.name).append(1, '\0').append(parameter.json);
        }
    }
    return std::string(as_bytes(sha256(text)));
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

Routing route(const Parsed& query,
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

Result<std::string> plan_text(const Parsed& query,
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
Status check_gateway(const Parsed& query,
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

// Runs one query of one request over its ranges.
class Run {
public:
    Run(Partitions& partitions,
        const ContinuationSigner& signer,
        const Request& request,
        const catalog::Container& container,
        const ItemSelection& selection,
        bool describe,
        bool measure)
        : partitions_(partitions),
          signer_(signer),
          request_(request),
          container_(container),
          selection_(selection),
          describe_(describe),
          measure_(measure) {}

    Result<QueryAnswer> run(const Parsed& query, const std::vector<std::size_t>& ranges) {
        const sql::Prepared prepared = TRY(bind(query));
        if (query.spec.resume_filter) filter_ = &*query.spec.resume_filter;
        scope_ = "query " + selection_.text(container_) + " " + digest_of(query);
        sql::PageLimits limits = TRY(page_limits());
        const std::size_t rows_max = limits.rows_max;
        const Start start = TRY(start_of(ranges));
        sql::Resume from = start.resume;
        for (std::size_t at = start.at; at < ranges.size(); ++at, from = {}) {
            const bool last = at + 1 == ranges.size();
            const auto resume =
                TRY(run_range(prepared, query.context.surroundings, ranges[at], from, limits));
            if (resume) {
                continue_at(ranges[at], *resume);
                break;
            }
            limits.rows_max = rows_max - answer_.page.count;
            limits.bytes_max = model::limits::kPageBytesMax -
                               std::min(answer_.page.elements.size(), model::limits::kPageBytesMax);
            limits.at_least_one = answer_.page.count == 0;
            const bool full = limits.rows_max == 0 || limits.bytes_max == 0 || limits.time_is_up();
            if (full && !last) {
                continue_at(ranges[at + 1], {});
                break;
            }
        }
        answer_.sorted = !query.syntax->order_by.empty();
        return std::move(answer_);
    }

    // Runs over all ranges at once.
    Result<QueryAnswer> run_merged(const Parsed& query,
                                   const std::vector<std::size_t>& ranges,
                                   ThreadPool& readers) {
        const sql::Prepared prepared = TRY(bind(query));
        if (query.spec.resume_filter) filter_ = &*query.spec.resume_filter;
        scope_ = "merged query " + selection_.text(container_) + " " + digest_of(query);
        const sql::PageLimits limits = TRY(page_limits());
        std::vector<MergedSource::Part> parts;
        for (const std::size_t range : ranges) {
            auto source = TRY(open_range(range));
            parts.push_back({container_.ranges[range].id, std::move(source)});
        }
        MergedSource source(readers, std::move(parts));
        const sql::Resume from = TRY(start_of({ranges.front()})).resume;
        const auto resume = add(TRY(
            sql::run_page(prepared, source, query.context.surroundings, {from, filter_}, limits)));
        if (resume) continue_at(ranges.front(), *resume);
        answer_.sorted = !query.syntax->order_by.empty();
        return std::move(answer_);
    }

    // Runs over items that are not read from the store alone.
    Result<QueryAnswer> run_over(const Parsed& query, sql::ItemSource& source) {
        const sql::Prepared prepared = TRY(bind(query));
        scope_ = "script query " + selection_.text(container_) + " " + digest_of(query);
        const std::size_t range = selection_.first_range;
        const sql::Resume from = TRY(start_of({range})).resume;
        const sql::PageLimits limits = TRY(page_limits());
        const auto resume = add(TRY(
            sql::run_page(prepared, source, query.context.surroundings, {from, nullptr}, limits)));
        if (resume) continue_at(range, *resume);
        return std::move(answer_);
    }

private:
    struct Start {
        std::size_t at = 0;
        sql::Resume resume;
    };

    Result<sql::Prepared> bind(const Parsed& query) {
        const Stopwatch watch(measure_, answer_.times.bind);
        return sql::bind(*query.syntax, query.context);
    }

    Result<sql::PageLimits> page_limits() const {
        return sql::PageLimits{
            .rows_max = TRY(page_size(request_, model::limits::kPageRowsDefault)),
            .bytes_max = model::limits::kPageBytesMax,
            .time_is_up = expires_in(kPageTime),
            .gives_up = expires_in(kQueryTime),
            .at_least_one = true,
            .describe = describe_,
            .measure = measure_};
    }

    Result<Start> start_of(const std::vector<std::size_t>& ranges) const {
        if (!request_.continuation) return Start();
        const auto checked = signer_.check(*request_.continuation, scope_);
        if (!checked) return bad_request("Invalid Continuation Token");
        const Continuation& token = *checked;
        const std::size_t range = TRY(range_index(token.range_id, container_));
        const auto found = std::find(ranges.begin(), ranges.end(), range);
        if (found == ranges.end()) return bad_request("Invalid Continuation Token");
        return Start{.at = static_cast<std::size_t>(found - ranges.begin()),
                     .resume = TRY(sql::Resume::decode(token.resume))};
    }

    Result<std::optional<sql::Resume>> run_range(const sql::Prepared& prepared,
                                                 const sql::Surroundings& surroundings,
                                                 std::size_t range,
                                                 const sql::Resume& from,
                                                 const sql::PageLimits& limits) {
        const auto source = TRY(open_range(range));
        return add(TRY(sql::run_page(prepared, *source, surroundings, {from, filter_}, limits)));
    }

    Result<std::unique_ptr<PartitionSource>> open_range(std::size_t range) {
        const auto partition = TRY(partitions_.open(container_, range));
        TRY(check_session(request_, *partition));
        auto source = TRY(
            PartitionSource::open(*partition, selection_.scope, container_.definition.default_ttl));
        answer_.position = {.range_id = partition->identity().range_id, .lsn = source->lsn()};
        ++answer_.partitions;
        return source;
    }

    // Appends the rows to the page; returns the position to resume from.
    std::optional<sql::Resume> add(sql::ResultPage part) {
        Page& page = answer_.page;
        if (part.count > 0 && page.count > 0) page.elements += ',';
        page.elements += part.rows;
        page.count += part.count;
        answer_.counters += part.counters;
        answer_.access = std::move(part.access);
        return std::move(part.resume);
    }

    void continue_at(std::size_t range, const sql::Resume& resume) {
        answer_.page.continuation = signer_.sign(
            {.range_id = container_.ranges[range].id, .resume = resume.encode()}, scope_);
    }

    Partitions& partitions_;
    const ContinuationSigner& signer_;
    const Request& request_;
    const catalog::Container& container_;
    const ItemSelection& selection_;
    const bool describe_;
    const bool measure_;
    std::string scope_;
    const sql::ResumeFilter* filter_ = nullptr;
    QueryAnswer answer_;
};

}  // namespace

bool calls_udfs(const QueryOptions& options, std::string_view body) {
    // Avoids parsing most queries twice. JSON may escape the letters of "udf".
    constexpr std::string_view kWord = "udf";
    const auto same_letter = [](char a, char b) { return lower(a) == b; };
    const bool named =
        std::search(body.begin(), body.end(), kWord.begin(), kWord.end(), same_letter) !=
        body.end();
    if (!named && body.find('\\') == std::string_view::npos) return false;
    const auto spec = spec_of(options, body);
    if (!spec) return false;
    const auto query = sql::parse(spec->text);
    return query && sql::calls_udf(**query);
}

Result<QueryAnswer> Queries::run(const Request& request,
                                 const QueryOptions& options,
                                 const catalog::Container& container,
                                 std::string_view body,
                                 sql::UdfCaller* udfs) const {
    TRY(check_intended_container(request, container));
    const auto start = SteadyClock::now();
    Parsed query = TRY(parse(options, container, body, clock_));
    query.context.surroundings.udfs = udfs;
    const ItemSelection selection = TRY(select_items(request, container));
    const Routing routing = route(query, container, selection);
    // A container without a partition key has one partition, and its clients know of no others.
    const bool addressed = request.range_id || selection.scope.partition_key ||
                           container.definition.partition_key.system_key;
    // EXPLAIN covers all partitions together.
    const bool merge = options.merge || query.syntax->explain;
    if (!addressed && !merge) TRY(check_gateway(query, options, container, routing));
    const auto compiled = SteadyClock::now();
    const bool describe = query.syntax->explain || options.index_metrics;
    Run run(partitions_, signer_, request, container, selection, describe, options.query_metrics);
    QueryAnswer answer =
        TRY(merge && routing.ranges.size() > 1 ? run.run_merged(query, routing.ranges, readers_)
                                               : run.run(query, routing.ranges));
    answer.times.compile = compiled - start;
    answer.times.run = SteadyClock::now() - compiled;
    if (query.syntax->explain) {
        answer.page = {
            .elements = explanation(*query.syntax, answer), .count = 1, .continuation = {}};
    }
    return answer;
}

Result<QueryAnswer> Queries::run_over(const Request& request,
                                      const catalog::Container& container,
                                      std::string_view body,
                                      sql::ItemSource& source,
                                      sql::UdfCaller* udfs) const {
    Parsed query = TRY(parse({}, container, body, clock_));
    query.context.surroundings.udfs = udfs;
    const ItemSelection selection = TRY(select_items(request, container));
    return Run(partitions_, signer_, request, container, selection, false, false)
        .run_over(query, source);
}

Result<std::string> Queries::plan(const Request& request,
                                  const QueryOptions& options,
                                  const catalog::Container& container,
                                  std::string_view body) const {
    TRY(check_intended_container(request, container));
    const Parsed query = TRY(parse(options, container, body, clock_));
    return plan_text(query, container, sql::QueryFeatures::parse(options.supported_features));
}

}  // namespace orrery::service
