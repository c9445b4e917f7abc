#include "tools/shell/completion.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/ascii.h"
#include "sql/functions/function.h"
#include "sql/lexer.h"
#include "tools/shell/help.h"
#include "tools/shell/statements.h"

namespace orrery::tools {

namespace {

using sql::Token;
using sql::TokenKind;
using NamePath = std::vector<std::string>;

// A word that could be meant, and what follows it.
struct Candidate {
    std::string word;
    std::string_view after;
};

bool begins_with(std::string_view word, std::string_view prefix, bool any_case) {
    return word.size() >= prefix.size() &&
           (any_case ? same_word(word.substr(0, prefix.size()), prefix) : word.starts_with(prefix));
}

// Not in the middle of a character.
std::size_t common_length(std::string_view a, std::string_view b) {
    auto length = static_cast<std::size_t>(
        std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
    while (length > 0 && length < a.size() &&
           (static_cast<unsigned char>(a[length]) & 0xC0U) == 0x80U) {
        --length;
    }
    return length;
}

Completion choose(std::vector<Candidate> candidates, std::string_view prefix, bool any_case) {
    std::erase_if(candidates,
                  [&](const Candidate& c) { return !begins_with(c.word, prefix, any_case); });
    const bool lower_case = any_case && !prefix.empty() && prefix.back() == lower(prefix.back());
    Completion out;
    for (Candidate& candidate : candidates) {
        if (lower_case) candidate.word = lower(candidate.word);
        out.choices.push_back(candidate.word);
    }
    std::sort(out.choices.begin(), out.choices.end());
    out.choices.erase(std::unique(out.choices.begin(), out.choices.end()), out.choices.end());
    if (out.choices.empty()) return out;
    std::string_view common = out.choices.front();
    for (const std::string& choice : out.choices) {
        common = common.substr(0, common_length(common, choice));
    }
    out.text = common.substr(std::min(common.size(), prefix.size()));
    if (out.choices.size() == 1) out.text += candidates.front().after;
    return out;
}

Completion complete_place(std::string_view typed, KnownNames& names) {
    std::vector<Candidate> candidates;
    const std::size_t slash = typed.find('/');
    const bool has_slash = slash != std::string_view::npos;
    for (std::string& name :
         has_slash ? names.containers(std::string(typed.substr(0, slash))) : names.databases()) {
        candidates.push_back({std::move(name), ""});
    }
    return choose(std::move(candidates), has_slash ? typed.substr(slash + 1) : typed, false);
}

Completion complete_command(ShellCommand command, std::string_view typed, KnownNames& names) {
    switch (command) {
        case ShellCommand::kUse:
        case ShellCommand::kList:
            return complete_place(typed, names);
        case ShellCommand::kMode:
            return choose({{"table", ""}, {"json", ""}, {"lines", ""}}, typed, false);
        case ShellCommand::kThroughput:
            return choose({{"auto", " "}}, typed, false);
        default:
            return {};
    }
}

std::vector<Token> tokens_of(std::string_view query) {
    std::vector<Token> out;
    sql::Lexer lexer(query);
    for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
        out.push_back(token);
        if (token.kind == TokenKind::kBadString) break;
    }
    return out;
}

// Reads .name.name from this token on.
NamePath path_at(const std::vector<Token>& tokens, std::size_t& at) {
    NamePath out;
    while (at + 1 < tokens.size() && tokens[at].kind == TokenKind::kDot &&
           tokens[at + 1].kind == TokenKind::kIdentifier) {
        out.emplace_back(tokens[at + 1].text);
        at += 2;
    }
    return out;
}

// The aliases of a query and where they are in the item: FROM c JOIN b IN c.books → c: {}, b:
// {books}.
std::map<std::string, NamePath, std::less<>> aliases_in(const std::vector<Token>& tokens) {
    std::map<std::string, NamePath, std::less<>> out;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const Token& name = tokens[i + 1];
        if (name.kind != TokenKind::kIdentifier) continue;
        const bool join = tokens[i].kind == TokenKind::kJoin;
        if (!join && tokens[i].kind != TokenKind::kFrom) continue;
        std::size_t at = i + 2;
        const bool iterates = at + 1 < tokens.size() && tokens[at].kind == TokenKind::kIn;
        const Token& root = iterates ? tokens[at + 1] : name;
        if (iterates) at += 2;
        const auto known = out.find(root.text);
        NamePath path = known != out.end() ? known->second : NamePath();
        const NamePath more = path_at(tokens, at);
        path.insert(path.end(), more.begin(), more.end());
        std::string alias(more.empty() || iterates ? name.text : more.back());
        if (!iterates && at < tokens.size() && tokens[at].kind == TokenKind::kAs) ++at;
        if (!iterates && at < tokens.size() && tokens[at].kind == TokenKind::kIdentifier) {
            alias = tokens[at].text;
        }
        out[alias] = std::move(path);
    }
    return out;
}

// c.address. → the path from the item to where the cursor is; nothing if no dot comes before it.
// An alias that is not known yet, as in `SELECT c.` before FROM, is the item.
std::optional<NamePath> path_before(const std::vector<Token>& tokens, std::size_t end) {
    NamePath names;
    bool dotted = false;
    while (end > 0 && tokens[end - 1].kind == TokenKind::kDot) {
        dotted = true;
        --end;
        // An index of an array is passed over.
        if (end >= 3 && tokens[end - 1].kind == TokenKind::kRightBracket &&
            tokens[end - 3].kind == TokenKind::kLeftBracket) {
            end -= 3;
        }
        if (end == 0 || tokens[end - 1].kind != TokenKind::kIdentifier) return std::nullopt;
        names.emplace(names.begin(), tokens[end - 1].text);
        --end;
    }
    if (!dotted) return std::nullopt;
    const auto aliases = aliases_in(tokens);
    const auto root = aliases.find(names.front());
    NamePath out = root != aliases.end() ? root->second : NamePath();
    out.insert(out.end(), names.begin() + 1, names.end());
    return out;
}

std::vector<Candidate> words_of_queries() {
    std::vector<Candidate> out;
    for (const std::string_view word : sql::reserved_words()) {
        std::string name(word);
        std::transform(name.begin(), name.end(), name.begin(), [](char c) { return upper(c); });
        out.push_back({std::move(name), " "});
    }
    for (const char* aggregate : {"AVG", "COUNT", "MAX", "MIN", "SUM"}) {
        out.push_back({aggregate, "("});
    }
    for (const sql::FunctionGroup& group : sql::function_groups()) {
        for (const sql::Function& function : group.functions) {
            out.push_back({std::string(function.name), "("});
        }
    }
    return out;
}

Completion complete_query(std::string_view query, KnownNames& names) {
    const std::vector<Token> tokens = tokens_of(query);
    if (tokens.empty() || tokens.back().kind == TokenKind::kBadString) return {};
    const Token& last = tokens.back();
    const bool in_word = last.text.data() + last.text.size() == query.data() + query.size() &&
                         sql::is_identifier(std::string("_") + std::string(last.text));
    const std::string_view typed = in_word ? last.text : std::string_view();
    const std::size_t end = tokens.size() - (in_word ? 1 : 0);
    if (end > 0 && tokens[end - 1].kind == TokenKind::kDot) {
        const auto path = path_before(tokens, end);
        std::vector<Candidate> candidates;
        if (path) {
            for (std::string& name : names.properties().below(*path)) {
                // Others cannot be written after a dot.
                if (sql::is_identifier(name)) candidates.push_back({std::move(name), ""});
            }
        }
        return choose(std::move(candidates), typed, false);
    }
    if (typed.empty()) return {};
    return choose(words_of_queries(), typed, true);
}

}  // namespace

Completion complete(std::string_view statement, KnownNames& names) {
    const std::size_t begin = std::min(statement.find_first_not_of(" \t"), statement.size());
    statement.remove_prefix(begin);
    const std::size_t end = statement.find_first_of(" \t\n");
    if (end == std::string_view::npos) {
        std::vector<Candidate> candidates = {{"SELECT", " "}};
        for (const CommandHelp& command : shell_commands()) {
            candidates.push_back({std::string(command.name), command.arguments.empty() ? "" : " "});
        }
        return choose(std::move(candidates), statement, true);
    }
    const std::string_view first = statement.substr(0, end);
    if (begins_query(first)) return complete_query(statement, names);
    const auto command = find_command(first);
    if (!command) return {};
    std::string_view typed = statement.substr(end);
    typed.remove_prefix(std::min(typed.find_first_not_of(" \t"), typed.size()));
    return complete_command(*command, typed, names);
}

}  // namespace orrery::tools
