#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "json/value.h"
#include "partition/contents.h"
#include "partition/repair.h"
#include "partition/verify.h"
#include "server/commands/commands.h"
#include "server/commands/sizes.h"
#include "server/engine.h"
#include "service/computed.h"
#include "storage/data_directory.h"

namespace orrery::server {

namespace {

using json::Value;

struct InspectOptions {
    std::string path = "./orrery-data";
    bool verify = false;
    bool repair = false;
    bool json = false;
    std::size_t show = 20;  // problems of each partition
};

Value count(std::uint64_t value) { return {static_cast<std::int64_t>(value)}; }

// Prints lines for people, or collects JSON for programs.
class Inspection {
public:
    Inspection(InspectOptions options, storage::DurableEngine& engine, catalog::Catalog& catalog)
        : options_(std::move(options)), engine_(engine), catalog_(catalog) {}

    Status run() {
        if (checks()) check_medium();
        for (const catalog::DatabasePtr& database : catalog_.databases()) {
            for (const catalog::ContainerPtr& container : catalog_.containers(database->rid)) {
                TRY(inspect_container(*database, *container));
            }
        }
        TRY(account_for_partitions());
        print_totals();
        return {};
    }

    bool sound() const { return problems_ == 0; }

private:
    bool checks() const { return options_.verify || options_.repair; }

    // Damage to files is found here by name; what it costs is found below.
    void check_medium() {
        const Status checked = engine_.verify_medium();
        if (!checked) problem("files", checked.error().message());
    }

    Status inspect_container(const catalog::Database& database,
                             const catalog::Container& container) {
        const std::string name = database.name + "/" + container.definition.id;
        for (const catalog::PartitionRange& range : container.ranges) {
            accounted_.insert(range.partition);
            const auto store = TRY(engine_.open(range.partition));
            const std::string place = fmt::format("{} range {}", name, range.id);
            Value entry(Value::Object{});
            entry.set("database", database.name);
            entry.set("container", container.definition.id);
            entry.set("range", count(range.id));
            entry.set("partition", count(range.partition));
            const Status done = options_.repair   ? repair(*store, container, range, place, entry)
                                : options_.verify ? verify(*store, place, entry)
                                                  : describe(*store, place, entry);
            // One that cannot be read must not hide the others.
            if (!done) problem(place, place + ": " + done.error().message());
            partitions_.push_back(std::move(entry));
        }
        return {};
    }

    Status describe(const storage::PartitionStore& store, const std::string& place, Value& entry) {
        const partition::Contents contents = TRY(partition::measure(store));
        items_ += contents.items;
        const partition::Extent total = contents.total();
        line(fmt::format("{}: {} items, {} of JSON; {} keys, {}",
                         place,
                         contents.items,
                         size_text(contents.item_bytes),
                         total.entries,
                         size_text(total.bytes)));
        entry.set("items", count(contents.items));
        entry.set("itemBytes", count(contents.item_bytes));
        entry.set("bytes", count(total.bytes));
        Value parts(Value::Object{});
        for (const auto& [part, extent] : contents.parts) {
            line("  " + extent_text(part, extent));
            parts.set(part, extent_json(extent));
        }
        entry.set("parts", std::move(parts));
        Value::Array paths;
        for (const partition::PathExtent& path : contents.paths) {
            line("    " + extent_text(path.path, path.extent));
            Value described = extent_json(path.extent);
            described.set("path", path.path);
            paths.push_back(std::move(described));
        }
        entry.set("indexPaths", std::move(paths));
        return {};
    }

    Status verify(const storage::PartitionStore& store, const std::string& place, Value& entry) {
        const partition::Verification found = TRY(partition::verify(store, service::make_computed));
        items_ += found.items;
        line(fmt::format("{}: {} items, {} problems", place, found.items, found.problems.size()));
        entry.set("items", count(found.items));
        for (const std::string& what : found.problems)
            problem(place, what);
        return {};
    }

    // Mends and then verifies, so that what is left is what cannot be repaired.
    Status repair(storage::PartitionStore& store,
                  const catalog::Container& container,
                  const catalog::PartitionRange& range,
                  const std::string& place,
                  Value& entry) {
        const partition::Repair done = TRY(
            partition::repair(store,
                              {.range_id = range.id,
                               .policy = TRY(index::PathPolicy::compile(
                                   container.definition, container.definition.computed_properties)),
                               .computed = service::make_computed}));
        const std::uint64_t entries = done.entries_written + done.entries_removed;
        if (entries > 0 || done.index_rebuilt || done.counters_corrected) {
            line(fmt::format("{}: repaired: {} entries written, {} removed{}{}",
                             place,
                             done.entries_written,
                             done.entries_removed,
                             done.counters_corrected ? ", counters corrected" : "",
                             done.index_rebuilt ? ", index rebuilt" : ""));
        }
        Value repaired(Value::Object{});
        repaired.set("entriesWritten", count(done.entries_written));
        repaired.set("entriesRemoved", count(done.entries_removed));
        repaired.set("countersCorrected", done.counters_corrected);
        repaired.set("indexRebuilt", done.index_rebuilt);
        Value::Array remarks;
        for (const std::string& remark : done.remarks) {
            line("  " + remark);
            remarks.emplace_back(remark);
        }
        repaired.set("remarks", std::move(remarks));
        entry.set("repair", std::move(repaired));
        return verify(store, place, entry);
    }

