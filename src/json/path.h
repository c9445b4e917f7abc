// A path to a property, as container definitions write it: /department, /properties/name,
// /"department name", /'department name'. Only objects are entered, never arrays.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery::json {

// The property names from the root down.
using Path = std::vector<std::string>;

enum class PathForm {
    kRequest,
    // As earlier versions stored it: a plain name may contain spaces and quotes after its first
    // character. Every valid request path means the same in this form.
    kStored,
};

// /a/"b c"/d → {a, b c, d}. A quoted name may contain any character; its own quote is escaped with
// a backslash. Error messages are a clause, "path '/a b' could not be accepted, failed near
// position '3'.", for the caller to complete.
Result<Path> parse_path(std::string_view text, PathForm form = PathForm::kRequest);

}  // namespace orrery::json
