// The JavaScript part of the server-side API, as text. It is the body of a function with one
// parameter, `native`; spidermonkey/realm.h describes the contract.

#pragma once

#include <string_view>

namespace orrery::script {

extern const std::string_view kPrelude;

}  // namespace orrery::script
