#include <cstdio>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "cli/interrupt.h"
#include "tools/account_arguments.h"
#include "tools/commands.h"
#include "tools/shell/completion.h"
#include "tools/shell/history.h"
#include "tools/shell/line_editor.h"
#include "tools/shell/screen.h"
#include "tools/shell/session.h"
#include "tools/shell/shell.h"
#include "tools/shell/statements.h"
#include "tools/shell/text.h"

namespace orrery::tools {

namespace {

constexpr const char* kContinuation = "  ...> ";
// As other shells report a signal.
constexpr int kExitSignal = 128;

const cli::Choices<Mode> kModeChoices = {
    {"table", Mode::kTable}, {"json", Mode::kJson}, {"lines", Mode::kLines}};

class ShellTool final : public cli::Command {
public:
    std::string name() const override { return "shell"; }
    std::string summary() const override { return "query and change items interactively"; }
    std::string description() const override;
    std::vector<cli::Example> examples() const override;
    void declare(CLI::App& app) override;
    std::string check() override;
    int run() override;

private:
    AccountArguments account_;
    std::string database_;
    std::string container_;
    std::vector<std::string> commands_;
    Mode mode_ = Mode::kTable;
    bool json_ = false;
    bool keep_going_ = false;
    CLI::Option* mode_option_ = nullptr;
    bool mode_given_ = false;
};

std::string ShellTool::description() const {
    return "Runs queries and commands against a server: on a terminal interactively, with editing, "
           "history and completion by Tab; otherwise those in --command, or on standard input. "
           "Queries end with a semicolon. `.help` lists the commands: use, ls, cat, put, rm, "
           "EXPLAIN, .stats, .throughput, .watch, .mode and .quit. Ctrl-C ends a query, Ctrl-D the "
           "shell. A script stops at the first error. Databases and containers cannot be deleted "
           "from the shell.";
}

std::vector<cli::Example> ShellTool::examples() const {
    return {{"orrery shell --database db --container books", "Query a container interactively"},
            {"orrery shell --database db --container books --json --command 'SELECT * FROM c WHERE "
             "c.year > 2000' --command .stats",
             "Run statements given on the command line"},
            {"orrery shell --keep-going < script.txt", "Run a script, also after errors"}};
}

void ShellTool::declare(CLI::App& app) {
    app.add_option("--database", database_, "Database to use first");
    app.add_option("--container", container_, "Container of it to use first");
    app.add_option("--command",
                   commands_,
                   "Statement to run instead of standard input; may be given several times")
        ->take_all()
        ->allow_extra_args(false);
    mode_option_ = cli::add_choice(app,
                                   "mode",
                                   mode_,
                                   kModeChoices,
                                   "table on a terminal, else lines",
                                   "How to print results: a table, JSON, or a line of JSON each");
    app.add_flag("--json", json_, "The same as --mode json");
    app.add_flag("--keep-going", keep_going_, "Go on after an error; the exit code is 1 anyway");
    account_.declare(app);
}

std::string ShellTool::check() {
    if (!container_.empty() && database_.empty()) return "--container needs --database";
    mode_given_ = mode_option_->count() > 0;
    if (json_ && mode_given_ && mode_ != Mode::kJson) return "give either --json or --mode";
    if (json_) mode_ = Mode::kJson;
    mode_given_ = mode_given_ || json_;
    return account_.check();
}

void print_problem(const Error& error) {
    std::fprintf(stderr, "orrery: %s\n", printable(error.message()).c_str());
}

// A run of the shell, once its options are known.
class Runner {
public:
    Runner(Shell& shell, cli::Interrupt& interrupt, bool keep_going)
        : shell_(shell), interrupt_(interrupt), keep_going_(keep_going) {}

    int interactive();
    int script(LineSource& lines);
    int commands(const std::vector<std::string>& texts);

private:
    // False to stop.
    bool run(const std::string& statement);
    bool run_all(const std::vector<std::string>& statements);
    void remember(const std::string& line, bool complete);
    int exit_code() const;

