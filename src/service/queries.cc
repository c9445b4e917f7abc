#include "service/queries.h"

#include <algorithm>

#include "base/ascii.h"
#include "model/limits.h"
#include "service/computed.h"
#include "service/consistency.h"
#include "service/errors.h"
#include "service/item_continuation.h"
#include "service/item_selection.h"
#include "service/item_target.h"
#include "service/merged_source.h"
#include "service/metering.h"
#include "service/partition_source.h"
#include "service/read_ahead.h"
#include "service/surroundings.h"
#include "sql/binder.h"
#include "sql/gateway_rules.h"
#include "sql/parser.h"
#include "sql/query_plan.h"
#include "sql/walk.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

double charge_of(const Metrics& metrics) {
    return throughput::query_charge({.partitions = metrics.partitions,
                                     .index_entries = metrics.counters.index_entries_read,
                                     .items_loaded = metrics.counters.items_read,
                                     .bytes_loaded = metrics.counters.item_bytes_read,
                                     .result_bytes = metrics.counters.row_bytes});
}

Error too_long_here() {
    return Error(ErrorCode::kWouldBlock, "the query takes too long for this thread");
}

// UDFs are interrupted when the time of their session is up; the page should end before.
sql::Budget::Limits limits_of(const Allowance& allowance, bool calls_udfs) {
    if (!calls_udfs) return page_limits(allowance);
    constexpr std::chrono::milliseconds kUdfTime{model::limits::kScriptMillisecondsMax};
    return page_limits_within(kUdfTime, allowance);
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
        return cross_partition_disabled().with_info(std::move(plan));
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
    // What a query reads: the container, the items selected in it and the ranges that hold them.
    struct Target {
        const catalog::Container& container;
        const ItemSelection& selection;
        const std::vector<std::size_t>& ranges;
    };

    RangeReader(Partitions& partitions,
                const ContinuationSigner& signer,
                Context& context,
                const Target& target,
                ItemTokens::Feed feed)
        : partitions_(partitions),
          signer_(signer),
          context_(context),
          container_(target.container),
          selection_(target.selection),
          ranges_(target.ranges),
          feed_(std::move(feed)) {}

    // Reads a single range.
    Status read(QueryPage& page) {
        const ItemTokens tokens(signer_, feed_, container_, selection_);
        const UnreadRanges unread =
            TRY(unread_from(tokens, context_.request.continuation, {ranges_.front()}));
        if (const auto resume = TRY(read_range(unread, page))) {
            page.answer().page.continuation = tokens.sign(unread.parts_from(resume->encode()));
        }
        return {};
    }

    // Reads range by range, as the service's gateway does: a page holds the rows of one range, so
    // its session token and its metrics belong to that range.
    Status read_routed(QueryPage& page) {
        UnreadRanges unread = TRY(unread_routed());
        const auto resume = TRY(read_range(unread, page));
        if (!resume) unread.finish_range();
        if (!resume && unread.empty()) return {};
        page.answer().page.continuation =
            routed_token(unread, resume ? resume->encode() : unread.resume());
        return {};
    }

    // Reads all ranges at once. A position in the common order applies to each of them.
    Status read_merged(ThreadPool& readers, QueryPage& page) {
        const ItemTokens tokens(signer_, feed_, container_, selection_);
        sql::Resume from;
        if (context_.request.continuation) {
            const auto parts = tokens.check(*context_.request.continuation);
            if (!parts || parts->size() != 1) return bad_continuation();
            from = TRY(sql::Resume::decode(parts->front().resume));
        }
        std::vector<std::unique_ptr<PartitionSource>> sources;
        for (const std::size_t range : ranges_) {
            const catalog::PartitionRange& whole = container_.ranges[range];
            const model::EpkRange epks = model::overlap(selection_.epks, whole.epks);
            sources.push_back(TRY(open(range, selection_.scope_of(whole, epks))));
        }
        const auto source = TRY(MergedSource::open(readers, std::move(sources)));
        if (const auto resume = TRY(page.read(*source, from))) {
            page.answer().page.continuation =
                tokens.sign({{.epks = selection_.epks, .resume = resume->encode()}});
        }
        return {};
    }

    // Each partition bears an equal part of what was done, or of the price of a failure.
    void settle(const Status& outcome) const {
        const std::string_view key = partition_key_of(selection_.scope);
        for (const auto& partition : visited_) {
            if (outcome) {
                const auto share = static_cast<double>(visited_.size());
                spend(context_, *partition, key, context_.receipt.charge / share);
            } else {
                spend_on_failure(context_, *partition, key, outcome.error());
            }
        }
    }

private:
    Result<UnreadRanges> unread_from(const ItemTokens& tokens,
                                     std::optional<std::string_view> token,
                                     std::vector<std::size_t> ranges) const {
        std::vector<UnreadPart> parts;
        if (token) {
            auto given = tokens.check(*token);
            if (!given) return bad_continuation();
            parts = std::move(given).take();
        }
        UnreadRanges unread(container_, selection_, std::move(ranges), parts);
        if (unread.empty()) return bad_continuation();
        return unread;
    }

    Result<UnreadRanges> unread_routed() const {
        // Tokens of earlier versions are signed for the whole selection.
        if (!context_.request.continuation || !context_.request.continuation->starts_with('{')) {
            const ItemTokens tokens(signer_, feed_, container_, selection_);
            return unread_from(tokens, context_.request.continuation, ranges_);
        }
        const auto routed = RangeContinuation::parse(*context_.request.continuation);
        if (!routed) return bad_continuation();
        const ItemSelection one = selection_.within(routed->epks, container_);
        const ItemTokens tokens(signer_, feed_, container_, one);
        return unread_from(tokens, routed->token, ranges_);
    }

    // The token inside is that of the same query sent to the range alone.
    std::string routed_token(const UnreadRanges& unread, std::string resume) const {
        const std::vector<UnreadPart> parts = unread.parts_from(std::move(resume));
        RangeContinuation routed{.token = {}, .epks = container_.ranges[unread.range()].epks};
        if (parts.size() > 1) routed.epks.max_exclusive = parts.back().epks.max_exclusive;
        const ItemSelection one = selection_.within(routed.epks, container_);
        routed.token = ItemTokens(signer_, feed_, container_, one).sign(parts);
        return routed.to_json();
    }

    Result<std::optional<sql::Resume>> read_range(const UnreadRanges& unread, QueryPage& page) {
        const auto source = TRY(open(unread.range(), unread.scope()));
        return page.read(*source, TRY(sql::Resume::decode(unread.resume())));
    }

    Result<std::unique_ptr<PartitionSource>> open(std::size_t range,
                                                  const partition::FeedScope& scope) {
        const auto& partition =
            visited_.emplace_back(TRY(partitions_.open(container_, range, context_.allowance)));
        TRY(check_session(context_, *partition));
        auto source = TRY(PartitionSource::open(
            *partition, scope, container_.definition.default_ttl, context_.allowance.may_block));
        context_.receipt.position = position_at(*partition, source->lsn());
        ++context_.receipt.metrics.partitions;
        return source;
    }

    Partitions& partitions_;
    const ContinuationSigner& signer_;
    Context& context_;
    const catalog::Container& container_;
    const ItemSelection& selection_;
    const std::vector<std::size_t>& ranges_;
    const ItemTokens::Feed feed_;
    std::vector<std::shared_ptr<partition::Partition>> visited_;
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
    if (!named && body.find("\\u") == std::string_view::npos) return false;
    const auto spec = parse_spec(text);
    if (!spec) return false;
    const auto query = sql::parse(spec->text);
    return query && sql::calls_udf(**query);
}

