// The part of the server-side API that is written in JavaScript, as text. It is the body of a
// function of one parameter, `native`; see spidermonkey/realm.h for both sides of the contract.

#pragma once

#include <string_view>

namespace orrery::script {

extern const std::string_view kPrelude;

}  // namespace orrery::script