    Shell& shell_;
    cli::Interrupt& interrupt_;
    const bool keep_going_;
    bool failed_ = false;
    History history_{history_file()};
    std::unique_ptr<LineSource> editor_;
    std::vector<std::string> entered_;  // lines of the statement that is being entered
};

int Runner::exit_code() const {
    if (interrupt_.ending() != 0) return kExitSignal + interrupt_.ending();
    if (interrupt_.flag()) return cli::kExitInterrupted;
    return failed_ ? cli::kExitFailure : 0;
}

bool Runner::run(const std::string& statement) {
    const Status done = shell_.run(statement);
    if (!done) {
        failed_ = true;
        print_problem(done.error());
    }
    return !interrupt_.flag() && !shell_.ended() && (done || keep_going_);
}

bool Runner::run_all(const std::vector<std::string>& statements) {
    for (const std::string& statement : statements) {
        if (!run(statement)) return false;
    }
    return true;
}

int Runner::script(LineSource& lines) {
    Statements statements(false);
    std::string line;
    while (lines.read("", line) == LineSource::Outcome::kLine) {
        if (!run_all(statements.add(line))) return exit_code();
    }
    const auto last = statements.finish();
    if (last && !interrupt_.flag()) run(*last);
    return exit_code();
}

int Runner::commands(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        Statements statements(false);
        std::vector<std::string> all;
        std::string_view rest = text;
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            for (std::string& statement : statements.add(rest.substr(0, end))) {
                all.push_back(std::move(statement));
            }
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        if (auto last = statements.finish()) all.push_back(*std::move(last));
        if (!run_all(all)) break;
    }
    return exit_code();
}

// A statement is remembered as one line, unless a comment would then hide the rest of it.
void Runner::remember(const std::string& line, bool complete) {
    if (line.find_first_not_of(" \t") != std::string::npos) entered_.push_back(line);
    if (!complete || entered_.empty()) return;
    std::vector<std::string> lines = std::exchange(entered_, {});
    std::string joined;
    for (const std::string& part : lines) {
        joined += (joined.empty() ? "" : " ") + part;
    }
    if (joined.find("--") == std::string::npos) lines = {std::move(joined)};
    for (const std::string& entry : lines) {
        editor_->remember(entry);
        // Once told at the start, a missing history is no news.
        (void)history_.add(entry);
    }
}

int Runner::interactive() {
    auto history = history_.load();
    if (!history) print_problem(history.error());
    Statements statements(true);
    const auto completer = [&](std::string_view line) {
        const std::string before = statements.pending() ? statements.text() + "\n" : "";
        return complete(before + std::string(line), shell_);
    };
    editor_ =
        make_line_editor(history ? *history : std::vector<std::string>(), completer, interrupt_);
    std::string line;
    while (!shell_.ended()) {
        const auto outcome =
            editor_->read(statements.pending() ? kContinuation : shell_.prompt(), line);
        if (outcome == LineSource::Outcome::kEnd) break;
        if (outcome == LineSource::Outcome::kInterrupted) {
            if (interrupt_.ending() != 0) break;
            statements.clear();
            entered_.clear();
            interrupt_.forget();
            continue;
        }
        const std::vector<std::string> complete = statements.add(line);
        remember(line, !statements.pending());
        for (const std::string& statement : complete) {
            const bool go_on = run(statement);
            interrupt_.forget();
            if (!go_on) break;
        }
    }
    // What failed has been seen.
    failed_ = false;
    return exit_code();
}

int ShellTool::run() {
    cli::Interrupt interrupt(cli::SecondSignal::kIsNoted);
    const bool on_terminal =
        commands_.empty() && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
    Screen screen(on_terminal, interrupt);
    if (!mode_given_) mode_ = screen.is_terminal() ? Mode::kTable : Mode::kLines;
    Session session(account_.account(), interrupt.flag());
    Shell shell(session, screen, mode_);
    Runner runner(shell, interrupt, keep_going_);
    // So that a wrong server or key shows at once.
    if (on_terminal || !database_.empty()) {
        const Status used = session.use({.database = database_, .container = container_});
        if (!used) {
            print_problem(used.error());
            return interrupt.flag() ? cli::kExitInterrupted : cli::kExitFailure;
        }
    }
    if (!commands_.empty()) return runner.commands(commands_);
    if (!on_terminal) return runner.script(*make_file_source(interrupt));
    std::printf("Connected to %s; .help lists the commands, .quit leaves.\n",
                account_.account().endpoint.shown().c_str());
    return runner.interactive();
}

}  // namespace

std::unique_ptr<cli::Command> make_shell() { return std::make_unique<ShellTool>(); }

}  // namespace orrery::tools
