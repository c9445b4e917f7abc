#include "service/queries.h"

#include <algorithm>

#include "base/hash.h"
#include "model/limits.h"
#include "service/errors.h"
#include "service/item_selection.h"
#include "service/partition_source.h"
#include "sql/binder.h"
#include "sql/checks.h"
#include "sql/parser.h"
#include "sql/query_spec.h"

namespace orrery::service {

namespace {

using SteadyClock = std::chrono::steady_clock;

// A page takes no longer than this, whether it has a row to show for it or not.
constexpr std::chrono::seconds kPageTime{5};

sql::Surroundings surroundings_at(const Clock& clock) {
    constexpr std::int64_t kTicksPerMillisecond = 10'000;
    return {
        .start_ticks = clock.now().count() * kTicksPerMillisecond,
        .clock = &clock,
        .random_seed = static_cast<std::uint64_t>(SteadyClock::now().time_since_epoch().count())};
}

// Tells queries apart, so that a continuation of another one is recognised.
std::string digest_of(const sql::QuerySpec& spec) {
    std::string text = spec.text;
    for (const sql::ParameterValue& parameter : spec.parameters) {
        text.append(1, '\0').append(parameter.name).append(1, '\0').append(parameter.json);
    }
    return std::string(as_bytes(sha256(text)));
}

// One query of one request, from range to range.
class Run {
public:
    Run(Partitions& partitions, const ContinuationSigner& signer, const Request& request)
        : partitions_(partitions), signer_(signer), request_(request) {}

    Result<QueryAnswer> run(const catalog::Container& container,
                            const sql::QuerySpec& spec,
                            const sql::Prepared& prepared,
                            const sql::Surroundings& surroundings,
                            const ItemSelection& selection) {
        const std::string scope = "query " + selection.text(container) + " " + digest_of(spec);
        const std::size_t rows_max = TRY(page_size(request_, model::limits::kPageRowsDefault));
        std::size_t index = selection.first_range;
        sql::Resume from;
        if (request_.continuation) {
            const Continuation token = TRY(signer_.check(*request_.continuation, scope));
            index = TRY(range_index(token.range_id, container));
            from = TRY(sql::Resume::decode(token.resume));
        }
        sql::PageLimits limits{.rows_max = rows_max,
                               .bytes_max = model::limits::kPageBytesMax,
                               .deadline = SteadyClock::now() + kPageTime,
                               .at_least_one = true};
        for (;; ++index, from = {}) {
            const auto partition = TRY(partitions_.open(container, index));
            TRY(check_session(request_, *partition));
            const auto source = TRY(PartitionSource::open(
                *partition, selection.scope, container.definition.default_ttl));
            sql::ResultPage part =
                TRY(sql::run_page(prepared, *source, surroundings, from, limits));
            answer_.position = {.range_id = partition->identity().range_id, .lsn = source->lsn()};
            const auto resume = add(std::move(part));
            if (resume || index == selection.last_range) {
                if (resume) go_on(container.ranges[index].id, *resume, scope);
                break;
            }
            limits.rows_max = rows_max - answer_.page.count;
            limits.bytes_max = model::limits::kPageBytesMax -
                               std::min(answer_.page.elements.size(), model::limits::kPageBytesMax);
            limits.at_least_one = answer_.page.count == 0;
            const bool full = limits.rows_max == 0 || limits.bytes_max == 0 ||
                              SteadyClock::now() >= limits.deadline;
            if (full) {
                go_on(container.ranges[index + 1].id, {}, scope);
                break;
            }
        }
        return std::move(answer_);
    }

private:
    std::optional<sql::Resume> add(sql::ResultPage part) {
        Page& page = answer_.page;
        if (part.count > 0 && page.count > 0) page.elements += ',';
        page.elements += part.rows;
        page.count += part.count;
        answer_.counters += part.counters;
        answer_.access = std::move(part.access);
        return std::move(part.resume);
    }

    void go_on(std::uint32_t range, const sql::Resume& resume, const std::string& scope) {
        answer_.page.continuation =
            signer_.sign({.range_id = range, .resume = resume.encode()}, scope);
    }

    Partitions& partitions_;
    const ContinuationSigner& signer_;
    const Request& request_;
    QueryAnswer answer_;
};

}  // namespace

Result<QueryAnswer> Queries::run(const Request& request,
                                 const QueryOptions& options,
                                 const catalog::Container& container,
                                 std::string_view body) const {
    TRY(check_intended_container(request, container));
    const auto start = SteadyClock::now();
    const sql::QuerySpec spec =
        options.plain_text ? sql::plain_query_spec(body) : TRY(sql::parse_query_spec(body));
    const sql::ast::QueryPtr syntax = TRY(sql::parse(spec.text));
    TRY(sql::check_query(*syntax,
                         {.find_function = sql::find_function, .allow_unsupported = false}));
    const sql::BindingContext context{
        .parameters = spec.parameters, .computed = {}, .surroundings = surroundings_at(clock_)};
    const sql::Prepared prepared = TRY(sql::bind(*syntax, context));
    const auto compiled = SteadyClock::now();
    const ItemSelection selection = TRY(select_items(request, container));
    QueryAnswer answer = TRY(Run(partitions_, signer_, request)
                                 .run(container, spec, prepared, context.surroundings, selection));
    answer.sorted = !syntax->order_by.empty();
    answer.times = {.compile = compiled - start, .run = SteadyClock::now() - compiled};
    return answer;
}

}  // namespace orrery::service
