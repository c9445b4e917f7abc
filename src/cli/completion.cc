#include "cli/completion.h"

#include <fmt/format.h>

namespace orrery::cli {

namespace {

// 'it'\''s'
std::string shell_word(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
        } else {
            out += c;
        }
    }
    return out + "'";
}

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) {
        out += (out.empty() ? "" : " ") + word;
    }
    return out;
}

std::vector<std::string> names_of(const std::vector<CommandDescription>& commands) {
    std::vector<std::string> out;
    out.reserve(commands.size());
    for (const CommandDescription& command : commands) {
        out.push_back(command.name);
    }
    return out;
}

std::string bash(const std::vector<CommandDescription>& commands) {
    std::string values;
    std::string options;
    for (const CommandDescription& command : commands) {
        std::vector<std::string> names;
        for (const OptionDescription& option : command.options) {
            names.insert(names.end(), option.names.begin(), option.names.end());
            if (option.choices.empty()) continue;
            for (const std::string& name : option.names) {
                values += fmt::format("        '{} {}') words={} ;;\n",
                                      command.name,
                                      name,
                                      shell_word(joined(option.choices)));
            }
        }
        options +=
            fmt::format("        {}) words={} ;;\n", command.name, shell_word(joined(names)));
    }
    return fmt::format(R"(# Completion of orrery for bash.
_orrery() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W {} -- "$word"))
        return
    fi
    case "${{COMP_WORDS[1]}} $before" in
{}    esac
    if [ -z "$words" ] && [[ $word == -* ]]; then
        case ${{COMP_WORDS[1]}} in
{}        esac
    fi
    if [ -n "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}}
complete -o filenames -F _orrery orrery
)",
                       shell_word(joined(names_of(commands))),
                       values,
                       options);
}

// What zsh shows in brackets must not contain brackets or colons unescaped.
std::string zsh_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string zsh_option(const OptionDescription& option, const std::string& name) {
    std::string spec = name + "[" + zsh_text(option.help) + "]";
    if (!option.choices.empty()) {
        spec += ":" + option.value + ":(" + joined(option.choices) + ")";
    } else if (!option.value.empty()) {
        spec += ":" + option.value + ":_files";
    }
    return spec;
}

std::string zsh(const std::vector<CommandDescription>& commands) {
    std::string list;
    std::string cases;
    for (const CommandDescription& command : commands) {
        list += "        " + shell_word(command.name + ":" + zsh_text(command.summary)) + "\n";
        cases += fmt::format("    {})\n        _arguments", command.name);
        for (const OptionDescription& option : command.options) {
            for (const std::string& name : option.names) {
                cases += " \\\n            " + shell_word(zsh_option(option, name));
            }
        }
        cases += " \\\n            '*:file:_files'\n        ;;\n";
    }
    return fmt::format(R"(#compdef orrery
_orrery() {{
    local -a commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{}    esac
}}
_orrery "$@"
)",
                       list,
                       cases);
}

std::string fish(const std::vector<CommandDescription>& commands) {
    std::string out = "# Completion of orrery for fish.\n";
    for (const CommandDescription& command : commands) {
        out += fmt::format("complete -c orrery -n __fish_use_subcommand -f -a {} -d {}\n",
                           command.name,
                           shell_word(command.summary));
        for (const OptionDescription& option : command.options) {
            if (option.names.empty()) continue;
            out +=
                fmt::format("complete -c orrery -n '__fish_seen_subcommand_from {}'", command.name);
            for (const std::string& name : option.names) {
                const bool is_long = name.starts_with("--");
                out += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
            }
            if (!option.choices.empty()) {
                out += " -x -a " + shell_word(joined(option.choices));
            } else if (!option.value.empty()) {
                out += " -r";
            }
            out += " -d " + shell_word(option.help) + "\n";
        }
    }
    return out;
}

}  // namespace

std::optional<std::string> completion_script(std::string_view shell,
                                             const std::vector<CommandDescription>& commands) {
    if (shell == "bash") return bash(commands);
    if (shell == "zsh") return zsh(commands);
    if (shell == "fish") return fish(commands);
    return std::nullopt;
}

}  // namespace orrery::cli
