// Where the shell's lines come from: a terminal with editing, history and completion, or a file.
// Only line_editor.cc knows the library that does the editing.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/interrupt.h"

namespace orrery::tools {

// What Tab does: adds text, or else shows what could be meant.
struct Completion {
    std::string text;  // to insert at the cursor
    std::vector<std::string> choices;
};
// Gets the line up to the cursor.
using Completer = std::function<Completion(std::string_view line)>;

class LineSource {
public:
    enum class Outcome : std::uint8_t { kLine, kEnd, kInterrupted };

    LineSource() = default;
    LineSource(const LineSource&) = delete;
    LineSource& operator=(const LineSource&) = delete;
    virtual ~LineSource() = default;

    // The next line, without its end. kInterrupted when a signal has set the flag.
    virtual Outcome read(const std::string& prompt, std::string& line) = 0;
    // For the arrow keys.
    virtual void remember(const std::string& /*line*/) {}
};

// Reads from standard input, which is no terminal. `interrupt` must outlive it, as below.
std::unique_ptr<LineSource> make_file_source(const cli::Interrupt& interrupt);

// Edits lines on the terminal. `history`: the oldest first. One at a time.
std::unique_ptr<LineSource> make_line_editor(const std::vector<std::string>& history,
                                             Completer completer,
                                             const cli::Interrupt& interrupt);

}  // namespace orrery::tools
