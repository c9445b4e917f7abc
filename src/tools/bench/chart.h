// A result as a picture (SVG): latency percentiles, throughput and request units over time.

#pragma once

#include <string>

#include "tools/bench/result.h"

namespace orrery::tools::bench {

// A whole file, without references to anything else.
std::string draw_chart(const BenchResult& result);

}  // namespace orrery::tools::bench
