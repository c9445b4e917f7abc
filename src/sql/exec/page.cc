#include "sql/exec/page.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "sql/exec/output.h"
#include "sql/exec/resume_filter.h"
#include "sql/exec/whole_result.h"
#include "sql/plan/description.h"
#include "sql/subquery.h"

namespace orrery::sql {

namespace {

// Items to examine past a full page to learn whether another row exists.
constexpr std::uint64_t kPeekItems = 64;
constexpr std::uint64_t kItemsPerLookAtClock = 64;

// Queries whose rows can be returned as they are found.
class Stream {
public:
    Stream(const Prepared& prepared,
           Driver& driver,
           Evaluator& evaluator,
           Output& output,
           const DriverContext& context)
        : prepared_(prepared),
          driver_(driver),
          evaluator_(evaluator),
          output_(output),
          context_(context) {}

    // Fills the output; returns where to continue, or nothing at the end.
    Result<std::optional<Resume>> run(const Resume& from, const PageLimits& limits) {
        RowLoop loop(prepared_.query, evaluator_);
        // A UDF may take long on each item.
        const std::uint64_t items_per_look = prepared_.calls_udfs ? 1 : kItemsPerLookAtClock;
        std::uint64_t items = 0;
        std::uint64_t looked_beyond = 0;
        while (!output_.is_complete()) {
            const bool look = ++items > 1 && items % items_per_look == 0;
            const bool time_is_up = look && limits.time_is_up();
            if (!TRY(find_next())) return std::optional<Resume>();
            if (time_is_up || (output_.is_full() && ++looked_beyond > kPeekItems)) {
                return resume_at(0);
            }
            const std::uint64_t skip = driver_.number() == from.item ? from.rows_done : 0;
            const auto stopped = TRY(take_rows(loop, skip, limits.seeks_end));
            if (stopped) return resume_at(*stopped);
        }
        return std::optional<Resume>();
    }

private:
    Result<bool> find_next() {
        const Stopwatch watch(context_.measure, context_.counters.finding);
        return driver_.next();
    }

    bool write(const Value& row) {
        const Stopwatch watch(context_.measure, context_.counters.writing);
        return output_.add(row);
    }

    // Writes the current item's rows. When the page ends here, returns how many of them are done.
    Result<std::optional<std::uint64_t>> take_rows(RowLoop& loop,
                                                   std::uint64_t skip,
                                                   bool seeks_end) {
        evaluator_.begin_item();
        evaluator_.arena().reset();
        evaluator_.paths = driver_.paths();
        evaluator_.item_number = driver_.number();
        loop.start();
        for (std::uint64_t row = 0; loop.next() && !output_.is_complete(); ++row) {
            if (row < skip) continue;
            const bool taken = write(evaluator_.evaluate(*prepared_.query.output));
            if (evaluator_.error()) break;
            if (!taken) return std::optional(row);
            const bool ended = output_.is_full() && !output_.is_complete();
            if (ended && !seeks_end) return std::optional(row + 1);
        }
        if (auto error = evaluator_.take_error()) return *std::move(error);
        TRY(output_.status());
        return std::optional<std::uint64_t>();
    }

    std::optional<Resume> resume_at(std::uint64_t row) const {
        return Resume{.position = driver_.position(),
                      .item = driver_.number(),
                      .rows_done = row,
                      .passed = output_.passed(),
                      .given = output_.given()};
    }

    const Prepared& prepared_;
    Driver& driver_;
    Evaluator& evaluator_;
    Output& output_;
    const DriverContext& context_;
};

}  // namespace

Result<ResultPage> run_page(const Prepared& prepared,
                            ItemSource& source,
                            const Surroundings& surroundings,
                            const PageStart& start,
                            const PageLimits& limits) {
    ResultPage page;
    const Resume& from = start.resume;
    Evaluator evaluator(prepared.variables, surroundings);
    Output output(prepared.query, from, limits, evaluator.arena());
    if (needs_whole_result(prepared.query)) {
        page.resume =
            TRY(run_whole_result(prepared, source, surroundings, from, limits, output, page));
    } else {
        const ItemPaths paths(prepared.paths);
        const Condition condition = condition_of(prepared.query, prepared.paths);
        {
            const Stopwatch watch(limits.measure, page.counters.planning);
            page.access =
                TRY(plan_access(prepared.query, prepared.paths, condition, source, from.position));
        }
        if (limits.describe) TRY(describe(page.access, prepared.query, condition, source));
        const DriverContext context{prepared.query,
                                    paths,
                                    condition,
                                    page.access,
                                    source,
                                    surroundings,
                                    page.counters,
                                    prepared.variables,
                                    limits.measure,
                                    output.rows_wanted()};
        std::string position = from.position;
        if (position.empty() && start.filter != nullptr) {
            position = TRY(position_of(*start.filter, prepared.query, page.access));
        }
        const auto driver = TRY(make_driver(context, position));
        page.resume = TRY(Stream(prepared, *driver, evaluator, output, context).run(from, limits));
    }
    page.count = output.count();
    page.rows = std::move(output).take_rows();
    page.counters.rows = page.count;
    page.counters.row_bytes = page.rows.size();
    return page;
}

}  // namespace orrery::sql
