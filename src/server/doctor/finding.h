// What `orrery doctor` finds: a line for each check, and what to do.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace orrery::server::doctor {

enum class State : std::uint8_t {
    kGood,
    kNote,     // worth knowing
    kWarning,  // works, but not as well as it could, or not for long
    kProblem,  // has to be changed
};

std::string_view name_of(State state);

struct Finding {
    std::string check;  // what was checked, a word: "port"
    State state = State::kGood;
    std::string text = {};                 // what is the case
    std::vector<std::string> advice = {};  // what to do, a sentence or command each
};

using Findings = std::vector<Finding>;

bool has_problem(const Findings& findings);

// For people: a line for each finding, with its advice below.
std::string text_of(const Findings& findings);
// {"good": true, "checks": [{"check": "port", "state": "good", "text": "...", "advice": []}]}
json::Value json_of(const Findings& findings);

}  // namespace orrery::server::doctor
