#include "cli/manual.h"

#include "base/ascii.h"

namespace orrery::cli {

namespace {

// Backslashes and dashes have meanings of their own, as has a dot or quote that begins a line.
std::string escaped(const std::string& text) {
    std::string out;
    bool line_begins = true;
    for (const char c : text) {
        if (line_begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
        line_begins = c == '\n';
    }
    return out;
}

std::string title(const std::string& name) {
    return ".TH " + name + " 1 \"\" \"orrery " ORRERY_VERSION "\" \"Orrery\"\n";
}

std::string option_text(const OptionDescription& option) {
    std::string out = ".TP\n";
    if (option.names.empty()) {
        out += "\\fI" + escaped(option.value) + "\\fR";
    }
    for (std::size_t i = 0; i < option.names.size(); ++i) {
        out += (i == 0 ? "" : ", ") + ("\\fB" + escaped(option.names[i]) + "\\fR");
    }
    if (!option.names.empty() && !option.value.empty()) {
        out += " \\fI" + escaped(option.value) + "\\fR";
    }
    out += "\n" + escaped(option.help);
    const auto add = [&](const std::string& label, const std::string& value) {
        if (!value.empty()) out += "\n.br\n" + label + " " + escaped(value);
    };
    std::string choices;
    for (const std::string& choice : option.choices) {
        choices += (choices.empty() ? "" : ", ") + choice;
    }
    add("One of:", choices);
    add("Default:", option.default_value);
    add("Environment:", option.variable);
    if (option.required) out += "\n.br\nRequired.";
    return out + "\n";
}

}  // namespace

std::string program_page(const std::vector<CommandDescription>& commands) {
    std::string out = title("ORRERY") +
                      ".SH NAME\n"
                      "orrery \\- a document database with the API of Azure Cosmos DB for NoSQL\n"
                      ".SH SYNOPSIS\n"
                      ".B orrery\n"
                      "\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n"
                      ".SH COMMANDS\n";
    for (const CommandDescription& command : commands) {
        out += ".TP\n.BR orrery\\-" + escaped(command.name) + " (1)\n" + escaped(command.summary) +
               "\n";
    }
    return out;
}

std::string command_page(const CommandDescription& command) {
    const std::string name = "orrery-" + command.name;
    std::string upper_name = name;
    for (char& c : upper_name) {
        c = upper(c);
    }
    std::string out = title(escaped(upper_name)) + ".SH NAME\n" + escaped(name) + " \\- " +
                      escaped(command.summary) + "\n.SH SYNOPSIS\n.B orrery " +
                      escaped(command.name) + "\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n" +
                      escaped(command.text) + "\n";
    std::string group;
    for (const OptionDescription& option : command.options) {
        if (option.group != group) {
            group = option.group;
            out += ".SH " + escaped(group) + "\n";
        }
        out += option_text(option);
    }
    if (!command.examples.empty()) out += ".SH EXAMPLES\n";
    for (const Example& example : command.examples) {
        out += ".PP\n" + escaped(example.purpose) + ":\n.PP\n.RS 4\n.EX\n" +
               escaped(example.command) + "\n.EE\n.RE\n";
    }
    return out + ".SH SEE ALSO\n.BR orrery (1)\n";
}

}  // namespace orrery::cli
