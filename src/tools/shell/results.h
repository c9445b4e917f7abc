// Prints the results of queries as they come: as tables, as an array of JSON, or a line each.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/shell/screen.h"
#include "tools/shell/table.h"

namespace orrery::tools {

enum class Mode : std::uint8_t { kTable, kJson, kLines };

class Results {
public:
    Results(Screen& screen, Mode mode) : screen_(screen), mode_(mode) {}

    // One result, minified JSON; false if no more are wanted.
    bool add(std::string_view element);
    // Prints what is left.
    void finish();

    std::uint64_t count() const { return count_; }

private:
    void print_table();
    bool print_previous(std::string_view end);

    Screen& screen_;
    const Mode mode_;
    std::uint64_t count_ = 0;
    std::optional<Table> table_;
    // Of an array, as the comma after it depends on the next one.
    std::string previous_;
};

// The lines of a JSON value with its members indented. `json` is minified.
std::string indented(std::string_view json);

}  // namespace orrery::tools
