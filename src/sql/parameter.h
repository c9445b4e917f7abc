// A parameter of a query, as the request gives it.

#pragma once

#include <string>

namespace orrery::sql {

struct ParameterValue {
    std::string name;  // with the @
    std::string json;  // checked and minified
};

}  // namespace orrery::sql
