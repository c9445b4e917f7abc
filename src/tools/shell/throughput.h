// The throughput of a database or container: its offer.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/client.h"
#include "tools/shell/session.h"

namespace orrery::tools {

// "400" or "auto 4000".
struct Throughput {
    std::int64_t units = 0;  // of autoscale, the maximum
    bool autoscale = false;

    bool operator==(const Throughput&) const = default;

    std::string text() const;
};
Result<Throughput> parse_throughput(std::string_view text);

// kNotFound if the place has no throughput of its own.
Result<Throughput> read_throughput(client::Client& client, const Place& place);
Status write_throughput(client::Client& client, const Place& place, const Throughput& wanted);

}  // namespace orrery::tools
