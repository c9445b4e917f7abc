#include "sql/exec/output.h"

#include <algorithm>
#include <limits>

namespace orrery::sql {

Output::Output(const BoundQuery& query,
               const Resume& from,
               const PageLimits& limits,
               Evaluator& evaluator)
    : limits_(limits),
      evaluator_(evaluator),
      offset_(query.offset.value_or(0)),
      wanted_(std::min(query.top.value_or(std::numeric_limits<std::uint64_t>::max()),
                       query.limit.value_or(std::numeric_limits<std::uint64_t>::max()))),
      passed_(from.passed),
      given_(from.given) {}

bool Output::add(const Value& row) {
    if (row.is_undefined()) return true;
    if (evaluator_.is_stopped()) return false;
    if (passed_ < offset_) {
        ++passed_;
        return true;
    }
    if (is_full()) return false;
    const std::size_t before = rows_.size();
    if (before > 0) rows_ += ',';
    const bool printed = append_json(rows_, row, evaluator_.arena());
    if (rows_.size() > before) evaluator_.budget().take(rows_.size() - before);
    if (evaluator_.is_stopped()) {
        rows_.resize(before);
        return false;
    }
    if (!printed) {
        failed_ = true;
        return true;
    }
    if (count_ == 0) make_room();
    // The first row is taken whatever its size, so every page makes progress.
    if (rows_.size() > limits_.bytes_max && count_ > 0) {
        rows_.resize(before);
        return false;
    }
    ++count_;
    ++given_;
    return true;
}

// For as many rows like the first as are wanted, in one piece of a size that allocators reuse.
void Output::make_room() {
    constexpr std::size_t kBytesMax = 32'000;
    constexpr std::size_t kAround = 256;  // what encloses the rows in an answer
    if (rows_.size() > kBytesMax) return;
    const std::size_t rows = std::min(rows_wanted(), kBytesMax / rows_.size());
    rows_.reserve(std::min(kBytesMax, rows * (rows_.size() + 1) + kAround));
}

std::size_t Output::rows_wanted() const {
    const std::uint64_t page = limits_.rows_max - count_;
    // One more than fits, to learn whether there is a next page.
    return std::min(page, wanted_ - std::min(wanted_, given_)) + (offset_ - passed_) + 1;
}

Status Output::status() const {
    if (!failed_) return {};
    constexpr std::uint32_t kNotRepresentable = 4001;
    return Error(ErrorCode::kBadRequest,
                 "{\"errors\":[{\"severity\":\"Error\",\"code\":4001,\"message\":\"The response "
                 "content contains a numeric value that cannot be represented in JSON (e.g. "
                 "Infinity and NaN).\"}]}",
                 kNotRepresentable);
}

}  // namespace orrery::sql