    // Every partition is the catalog's, a range's, or waits for being dropped.
    Status account_for_partitions() {
        // What a removal, a split or a merge has left; a running server drops it.
        const auto to_drop = catalog_.partitions_to_drop();
        accounted_.insert(to_drop.begin(), to_drop.end());
        line(fmt::format("{} partitions to drop", to_drop.size()));
        result_.set("partitionsToDrop", count(to_drop.size()));
        accounted_.insert(0);
        if (!checks()) return {};
        const auto found = engine_.partitions();
        if (!found) problem("partitions", found.error().message());
        if (!found) return {};
        for (const storage::PartitionId id : *found) {
            if (!accounted_.contains(id)) {
                problem("partitions", fmt::format("partition {} belongs to no container", id));
            }
        }
        return {};
    }

    void problem(const std::string& place, const std::string& what) {
        ++problems_;
        Value entry(Value::Object{});
        entry.set("place", place);
        entry.set("problem", what);
        if (options_.json) return problems_found_.push_back(std::move(entry));
        if (std::exchange(place_, place) != place) shown_ = 0;
        if (shown_ < options_.show) line("  " + what);
        if (shown_++ == options_.show) line("  ... and more");
    }

    void line(const std::string& text) const {
        if (!options_.json) std::printf("%s\n", text.c_str());
    }

    void print_totals() {
        if (!options_.json) {
            std::printf("%llu items%s\n",
                        static_cast<unsigned long long>(items_),
                        checks() ? fmt::format(", {} problems", problems_).c_str() : "");
            return;
        }
        result_.set("partitions", std::move(partitions_));
        result_.set("items", count(items_));
        if (checks()) result_.set("problems", std::move(problems_found_));
        std::printf("%s\n", result_.text().c_str());
    }

    const InspectOptions options_;
    storage::DurableEngine& engine_;
    catalog::Catalog& catalog_;
    std::set<storage::PartitionId> accounted_;
    std::uint64_t items_ = 0;
    std::uint64_t problems_ = 0;
    std::string place_;      // of the problems printed last
    std::size_t shown_ = 0;  // of those
    Value result_{Value::Object{}};
    Value::Array partitions_;
    Value::Array problems_found_;
};

// Whether the directory is sound, as far as it was checked.
Result<bool> inspect_directory(const InspectOptions& options) {
    storage::DataDirectory directory = TRY(storage::open_data_directory(options.path));
    // What repairs write has the newest format.
    if (options.repair && directory.outdated()) TRY(directory.mark_ready());
    const auto engine = TRY(open_engine(directory, kSmallEngine));
    const SystemClock clock;
    SecureRandom random;
    auto catalog_store = TRY(engine->open(0));
    const auto catalog = TRY(catalog::Catalog::open(std::move(catalog_store), clock, random));
    Inspection inspection(options, *engine, *catalog);
    TRY(inspection.run());
    return inspection.sound();
}

class InspectCommand final : public cli::Command {
public:
    std::string name() const override { return "inspect"; }
    std::string summary() const override { return "show, check and repair a data directory"; }
    std::string description() const override {
        return "Shows what a data directory holds: items, sizes, and the index by path. Checks it, "
               "and repairs what follows from items. Stop the server that uses it first.";
    }
    std::vector<cli::Example> examples() const override {
        return {{"orrery inspect --data ./data", "Show what is where"},
                {"orrery inspect --data ./data --verify", "Check everything"}};
    }
    void declare(CLI::App& app) override;
    int run() override;

private:
    InspectOptions options_;
};

void InspectCommand::declare(CLI::App& app) {
    app.add_option("--data", options_.path, "Data directory")
        ->check(CLI::ExistingDirectory)
        ->capture_default_str();
    app.add_flag("--verify",
                 options_.verify,
                 "Compare items, ids, index, unique keys, log and counters with each other, and "
                 "check all files");
    app.add_flag("--repair",
                 options_.repair,
                 "Write anew what follows from items and is missing or wrong, then verify");
    app.add_option("--show", options_.show, "Problems to print of each partition")
        ->capture_default_str();
    app.add_flag("--json", options_.json, "Print JSON");
}

int InspectCommand::run() {
    const auto sound = inspect_directory(options_);
    if (!sound) {
        std::fprintf(stderr, "orrery: %s\n", sound.error().message().c_str());
        return cli::kExitFailure;
    }
    return *sound ? 0 : cli::kExitFailure;
}

}  // namespace

std::unique_ptr<cli::Command> make_inspect() { return std::make_unique<InspectCommand>(); }

}  // namespace orrery::server