Result<QueryAnswer> Queries::run(Context& context,
                                 const QueryOptions& options,
                                 const catalog::Container& container,
                                 const QueryText& text,
                                 sql::UdfCaller* udfs) const {
    TRY(check_intended_container(context.request, container));
    const auto start = SteadyClock::now();
    sql::Budget budget(limits_of(context.allowance, udfs != nullptr));
    const ParsedQuery query = TRY(parse(container, text, budget, udfs));
    const bool must_be_short = !context.allowance.may_block;
    if (must_be_short && !query.statement->may_be_short()) return too_long_here();
    auto answer = run(context, options, container, query, start);
    const bool was_long = !answer && answer.error().code() == ErrorCode::kWouldBlock;
    if (must_be_short && was_long) query.statement->was_long();
    return answer;
}

Result<QueryAnswer> Queries::run(Context& context,
                                 const QueryOptions& options,
                                 const catalog::Container& container,
                                 const ParsedQuery& query,
                                 SteadyClock::time_point start) const {
    const ItemSelection selection = TRY(select_items(context.request, container));
    // A container without a partition key has one partition, and its clients know of no others.
    const bool addressed = context.request.range_id || selection.scope.partition_key ||
                           container.definition.partition_key.system_key;
    const bool one_range = addressed && selection.first_range == selection.last_range;
    const Routing routing = one_range ? Routing{.filter = {}, .ranges = {selection.first_range}}
                                      : route(query, container, selection);
    TRY(query.context.surroundings.budget->status());  // constants may use it up
    // EXPLAIN covers all partitions together.
    const bool merge = options.merge || query.syntax->explain;
    if (!addressed && !merge) TRY(check_gateway(query, options, container, routing));
    const auto compiled = SteadyClock::now();
    const auto& ranges = routing.ranges;
    const bool merged = merge && ranges.size() > 1;
    // The service does not look past a full page of an unsorted query; the next page may be empty
    // (azcosmos, emulator_cosmos_query_test.go). Queries on a range come from SDKs that merge
    // ranges. There the JS SDK (4.10, enableQueryControl) never gets past an empty last page.
    const bool seeks_end = merged || context.request.range_id || !query.syntax->order_by.empty();
    QueryPage page = TRY(QueryPage::open(context,
                                         query,
                                         {.describe = options.index_metrics,
                                          .measure = options.query_metrics,
                                          .seeks_end = seeks_end}));
    if (merged) {
        for (const std::size_t range : ranges) {
            if (partitions_.expect_here(container.ranges[range].partition)) continue;
            return Error(ErrorCode::kNotImplemented,
                         "The server cannot merge ranges that several nodes of a cluster serve; "
                         "have the SDK merge them, without x-orrery-merge-partitions.");
        }
        if (!context.allowance.may_block) return too_long_here();  // it waits for other threads
        query.context.surroundings.budget->take(read_ahead_bytes_max(ranges.size()));
    }
    RangeReader reader(partitions_,
                       signer_,
                       context,
                       {container, selection, ranges},
                       {.name = merge ? "merged query" : "query",
                        .digest = [&query] { return digest_of(query); },
                        .name_v1 = merged ? "merged query" : "query"});
    Status outcome = merged               ? reader.read_merged(readers_, page)
                     : merge || addressed ? reader.read(page)
                                          : reader.read_routed(page);
    if (outcome) {
        context.receipt.charge =
            charge_of(context.receipt.metrics) * read_cost_factor(context.request);
    }
    reader.settle(outcome);
    TRY(std::move(outcome));
    if (options.index_metrics || query.syntax->explain) {
        add_partition_key_index(container, selection, page.answer().access);
    }
    context.receipt.metrics.compile = compiled - start;
    context.receipt.metrics.run = SteadyClock::now() - compiled;
    return std::move(page).finish();
}

