// Carries out single operations of a workload. One for each connection.

#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "client/client.h"
#include "client/pages.h"
#include "tools/bench/distribution.h"
#include "tools/bench/item_numbers.h"
#include "tools/bench/recorder.h"
#include "tools/bench/template.h"
#include "tools/bench/workload.h"

namespace orrery::tools::bench {

// What the connections share.
struct Space {
    client::Path container;
    std::vector<json::Path> key_paths;
    ItemTemplate item;
    // Instead of the items of one partition key.
    std::optional<TemplateText> query = std::nullopt;
    std::uint64_t seed = 0;
};

class Operations {
public:
    // All must outlive this. `ending`, which also interrupts the client, says that operations are
    // to be cut short.
    Operations(client::Client& client,
               const Space& space,
               ItemNumbers& numbers,
               const ItemChooser& chooser,
               const std::atomic<bool>& ending);

    // Inserts that may replace an item of an earlier run.
    void use_upserts() { upsert_ = true; }

    Outcome perform(Operation operation);

private:
    Outcome insert();
    Outcome read();
    Outcome update();
    Outcome read_modify_write();
    Outcome scan();
    Outcome query();
    Outcome remove();

    // Nothing if the operation is over, as the outcome says then.
    std::optional<client::Response> send(const client::Request& request, Outcome& outcome);
    Outcome run_query(const client::Query& query, const client::Selection& selection);

    client::Request item_request(std::string method, std::uint64_t number) const;
    std::uint64_t choose() { return chooser_.next(numbers_.limit()); }
    // Of the content of an item that is written again.
    std::uint64_t new_version() { return random_.next() | 1U; }

    client::Client& client_;
    const Space& space_;
    ItemNumbers& numbers_;
    const std::atomic<bool>& ending_;
    const client::Path items_;
    ItemChooser chooser_;
    RandomStream random_;
    bool upsert_ = false;
};

}  // namespace orrery::tools::bench
