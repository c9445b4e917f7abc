#include "tools/migrate/migration.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/files.h"
#include "base/stopwatch.h"
#include "client/pages.h"
#include "tools/migrate/copier.h"
#include "tools/migrate/reconciler.h"
#include "tools/target.h"

namespace orrery::tools {

namespace {

using json::Value;

// Between looks at the change feed while following.
constexpr std::chrono::milliseconds kFollowInterval{500};
constexpr std::chrono::milliseconds kFollowSlice{50};
// Of a comparison with other clients at work.
constexpr unsigned kComparisonsMax = 3;
// Of items that keep changing while they are compared.
constexpr unsigned kAttemptsMax = 20;

}  // namespace

Migration::Migration(MigrationOptions options, const std::atomic<bool>& interrupted)
    : options_(std::move(options)), interrupted_(interrupted) {}

Status Migration::run() {
    TRY(prepare());
    can_go_on_ = true;
    TRY(catch_up(interrupted_));
    TRY(verify(interrupted_));
    if (options_.follow) {
        TRY(follow());
        TRY(catch_up(never_));
        TRY(verify(never_));
    }
    return outcome();
}

Status Migration::prepare() {
    client::Client client(options_.source_account, clock_, {}, &interrupted_);
    const auto path = client::container_path(options_.database, options_.container);
    auto found = client.read(path);
    if (!found) {
        return container_error(
            std::move(found).take_error(), options_.database, options_.container);
    }
    const Value& body = *found;
    const Value* const rid = body.find("_rid");
    if (rid == nullptr || !rid->is_string()) {
        return Error(ErrorCode::kInternal, "the server's answer is not a container");
    }
    const bool same =
        options_.source_account.endpoint.shown() == options_.target_account.endpoint.shown() &&
        options_.database == options_.target.database &&
        options_.container == options_.target.container;
    if (same) return Error(ErrorCode::kBadRequest, "the target is the source");
    ContainerChoice choice = options_.target;
    choice.create = true;
    choice.like = body;
    client::Client target_client(options_.target_account, clock_, {}, &interrupted_);
    Target target = TRY(open_target(target_client, choice, false));
    auto definition = TRY(model::parse_container_definition(body, model::kStoredDefinition));
    sides_ = Sides{.source = {.account = options_.source_account,
                              .container = path,
                              .definition = std::move(definition)},
                   .target = {.account = options_.target_account,
                              .container = target.path,
                              .definition = std::move(target.definition)}};
    return open_plan(rid->string(), target.rid);
}

// The plan of an earlier run, or a new one.
Status Migration::open_plan(const std::string& source_rid, const std::string& target_rid) {
    const std::string purpose = Value(Value::Array{options_.source_account.endpoint.shown(),
                                                   source_rid,
                                                   options_.target_account.endpoint.shown(),
                                                   target_rid})
                                    .text();
    const std::string& file = options_.state_file;
    if (std::filesystem::exists(file)) {
        auto earlier = ExportPlan::parse(TRY(read_file(file)));
        if (!earlier) return std::move(earlier).take_error().with_context("'" + file + "'");
        if (earlier->purpose != purpose) {
            return Error(ErrorCode::kConflict,
                         "'" + file + "' belongs to a migration of other containers");
        }
        plan_ = *std::move(earlier);
        const std::string items = cli::grouped(plan_.output.items);
        std::fprintf(stderr, "orrery: going on after %s items\n", items.c_str());
        return {};
    }
    client::Client source(options_.source_account, clock_, {}, &interrupted_);
    client::Client target(options_.target_account, clock_, {}, &interrupted_);
    if (!options_.into_existing) TRY(check_target_is_empty(target));
    plan_.purpose = purpose;
    for (client::Range& range : TRY(client::read_ranges(source, sides_->source.container))) {
        range.id.clear();
        plan_.tasks.push_back({.range = std::move(range), .continuation = {}, .done = false});
    }
    return write_private_file(file, plan_.text());
}

Status Migration::check_target_is_empty(client::Client& client) const {
    client::Pages pages(client, sides_->target.items(), {.page_items = 1});
    while (const auto page = TRY(pages.next())) {
        if (TRY(page->elements()).empty()) continue;
        return Error(ErrorCode::kConflict,
                     "container '" + options_.target.container + "' has items, and '" +
                         options_.state_file +
                         "' of an earlier run is not there; --into-existing replaces them");
    }
    return {};
}

Status Migration::catch_up(const std::atomic<bool>& interrupted) {
    counts_.items = counts_.done = plan_.output.items;
    const cli::Progress progress("copied", counts_, options_.quiet);
    return copy(interrupted);
}

Status Migration::copy(const std::atomic<bool>& interrupted) {
    const Status done =
        Copier(*sides_, options_.parallel, plan_, options_.state_file, counts_, interrupted).run();
    report_.copied = plan_.output.items;
    report_.charge = counts_.charge;
    return done ? Status() : done.error().copy();
}

// Until it is interrupted.
Status Migration::follow() {
    if (const Status good = outcome(); !good) {
        std::fprintf(stderr, "orrery: so far, %s\n", good.error().message().c_str());
    }
    std::fputs("orrery: the target is up to date; following changes until Ctrl-C\n", stderr);
    while (!interrupted_) {
        const Status done = copy(interrupted_);
        if (!done && !interrupted_) return done.error().copy();
        const auto until = monotonic_now() + kFollowInterval;
        while (!interrupted_ && monotonic_now() < until) {
            std::this_thread::sleep_for(kFollowSlice);
        }
    }
    return {};
}

// Compares until nothing differs, or what differs is only what changes meanwhile.
Status Migration::verify(const std::atomic<bool>& interrupted) {
    const std::uint64_t deleted = report_.deleted;
    report_ = {.copied = plan_.output.items, .deleted = deleted};
    for (unsigned round = 0; round < kComparisonsMax; ++round) {
        Comparison compared = TRY(compare(interrupted));
        report_.source_items = compared.source_items;
        report_.target_items = compared.target_items;
        report_.source_checksum = compared.source_checksum;
        report_.target_checksum = compared.target_checksum;
        report_.suspects = compared.suspects.size();
        report_.rejected = std::move(compared.rejected);
        TRY(settle(std::move(compared.suspects), interrupted));
        if (report_.suspects == 0) break;
    }
    report_.charge = counts_.charge;
    report_.verified = report_.rejected.empty() && report_.unsettled == 0;
    return write_errors();
}

Status Migration::outcome() const {
    if (!report_.rejected.empty()) {
        return Error(ErrorCode::kConflict,
                     cli::grouped(report_.rejected.size()) +
                         " items cannot be in the target, such as one because: " +
                         report_.rejected.front().first);
    }
    if (report_.unsettled > 0) {
        return Error(ErrorCode::kUnavailable,
                     cli::grouped(report_.unsettled) +
                         " items keep changing; stop other clients and run it again");
    }
    return {};
}

Result<Comparison> Migration::compare(const std::atomic<bool>& interrupted) {
    cli::ProgressCounts counts;
    const cli::Progress progress("compared", counts, options_.quiet);
    auto compared = Comparer(*sides_, options_.parallel, counts, interrupted).run();
    counts_.add_charge(counts.charge);
    return compared;
}

// The items have changed during the comparison, or were deleted, or something is wrong: each has
// to become the same in both containers.
Status Migration::settle(std::vector<ItemPlace> suspects, const std::atomic<bool>& interrupted) {
    Reconciler reconciler(*sides_, interrupted);
    for (unsigned attempt = 0; attempt < kAttemptsMax && !suspects.empty(); ++attempt) {
        // A change that came before now must not follow a newer one.
        TRY(copy(interrupted));
        suspects = TRY(reconciler.run(suspects));
    }
    report_.unsettled = suspects.size();
    report_.deleted += reconciler.deleted();
    for (const auto& rejected : reconciler.rejected()) {
        report_.rejected.push_back(rejected);
    }
    counts_.add_charge(reconciler.charge());
    return {};
}

Status Migration::write_errors() const {
    if (options_.errors_file.empty()) return {};
    std::string text;
    for (const auto& [reason, item] : report_.rejected) {
        Value::Object line;
        line.push_back({"reason", reason});
        line.push_back({"item", TRY(Value::parse(item))});
        text += Value(std::move(line)).text() + "\n";
    }
    return write_private_file(options_.errors_file, text);
}

}  // namespace orrery::tools
