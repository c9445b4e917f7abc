#include <cstdio>

#include "base/clock.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "partition/verify.h"
#include "server/commands/commands.h"
#include "server/node.h"
#include "service/computed.h"
#include "storage/data_directory.h"

namespace orrery::server {

namespace {

constexpr EngineMemory kMemory{.cache_bytes = std::size_t{32} << 20,
                               .memtable_bytes = std::size_t{64} << 20};

struct Totals {
    std::uint64_t items = 0;
    std::uint64_t problems = 0;
};

Status inspect_container(storage::Engine& engine,
                         const catalog::Database& database,
                         const catalog::Container& container,
                         Totals& totals) {
    for (const catalog::PartitionRange& range : container.ranges) {
        const auto store = TRY(engine.open(range.partition));
        const partition::Verification result =
            TRY(partition::verify(*store, service::make_computed));
        totals.items += result.items;
        totals.problems += result.problems.size();
        std::printf("%s/%s range %u: %llu items, %zu problems\n",
                    database.name.c_str(),
                    container.definition.id.c_str(),
                    range.id,
                    static_cast<unsigned long long>(result.items),
                    result.problems.size());
        for (const std::string& problem : result.problems) {
            std::printf("  %s\n", problem.c_str());
        }
    }
    return {};
}

Result<Totals> inspect_directory(const std::string& path) {
    storage::DataDirectory directory = TRY(storage::open_data_directory(path));
    const auto engine = TRY(open_engine(directory, kMemory));
    const SystemClock clock;
    SecureRandom random;
    auto catalog_store = TRY(engine->open(0));
    const auto catalog = TRY(catalog::Catalog::open(std::move(catalog_store), clock, random));
    Totals totals;
    for (const catalog::DatabasePtr& database : catalog->databases()) {
        for (const catalog::ContainerPtr& container : catalog->containers(database->rid)) {
            TRY(inspect_container(*engine, *database, *container, totals));
        }
    }
    // What a removal, a split or a merge has left; a running server drops it.
    std::printf("%zu partitions to drop\n", catalog->partitions_to_drop().size());
    return totals;
}

class InspectCommand final : public cli::Command {
public:
    std::string name() const override { return "inspect"; }
    std::string summary() const override { return "check a data directory"; }
    std::string description() const override {
        return "Checks the consistency of a data directory. Stop the server that uses it first.";
    }
    void declare(CLI::App& app) override {
        app.add_option("--data", path_, "Data directory")
            ->check(CLI::ExistingDirectory)
            ->capture_default_str();
    }
    int run() override;

private:
    std::string path_ = "./orrery-data";
};

int InspectCommand::run() {
    const auto totals = inspect_directory(path_);
    if (!totals) {
        std::fprintf(stderr, "orrery: %s\n", totals.error().message().c_str());
        return cli::kExitFailure;
    }
    std::printf("%llu items, %llu problems\n",
                static_cast<unsigned long long>(totals->items),
                static_cast<unsigned long long>(totals->problems));
    return totals->problems == 0 ? 0 : cli::kExitFailure;
}

}  // namespace

std::unique_ptr<cli::Command> make_inspect() { return std::make_unique<InspectCommand>(); }

}  // namespace orrery::server
