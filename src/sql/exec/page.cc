#include "sql/exec/page.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/stopwatch.h"
#include "sql/exec/output.h"
#include "sql/exec/resume_filter.h"
#include "sql/exec/take_rows.h"
#include "sql/exec/whole_result.h"
#include "sql/plan/description.h"
#include "sql/subquery.h"

namespace orrery::sql {

namespace {

// Items to examine past a full page to learn whether another row exists.
constexpr std::uint64_t kPeekItems = 64;

// Queries whose rows can be returned as they are found.
class Stream {
public:
    Stream(const Prepared& prepared,
           Driver& driver,
           Evaluator& evaluator,
           Output& output,
           const DriverContext& context)
        : query_(prepared.query),
          driver_(driver),
          evaluator_(evaluator),
          output_(output),
          context_(context) {}

    // Fills the output; returns where to continue, or nothing at the end.
    Result<std::optional<Resume>> run(const Resume& from, bool seeks_end) {
        RowLoop loop(query_, evaluator_, RowLoop::Rows::kUsed);
        loop.report_progress();
        if (context_.access.answers_filters) loop.trust_items();
        std::uint64_t looked_beyond = 0;
        while (!output_.is_complete()) {
            const Driver::Step step = TRY(find_next());
            if (step == Driver::Step::kEnd) return std::optional<Resume>();
            const bool enough = output_.is_full() && ++looked_beyond > kPeekItems;
            if (step == Driver::Step::kPaused || enough) return resume_at({});
            if (auto place = TRY(write_rows(loop, from, seeks_end))) {
                return resume_at(*std::move(place));
            }
            TRY(output_.status());
            evaluator_.budget().progressed();
        }
        return std::optional<Resume>();
    }

private:
    Result<Driver::Step> find_next() {
        const Stopwatch watch(context_.measure, context_.counters.finding);
        return driver_.next();
    }

    // Writes the current item's rows. When the page ends here, returns where to go on.
    Result<std::optional<RowLoop::Place>> write_rows(RowLoop& loop,
                                                     const Resume& from,
                                                     bool seeks_end) {
        evaluator_.arena().reset();
        evaluator_.paths = driver_.paths();
        evaluator_.item_number = driver_.number();
        const bool resumed = driver_.number() == from.item;
        std::uint64_t skip = resumed ? from.rows_done : 0;
        loop.start_at(resumed ? from.place : RowLoop::Place());
        return take_rows(loop, evaluator_, [&]() -> Result<Taken> {
            if (skip > 0) {
                --skip;
                return Taken::kYes;
            }
            if (!write(evaluator_.evaluate(*query_.output))) return Taken::kNotAtAll;
            if (output_.is_complete()) return Taken::kEnough;
            return output_.is_full() && !seeks_end ? Taken::kLast : Taken::kYes;
        });
    }

    bool write(const Value& row) {
        const Stopwatch watch(context_.measure, context_.counters.writing);
        return output_.add(row);
    }

    std::optional<Resume> resume_at(RowLoop::Place place) const {
        return Resume{.position = driver_.position(),
                      .item = driver_.number(),
                      .rows_done = 0,
                      .passed = output_.passed(),
                      .given = output_.given(),
                      .place = std::move(place)};
    }

    const BoundQuery& query_;
    Driver& driver_;
    Evaluator& evaluator_;
    Output& output_;
    const DriverContext& context_;
};

// The numbers of the paths that the expression uses.
std::set<std::uint64_t> paths_in(const BoundExpression& expression) {
    std::set<std::uint64_t> numbers;
    visit(expression, [&](const BoundExpression& part) {
        if (part.op == Op::kPath) numbers.insert(part.number);
    });
    return numbers;
}

}  // namespace

Result<ResultPage> run_page(const Prepared& prepared,
                            ItemSource& source,
                            const Surroundings& given,
                            const PageStart& start,
                            const PageLimits& limits) {
    ResultPage page;
    const Resume& from = start.resume;
    Evaluator evaluator(prepared.variables, given);
    Budget& budget = evaluator.budget();
    Surroundings surroundings = given;
    surroundings.budget = &budget;
    Output output(prepared.query, from, limits, evaluator);
    if (needs_whole_result(prepared.query)) {
        page.resume = TRY(run_whole_result(
            {prepared, evaluator, source, surroundings, limits}, from, output, page));
    } else {
        const ItemPaths paths(prepared.paths);
        const Condition condition = condition_of(prepared.query, prepared.paths);
        {
            const Stopwatch watch(limits.measure, page.counters.planning);
            page.access = TRY(plan_access(
                prepared.query, prepared.paths, condition, source, from.position, budget));
        }
        if (limits.describe) TRY(describe(page.access, prepared.query, condition, source, budget));
        // Where filters need not be evaluated, their paths need not be fetched.
        std::optional<ItemPaths> shown;
        if (page.access.answers_filters) {
            shown.emplace(prepared.paths, paths_in(*prepared.query.output));
        }
        const DriverContext context{prepared.query,
                                    paths,
                                    shown ? *shown : paths,
                                    condition,
                                    page.access,
                                    source,
                                    surroundings,
                                    budget,
                                    page.counters,
                                    prepared.variables,
                                    limits.measure,
                                    output.rows_wanted()};
        std::string position = from.position;
        if (position.empty() && start.filter != nullptr) {
            position = TRY(position_of(*start.filter, prepared.query, page.access));
        }
        budget.let_page_end(true);
        const auto driver = TRY(make_driver(context, position));
        page.resume =
            TRY(Stream(prepared, *driver, evaluator, output, context).run(from, limits.seeks_end));
    }
    page.count = output.count();
    page.rows = std::move(output).take_rows();
    page.counters.rows = page.count;
    page.counters.row_bytes = page.rows.size();
    return page;
}

}  // namespace orrery::sql
