// docs/request-units.md, from the prices themselves.

#pragma once

#include <string>

namespace orrery::throughput {

std::string charge_documentation();

}  // namespace orrery::throughput
