#include "tools/shell/statements.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "sql/ast.h"
#include "sql/checks.h"
#include "sql/functions/function.h"
#include "sql/lexer.h"
#include "sql/parser.h"
#include "tools/shell/help.h"

namespace orrery::tools {

namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

std::string_view without_blanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

bool is_comment(std::string_view line) { return line.starts_with("--") || line.starts_with('#'); }

std::string_view without_semicolons(std::string_view text) {
    text = without_blanks(text);
    while (text.ends_with(';')) {
        text.remove_suffix(1);
        text = without_blanks(text);
    }
    return text;
}

// Where the query ends at a semicolon that is in no string and no comment.
std::optional<std::size_t> semicolon(std::string_view text) {
    sql::Lexer lexer(text);
    for (sql::Token token = lexer.next(); token.kind != sql::TokenKind::kEnd;
         token = lexer.next()) {
        // An unclosed string is its quote alone; the rest of the text belongs to it.
        if (token.kind == sql::TokenKind::kBadString && token.text.size() == 1) break;
        if (token.text == ";") return static_cast<std::size_t>(token.text.data() - text.data());
    }
    return std::nullopt;
}

// Whether the query could be run as it is. `SELECT c.id` could be parsed, but has no FROM yet.
bool is_complete(std::string_view query) {
    const auto parsed = sql::parse(query);
    if (!parsed) return false;
    if (!(*parsed)->from.empty()) return true;
    return static_cast<bool>(sql::check_query(**parsed, {.find_function = sql::find_function}));
}

// Whether all brackets and strings are closed. Says nothing about the rest of the syntax.
bool is_closed(std::string_view json) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_string) {
            if (c == '\\') ++i;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    // A line break ends no string, so this one is a mistake to report.
    return depth <= 0 || in_string;
}

bool begins_statement(std::string_view line) {
    const std::string_view word = split_first_word(line).first;
    return begins_query(word) || is_command(word);
}

}  // namespace

Words split_first_word(std::string_view statement) {
    statement = without_blanks(statement);
    const std::size_t end = std::min(statement.find_first_of(kBlanks), statement.size());
    return {statement.substr(0, end), without_blanks(statement.substr(end))};
}

bool begins_query(std::string_view word) {
    const std::string_view name = word.substr(0, word.find_first_of("*(\"'[{;"));
    return same_word(name, "SELECT") || same_word(name, "EXPLAIN");
}

std::vector<std::string> Statements::add(std::string_view line) {
    std::vector<std::string> out;
    if (pending_.empty()) {
        begin(line, out);
        return out;
    }
    const bool query = begins_query(split_first_word(pending_).first);
    if (query && !interactive_ && begins_statement(line) && is_complete(pending_)) {
        out.push_back(std::exchange(pending_, {}));
        begin(line, out);
        return out;
    }
    pending_ += '\n';
    pending_ += line;
    go_on(out);
    return out;
}

std::optional<std::string> Statements::finish() {
    const std::string text(without_semicolons(std::exchange(pending_, {})));
    return text.empty() ? std::nullopt : std::optional(text);
}

void Statements::begin(std::string_view line, std::vector<std::string>& out) {
    line = without_blanks(line);
    while (line.starts_with(';')) {
        line = without_blanks(line.substr(1));
    }
    if (line.empty() || is_comment(line)) return;
    pending_ = line;
    go_on(out);
    const bool one_line = pending_.find('\n') == std::string::npos;
    if (interactive_ && one_line && begins_query(split_first_word(pending_).first) &&
        is_complete(pending_)) {
        out.push_back(std::exchange(pending_, {}));
    }
}

void Statements::go_on(std::vector<std::string>& out) {
    const Words words = split_first_word(pending_);
    if (begins_query(words.first)) {
        const auto end = semicolon(pending_);
        if (!end) return;
        const std::string rest = pending_.substr(*end + 1);
        pending_.resize(*end);
        out.push_back(std::string(without_blanks(pending_)));
        pending_.clear();
        begin(rest, out);
        return;
    }
    if (same_word(words.first, "put") && !is_closed(words.rest)) return;
    const std::string text = std::exchange(pending_, {});
    out.push_back(std::string(without_semicolons(text)));
}

}  // namespace orrery::tools
