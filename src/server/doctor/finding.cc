#include "server/doctor/finding.h"

#include <algorithm>

#include <fmt/format.h>

namespace orrery::server::doctor {

std::string_view name_of(State state) {
    switch (state) {
        case State::kGood:
            return "good";
        case State::kNote:
            return "note";
        case State::kWarning:
            return "warning";
        case State::kProblem:
            break;
    }
    return "problem";
}

bool has_problem(const Findings& findings) {
    return std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
        return finding.state == State::kProblem;
    });
}

std::string text_of(const Findings& findings) {
    std::string out;
    for (const Finding& finding : findings) {
        out +=
            fmt::format("{:<8} {:<12} {}\n", name_of(finding.state), finding.check, finding.text);
        for (const std::string& advice : finding.advice) {
            out += fmt::format("{:<21} {}\n", "", advice);
        }
    }
    return out;
}

json::Value json_of(const Findings& findings) {
    json::Value::Array checks;
    for (const Finding& finding : findings) {
        json::Value::Array advice(finding.advice.begin(), finding.advice.end());
        checks.push_back(json::Value::Object{{"check", finding.check},
                                             {"state", name_of(finding.state)},
                                             {"text", finding.text},
                                             {"advice", std::move(advice)}});
    }
    return json::Value::Object{{"good", !has_problem(findings)}, {"checks", std::move(checks)}};
}

}  // namespace orrery::server::doctor
