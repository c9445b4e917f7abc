// The rows of a page as JSON: counts OFFSET, LIMIT and TOP, and says when the page is full.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "sql/arena.h"
#include "sql/bound.h"
#include "sql/exec/page.h"

namespace orrery::sql {

class Output {
public:
    Output(const BoundQuery& query, const Resume& from, const PageLimits& limits, Arena& arena);

    // Takes a row; an undefined one is none. False when it has no room in this page.
    bool add(const Value& row);

    // No row will be taken any more: LIMIT or TOP is reached, or status() is an error.
    bool is_complete() const { return given_ >= wanted_ || failed_; }
    // The next row will not be taken into this page.
    bool is_full() const { return count_ >= limits_.rows_max; }

    // How many rows there still is room for, those that OFFSET passes over included.
    std::size_t rows_wanted() const;

    // 400/4001 when a row held a number that JSON cannot say.
    Status status() const;

    std::size_t count() const { return count_; }
    std::uint64_t passed() const { return passed_; }
    std::uint64_t given() const { return given_; }
    std::string take_rows() && { return std::move(rows_); }

private:
    const PageLimits& limits_;
    Arena& arena_;
    std::uint64_t offset_;
    std::uint64_t wanted_;
    std::uint64_t passed_;
    std::uint64_t given_;
    std::size_t count_ = 0;
    std::string rows_;
    bool failed_ = false;
};

}  // namespace orrery::sql
