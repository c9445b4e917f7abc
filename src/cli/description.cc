#include "cli/description.h"

#include <algorithm>

namespace orrery::cli {

namespace {

// "TEXT:{json,jsonl}" → json, jsonl
std::vector<std::string> choices_in(const std::string& type) {
    const std::size_t open = type.find(":{");
    const std::size_t close = type.find('}', open == std::string::npos ? 0 : open);
    if (open == std::string::npos || close == std::string::npos) return {};
    std::vector<std::string> out = split_list(type.substr(open + 2, close - open - 2));
    // CLI11 prints what a choice stands for, too: "json->0".
    for (std::string& choice : out) {
        choice.resize(std::min(choice.find("->"), choice.size()));
    }
    return out;
}

OptionDescription describe(const CLI::Option& option) {
    OptionDescription out;
    for (const std::string& name : option.get_snames()) {
        out.names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        out.names.push_back("--" + name);
    }
    if (option.get_items_expected_max() > 0) {
        const std::string type = option.get_type_name();
        out.value = type.substr(0, type.find(':'));
        out.choices = choices_in(type);
        if (out.names.empty()) out.value = option.get_name(true);
    }
    out.help = option.get_description();
    out.default_value = option.get_default_str();
    out.variable = option.get_envname();
    out.group = option.get_group();
    out.required = option.get_required();
    return out;
}

}  // namespace

CommandDescription describe(Command& command) {
    const auto app = declare(command);
    CommandDescription out{.name = command.name(),
                           .summary = command.summary(),
                           .text = command.description(),
                           .examples = command.examples(),
                           .options = {}};
    for (const CLI::Option* option : app->get_options()) {
        out.options.push_back(describe(*option));
    }
    return out;
}

}  // namespace orrery::cli
