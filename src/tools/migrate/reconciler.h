// Looks at single items in both containers, and makes the target have what the source has: deletes
// what is gone, which the change feed does not tell, and sends what differs.

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "client/client.h"
#include "tools/migrate/side.h"

namespace orrery::tools {

class Reconciler {
public:
    Reconciler(const Sides& sides, const std::atomic<bool>& interrupted);

    // Those that were sent, which must be looked at again. `places` are sorted.
    Result<std::vector<ItemPlace>> run(const std::vector<ItemPlace>& places);

    std::uint64_t deleted() const { return deleted_; }
    double charge() const { return charge_; }
    // Items that the target cannot have: the reason and the item.
    const std::vector<std::pair<std::string, std::string>>& rejected() const { return rejected_; }

private:
    // False if it was sent, and must be looked at again. `keys` are those of the source.
    Result<bool> settle(const std::string& id,
                        const std::string& target_key,
                        const std::vector<std::string>& keys);
    Result<bool> send(const std::string& target_key, const std::string& item);
    Result<std::optional<std::string>> read(client::Client& client,
                                            const Side& side,
                                            const std::string& id,
                                            const std::string& key);
    Result<client::Response> request(client::Client& client, const client::Request& request);

    const Sides& sides_;
    const SystemClock clock_;
    const ItemMapper mapper_;
    client::Client source_;
    client::Client target_;
    std::uint64_t deleted_ = 0;
    double charge_ = 0;
    std::vector<std::pair<std::string, std::string>> rejected_;
};

}  // namespace orrery::tools
