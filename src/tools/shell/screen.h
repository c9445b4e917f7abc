// Standard output of the shell. On a terminal, what is longer than the screen is shown page by
// page, and nothing of the data acts on the terminal.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/interrupt.h"

namespace orrery::tools {

// The width of the terminal on standard output; 80 if it does not say.
std::size_t terminal_columns();

// How much to read at a time where the user may not want to see more.
inline constexpr std::size_t kItemsAtOnce = 100;

class Screen {
public:
    // Pages wait for keys, which requires that standard input is a terminal, too. `interrupt`
    // must outlive this; it ends the output.
    Screen(bool pages, const cli::Interrupt& interrupt);

    bool is_terminal() const { return terminal_; }
    // Whether the user may end the output after each page.
    bool has_pages() const { return pages_; }
    // Of the terminal; 0: no limit.
    std::size_t columns() const;

    // Begins the output of a statement, and with it the first page.
    void begin(bool pages = true);
    // Prints a line; false if the user wants to see no more.
    bool line(std::string_view text);
    // The same for several lines.
    bool lines(std::string_view text);
    // A line for people, on terminals only. Not part of the pages.
    void note(std::string_view text);
    bool stopped() const { return stopped_; }

    // Whether everything has been written.
    Status flush();

private:
    bool ask_for_more();

    const bool terminal_;
    const bool pages_;
    const cli::Interrupt& interrupt_;
    bool paging_ = false;
    bool stopped_ = false;
    std::size_t left_ = 0;  // lines of this page
};

}  // namespace orrery::tools
