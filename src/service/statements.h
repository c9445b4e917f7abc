// Parsed queries by their text. Applications send the same few texts over and over, with other
// parameters; parsing and checking them once saves a tenth of the instructions of a short query.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "sql/ast.h"

namespace orrery::service {

// A valid query. Shared by the requests that run it.
class Statement {
public:
    explicit Statement(sql::ast::QueryPtr syntax) : syntax_(std::move(syntax)) {}

    const sql::ast::QueryPtr& syntax() const { return syntax_; }

    // Where a query runs that was too long for a reactor is remembered for its next runs: trying it
    // there once in a while costs little, and most queries always take about the same time.
    bool may_be_short() const {
        const int runs = long_runs_.load(std::memory_order_relaxed);
        if (runs == 0) return true;
        long_runs_.store(runs - 1, std::memory_order_relaxed);
        return false;
    }
    void was_long() const { long_runs_.store(kLongRuns, std::memory_order_relaxed); }

private:
    static constexpr int kLongRuns = 64;

    const sql::ast::QueryPtr syntax_;
    mutable std::atomic<int> long_runs_ = 0;  // left before it is tried on a reactor again
};
using StatementPtr = std::shared_ptr<const Statement>;

// Thread-safe. Keeps the texts used last, up to a total length; a syntax tree takes a few dozen
// times the memory of its text.
class Statements {
public:
    static constexpr std::size_t kTextBytesMax = 1 << 20;   // of all texts
    static constexpr std::size_t kOneTextBytesMax = 16384;  // longer ones are not kept

    // kBadRequest with the service's text if the query is invalid.
    Result<StatementPtr> parse(std::string_view text);

    std::size_t size() const;

private:
    static constexpr std::size_t kParts = 16;

    struct Entry {
        std::string text;
        StatementPtr statement;
    };
    using Entries = std::list<Entry>;
    // Requests with different texts rarely meet in one part.
    struct Part {
        mutable std::mutex mutex;
        Entries entries;  // the one used last first
        std::unordered_map<std::string_view, Entries::iterator> by_text;
        std::size_t bytes = 0;
    };

    static StatementPtr find(Part& part, std::string_view text);
    static void keep(Part& part, std::string_view text, const StatementPtr& statement);

    std::array<Part, kParts> parts_;
};

}  // namespace orrery::service
