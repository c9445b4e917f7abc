// Carries out the statements of a shell and prints what comes of them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/shell/completion.h"
#include "tools/shell/explain.h"
#include "tools/shell/items.h"
#include "tools/shell/queries.h"
#include "tools/shell/results.h"
#include "tools/shell/screen.h"
#include "tools/shell/session.h"

namespace orrery::tools {

enum class ShellCommand : std::uint8_t;

class Shell final : public KnownNames {
public:
    Shell(Session& session, Screen& screen, Mode mode)
        : session_(session), screen_(screen), mode_(mode) {}

    // A statement without its semicolon.
    Status run(const std::string& statement);
    // After .quit
    bool ended() const { return ended_; }

    std::string prompt() const;

    std::vector<std::string> databases() override;
    std::vector<std::string> containers(const std::string& database) override;
    const Properties& properties() override;

private:
    Status run_command(ShellCommand command, const std::string& rest, const std::string& statement);
    Status query(const std::string& text);
    Status explain_query(const std::string& text);
    Status use(const std::string& rest);
    Status list(const std::string& rest);
    Status list_items(const Container& container);
    Status cat(const std::string& rest);
    Status put(const std::string& rest);
    Status remove(const std::string& rest);
    Status stats();
    Status throughput(const std::string& rest);
    Status watch_changes();
    Status set_mode(const std::string& rest);
    Status help();

    Status print_query(const Container& container, const std::string& text);
    // As lines of names and values, or as JSON, depending on the mode.
    void print_object(const json::Value& object);
    void print_values(const NamedValues& values);
    std::vector<std::string> names_at(const Place& place);

    Session& session_;
    Screen& screen_;
    Mode mode_;
    bool ended_ = false;
    QueryCost last_;
    QueryCost all_;
    std::uint64_t statements_ = 0;
    Properties properties_;
};

}  // namespace orrery::tools
