// Splits what a user or a script enters into statements: commands, which are a line each, and
// queries, which may take several lines.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::tools {

// The first word of a statement, and the rest without the blanks around it.
struct Words {
    std::string_view first;
    std::string_view rest;
};
Words split_first_word(std::string_view statement);

// Whether this word begins a query, in any case: SELECT, EXPLAIN.
bool begins_query(std::string_view word);

// A query ends with a semicolon. One on a single line may do without if it is complete; where lines
// are not entered one by one, only if the next line begins another statement. `put` goes on until
// its JSON is complete. Lines that are empty or a comment (-- or #) between statements are skipped.
class Statements {
public:
    explicit Statements(bool interactive) : interactive_(interactive) {}

    // The statements that this line completes, without their semicolons.
    std::vector<std::string> add(std::string_view line);
    // At the end of the input: what is left, complete or not.
    std::optional<std::string> finish();

    // Whether a statement has begun.
    bool pending() const { return !pending_.empty(); }
    void clear() { pending_.clear(); }
    const std::string& text() const { return pending_; }

private:
    void begin(std::string_view line, std::vector<std::string>& out);
    void go_on(std::vector<std::string>& out);

    const bool interactive_;
    std::string pending_;
};

}  // namespace orrery::tools
