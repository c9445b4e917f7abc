#include "server/doctor/finding.h"

#include <algorithm>

#include <fmt/format.h>

namespace orrery::server::doctor {

namespace {

// What servers say must not reach a terminal as control codes, nor fill it.
std::string one_line(std::string text) {
    constexpr std::size_t kBytesMax = 400;
    if (text.size() > kBytesMax) text.replace(kBytesMax, std::string::npos, "...");
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return text;
}

}  // namespace

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
        out += fmt::format(
            "{:<8} {:<12} {}\n", name_of(finding.state), finding.check, one_line(finding.text));
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
