#include "tools/shell/screen.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "tools/shell/text.h"

namespace orrery::tools {

namespace {

constexpr std::string_view kMore = "\x1b[7m--More--\x1b[m space: page, enter: line, q: stop ";

winsize terminal_size() {
    winsize out{};
    const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &out) == 0;
    if (!known || out.ws_col == 0) out.ws_col = 80;
    if (!known || out.ws_row == 0) out.ws_row = 24;
    return out;
}

// Reads single keys while it lives.
class KeyMode {
public:
    KeyMode() {
        if (tcgetattr(STDIN_FILENO, &before_) != 0) return;
        termios keys = before_;
        keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        keys.c_cc[VMIN] = 1;
        keys.c_cc[VTIME] = 0;
        changed_ = tcsetattr(STDIN_FILENO, TCSADRAIN, &keys) == 0;
    }
    KeyMode(const KeyMode&) = delete;
    KeyMode& operator=(const KeyMode&) = delete;
    ~KeyMode() {
        if (changed_) tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
    }

private:
    termios before_{};
    bool changed_ = false;
};

// What is left of a key such as an arrow after its first byte.
void discard_input() { tcflush(STDIN_FILENO, TCIFLUSH); }

}  // namespace

std::size_t terminal_columns() { return terminal_size().ws_col; }

Screen::Screen(bool pages, const cli::Interrupt& interrupt)
    : terminal_(isatty(STDOUT_FILENO) == 1),
      pages_(pages && terminal_ && isatty(STDIN_FILENO) == 1),
      interrupt_(interrupt) {}

std::size_t Screen::columns() const { return terminal_ ? terminal_columns() : 0; }

void Screen::begin(bool pages) {
    paging_ = pages_ && pages;
    stopped_ = false;
    left_ = std::max<std::size_t>(terminal_size().ws_row, 2) - 1;
}

bool Screen::line(std::string_view text) {
    if (stopped_ || interrupt_.flag()) return false;
    if (!terminal_) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        std::fputc('\n', stdout);
        return true;
    }
    const std::string shown = printable(text);
    const std::size_t lines =
        std::max<std::size_t>(1, (display_width(shown) + columns() - 1) / columns());
    if (paging_ && lines > left_ && !ask_for_more()) {
        stopped_ = true;
        return false;
    }
    std::fwrite(shown.data(), 1, shown.size(), stdout);
    std::fputc('\n', stdout);
    left_ -= std::min(left_, lines);
    return true;
}

void Screen::note(std::string_view text) {
    if (!terminal_ || interrupt_.flag()) return;
    const std::string shown = printable(text) + "\n";
    std::fwrite(shown.data(), 1, shown.size(), stdout);
}

bool Screen::lines(std::string_view text) {
    while (true) {
        const std::size_t end = text.find('\n');
        if (!line(text.substr(0, end))) return false;
        if (end == std::string_view::npos) return true;
        text.remove_prefix(end + 1);
    }
}

bool Screen::ask_for_more() {
    const KeyMode mode;  // before the user is asked, or the key would be echoed
    const std::string_view question =
        kMore.size() < columns() ? kMore : kMore.substr(0, kMore.find(' '));
    std::fwrite(question.data(), 1, question.size(), stdout);
    std::fflush(stdout);
    bool more = false;
    while (!interrupt_.flag()) {
        if (!interrupt_.wait_for_input(STDIN_FILENO)) continue;
        char key = 0;
        const ssize_t got = ::read(STDIN_FILENO, &key, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 || key == 'q' || key == 'Q' || key == '\x04') break;
        if (key == ' ' || key == '\n' || key == '\r') {
            left_ = key == ' ' ? std::max<std::size_t>(terminal_size().ws_row, 2) - 1 : 1;
            more = true;
            break;
        }
        if (key == '\x1b') discard_input();
    }
    std::fputs("\r\x1b[K", stdout);
    return more;
}

Status Screen::flush() {
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return {};
    return Error(ErrorCode::kUnavailable,
                 std::string("cannot write to standard output: ") + std::strerror(errno));
}

}  // namespace orrery::tools
