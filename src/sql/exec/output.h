// The rows of a page as JSON. Applies OFFSET, LIMIT and TOP, and tells when the page is full.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "sql/bound.h"
#include "sql/evaluator.h"
#include "sql/exec/page.h"

namespace orrery::sql {

class Output {
public:
    Output(const BoundQuery& query,
           const Resume& from,
           const PageLimits& limits,
           Evaluator& evaluator);

    // Adds a row; undefined rows are skipped. False when it does not fit into this page, or the
    // budget is used up.
    bool add(const Value& row);

    // No more rows are needed: LIMIT or TOP is reached, or status() is an error.
    bool is_complete() const { return given_ >= wanted_ || failed_; }
    // The page has no room for another row.
    bool is_full() const { return count_ >= limits_.rows_max; }

    // How many more rows can be used, including those that OFFSET skips.
    std::size_t rows_wanted() const;

    // 400/4001 when a row contains a number that JSON cannot represent.
    Status status() const;

    std::size_t count() const { return count_; }
    std::uint64_t passed() const { return passed_; }
    std::uint64_t given() const { return given_; }
    std::string take_rows() && { return std::move(rows_); }

private:
    void make_room();

    const PageLimits& limits_;
    Evaluator& evaluator_;
    std::uint64_t offset_;
    std::uint64_t wanted_;
    std::uint64_t passed_;
    std::uint64_t given_;
    std::size_t count_ = 0;
    std::string rows_;
    bool failed_ = false;
};

}  // namespace orrery::sql
