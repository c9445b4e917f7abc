// A query parameter, as given in the request.

#pragma once

#include <string>

namespace orrery::sql {

struct ParameterValue {
    std::string name;  // with the @
    std::string json;  // checked and minified
};

}  // namespace orrery::sql
