#include "tools/shell/line_editor.h"

#include <atomic>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <histedit.h>
#include <langinfo.h>
#include <signal.h>
#include <unistd.h>
#include <utility>

#include "base/utf8.h"
#include "tools/shell/history.h"
#include "tools/shell/screen.h"
#include "tools/shell/text.h"

namespace orrery::tools {

namespace {

std::atomic<bool> resized;
std::atomic<bool> continued;

void note(int signal) { (signal == SIGCONT ? continued : resized) = true; }

// libedit prints characters as the locale encodes them, and data is UTF-8.
void use_utf8() {
    if (std::setlocale(LC_CTYPE, "") != nullptr &&
        std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0) {
        return;
    }
    std::setlocale(LC_CTYPE, "C.UTF-8");
}

class LineEditor final : public LineSource {
public:
    LineEditor(const std::vector<std::string>& history,
               Completer completer,
               const cli::Interrupt& interrupt)
        : interrupt_(interrupt), completer_(std::move(completer)) {
        use_utf8();
        handle_signals();
        editor_ = el_init("orrery", stdin, stdout, stderr);
        history_ = history_init();
        HistEvent event{};
        ::history(history_, &event, H_SETSIZE, static_cast<int>(History::kLinesMax));
        ::history(history_, &event, H_SETUNIQUE, 1);
        el_set(editor_, EL_CLIENTDATA, this);
        el_set(editor_, EL_SIGNAL, 0);
        el_set(editor_, EL_PROMPT, prompt_of);
        el_set(editor_, EL_EDITOR, "emacs");
        el_set(editor_, EL_HIST, ::history, history_);
        el_wset(editor_, EL_GETCFN, read_character);
        el_set(editor_, EL_ADDFN, "orrery-complete", "Complete names", complete);
        el_set(editor_, EL_BIND, "^I", "orrery-complete", nullptr);
        el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
        el_source(editor_, nullptr);  // the user's ~/.editrc
        for (const std::string& line : history) {
            remember(line);
        }
    }

    LineEditor(const LineEditor&) = delete;
    LineEditor& operator=(const LineEditor&) = delete;

    ~LineEditor() override {
        el_end(editor_);
        history_end(history_);
        sigaction(SIGWINCH, &before_resizing_, nullptr);
        sigaction(SIGCONT, &before_continuing_, nullptr);
    }

    Outcome read(const std::string& prompt, std::string& line) override {
        prompt_ = printable(prompt);
        el_resize(editor_);
        int length = 0;
        const char* const text = el_gets(editor_, &length);
        if (text == nullptr || length <= 0) {
            // The prompt stays on the screen; what follows begins below it.
            std::fputs(interrupt_.flag() ? "^C\n" : "\n", stdout);
            std::fflush(stdout);
            if (!interrupt_.flag()) return Outcome::kEnd;
            el_reset(editor_);
            return Outcome::kInterrupted;
        }
        line.assign(text, static_cast<std::size_t>(length));
        while (line.ends_with('\n') || line.ends_with('\r'))
            line.pop_back();
        return Outcome::kLine;
    }

    void remember(const std::string& line) override {
        HistEvent event{};
        ::history(history_, &event, H_ENTER, line.c_str());
    }

private:
    static LineEditor& of(EditLine* editor) {
        void* self = nullptr;
        el_get(editor, EL_CLIENTDATA, &self);
        return *static_cast<LineEditor*>(self);
    }

    static char* prompt_of(EditLine* editor) { return of(editor).prompt_.data(); }

    // One character of UTF-8. -1 ends the line.
    static int read_character(EditLine* editor, wchar_t* out) {
        return of(editor).next_character(*out);
    }

    int next_character(wchar_t& out) {
        std::string bytes;
        while (true) {
            char byte = 0;
            const ssize_t got = read_byte(byte);
            if (got <= 0) return static_cast<int>(got);
            bytes += byte;
            std::string_view rest = bytes;
            const auto character = take_code_point(rest);
            if (character) {
                out = static_cast<wchar_t>(*character);
                return 1;
            }
            const auto first = static_cast<unsigned char>(bytes.front());
            const std::size_t wanted = first >= 0xF0   ? 4
                                       : first >= 0xE0 ? 3
                                       : first >= 0xC0 ? 2
                                                       : 1;
            if (bytes.size() < wanted) continue;
            out = static_cast<wchar_t>(kReplacementCharacter);
            return 1;
        }
    }

    ssize_t read_byte(char& byte) {
        while (!interrupt_.flag()) {
            if (continued.exchange(false)) {
                el_set(editor_, EL_PREP_TERM, 1);
                el_set(editor_, EL_REFRESH);
            }
            if (resized.exchange(false)) el_resize(editor_);
            if (interrupt_.wait_for_input(STDIN_FILENO)) return ::read(STDIN_FILENO, &byte, 1);
        }
        return -1;
    }

    static unsigned char complete(EditLine* editor, int /*key*/) {
        return of(editor).complete_line();
    }

    unsigned char complete_line() {
        const LineInfo* const line = el_line(editor_);
        const std::string_view before(line->buffer,
                                      static_cast<std::size_t>(line->cursor - line->buffer));
        const Completion found = completer_(before);
        if (!found.text.empty()) {
            return el_insertstr(editor_, found.text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
        }
        if (found.choices.size() < 2) return CC_ERROR;
        show(found.choices);
        return CC_REDISPLAY;
    }

    static void show(const std::vector<std::string>& choices) {
        std::string out = "\n";
        for (const std::string& line : in_columns(choices, terminal_columns())) {
            out += line + "\n";
        }
        std::fputs(out.c_str(), stdout);
        std::fflush(stdout);
    }

    void handle_signals() {
        struct sigaction action {};
        action.sa_handler = note;
        sigaction(SIGWINCH, &action, &before_resizing_);
        sigaction(SIGCONT, &action, &before_continuing_);
    }

    const cli::Interrupt& interrupt_;
    const Completer completer_;
    struct sigaction before_resizing_ {};
    struct sigaction before_continuing_ {};
    EditLine* editor_ = nullptr;
    ::History* history_ = nullptr;
    std::string prompt_;
};

}  // namespace

std::unique_ptr<LineSource> make_line_editor(const std::vector<std::string>& history,
                                             Completer completer,
                                             const cli::Interrupt& interrupt) {
    return std::make_unique<LineEditor>(history, std::move(completer), interrupt);
}

}  // namespace orrery::tools