Result<QueryAnswer> Queries::run_over(Context& context,
                                      const catalog::Container& container,
                                      const QueryText& text,
                                      sql::ItemSource& source,
                                      sql::UdfCaller* udfs,
                                      std::chrono::milliseconds time) const {
    sql::Budget budget(page_limits_within(time, context.allowance));
    const ParsedQuery query = TRY(parse(container, text, budget, udfs));
    const ItemSelection selection = TRY(select_items(context.request, container));
    const ItemTokens::Feed feed{.name = "script query",
                                .digest = [&query] { return digest_of(query); },
                                .name_v1 = "script query"};
    const ItemTokens tokens(signer_, feed, container, selection);
    sql::Resume from;
    if (context.request.continuation) {
        const auto parts = tokens.check(*context.request.continuation);
        if (!parts) return bad_continuation();
        from = TRY(sql::Resume::decode(parts->front().resume));
    }
    auto answer = service::run_over(context, query, source, from, [&](const sql::Resume& resume) {
        return tokens.sign({{.epks = selection.epks, .resume = resume.encode()}});
    });
    context.receipt.charge = charge_of(context.receipt.metrics);
    return answer;
}

Result<ParsedQuery> Queries::parse(const catalog::Container& container,
                                   const QueryText& text,
                                   sql::Budget& budget,
                                   sql::UdfCaller* udfs) const {
    sql::Surroundings surroundings = surroundings_at(clock_, budget);
    surroundings.udfs = udfs;
    return parse_query(statements_,
                       text,
                       TRY(parse_computed(container.definition.computed_properties)),
                       surroundings);
}

Result<std::string> Queries::plan(Context& context,
                                  const QueryOptions& options,
                                  const catalog::Container& container,
                                  const QueryText& text) const {
    TRY(check_intended_container(context.request, container));
    sql::Budget budget(page_limits(context.allowance));
    const ParsedQuery query = TRY(parse(container, text, budget, nullptr));
    auto plan = plan_text(query, container, sql::QueryFeatures::parse(options.supported_features));
    TRY(budget.status());
    return plan;
}

}  // namespace orrery::service
