#include <cstdio>
#include <unistd.h>

#include "base/clock.h"
#include "http/open_files.h"
#include "server/commands/commands.h"
#include "server/commands/serve.h"
#include "server/doctor/finding.h"
#include "server/doctor/machine.h"
#include "server/doctor/place.h"
#include "server/doctor/remote.h"
#include "tools/account_arguments.h"

namespace orrery::server {

namespace {

using doctor::Finding;
using doctor::Findings;

class DoctorCommand final : public cli::Command {
public:
    std::string name() const override { return "doctor"; }
    std::string summary() const override { return "find out why something does not work"; }
    std::string description() const override;
    std::vector<cli::Example> examples() const override;
    void declare(CLI::App& app) override;
    std::string check() override;
    int run() override;

private:
    bool checks_server_here() const;
    Findings check_here() const;
    int report(const Findings& findings) const;
    Result<doctor::Remote> remote() const;

    tools::AccountArguments account_;
    std::string config_file_;
    std::string listen_;
    std::string data_;
    bool json_ = false;
    // The settings that a server would have.
    ServeCommand serve_;
    std::string settings_problem_;
};

std::string DoctorCommand::description() const {
    return "Checks what a server on this machine would need (memory, open files, port, data "
           "directory, disk) and, from the side of a client, the server that is there (whether it "
           "answers, its certificate, its clock, the key), and says what to do. Give it the "
           "options of the server or of the tool that does not work. Nothing is changed. The exit "
           "code is 1 if there is a problem.";
}

std::vector<cli::Example> DoctorCommand::examples() const {
    return {{"orrery doctor", "Check this machine and the local server"},
            {"orrery doctor --config /etc/orrery/orrery.toml", "Check the server of the package"},
            {"orrery doctor --endpoint https://db.example.com:8081/ --key-file key --ca ca.pem",
             "Check the connection to another machine"}};
}

void DoctorCommand::declare(CLI::App& app) {
    account_.declare(app);
    app.add_option("--config", config_file_, "Settings file of the server")
        ->envname(cli::environment_name("config"));
    app.add_option(
        "--listen", listen_, "Address of the server, ADDRESS:PORT (default: as for serve)");
    app.add_option("--data", data_, "Data directory of the server (default: as for serve)");
    app.add_flag("--json", json_, "Print the findings as JSON");
}

std::string DoctorCommand::check() {
    std::vector<std::string> arguments;
    if (!config_file_.empty()) arguments.push_back("--config=" + config_file_);
    if (!listen_.empty()) arguments.push_back("--listen=" + listen_);
    if (!data_.empty()) arguments.push_back("--data=" + data_);
    const cli::Parsed parsed = cli::parse(serve_, arguments);
    if (!parsed.ready) settings_problem_ = parsed.text.substr(0, parsed.text.find('\n'));
    return account_.check();
}

// Not if the question is about a server elsewhere.
bool DoctorCommand::checks_server_here() const {
    const bool asked = !config_file_.empty() || !listen_.empty() || !data_.empty();
    return asked || !account_.names_server() || account_.account().endpoint.names_loopback();
}

Findings DoctorCommand::check_here() const {
    if (!settings_problem_.empty()) {
        return {{.check = "settings",
                 .state = doctor::State::kProblem,
                 .text = settings_problem_,
                 .advice = {"See: orrery serve --help"}}};
    }
    const ServeConfig& config = serve_.config();
    const auto port = doctor::examine_port(config);
    Findings out{doctor::check_memory(config, doctor::measure_memory()),
                 doctor::check_open_files(config, http::raise_open_files_limit()),
                 doctor::check_port(config, port),
                 doctor::check_data(config, port.holder ? port.holder->id : 0)};
    if (config.ephemeral) return out;
    const auto disk = doctor::measure_disk(config.data_directory);
    out.push_back(disk ? doctor::check_disk(*disk)
                       : Finding{.check = "disk",
                                 .state = doctor::State::kProblem,
                                 .text = disk.error().message()});
    return out;
}

// The server and key that the arguments name, or those of the settings.
Result<doctor::Remote> DoctorCommand::remote() const {
    doctor::Remote out{.account = account_.account(),
                       .named = account_.names_server(),
                       .key_named = account_.names_key()};
    if (out.named || !settings_problem_.empty()) return out;
    const ServeConfig& config = serve_.config();
    const bool any = config.address == "0.0.0.0" || config.address == "::";
    out.account.endpoint.host = any ? "127.0.0.1" : config.address;
    out.account.endpoint.port = config.port;
    const std::string kept = config.data_directory + "/account.key";
    const std::string key_file = !config.key_file.empty() ? config.key_file
                                 : !config.loopback() && access(kept.c_str(), F_OK) == 0 ? kept
                                                                                         : "";
    if (out.key_named || key_file.empty()) return out;
    out.account.key = TRY(client::read_key_file(key_file));
    out.key_named = true;
    return out;
}

int DoctorCommand::run() {
    Findings findings{doctor::check_system()};
    if (checks_server_here()) {
        for (Finding& finding : check_here())
            findings.push_back(std::move(finding));
    }
    // A server on a port that it picks itself cannot be found.
    if (!account_.names_server() && settings_problem_.empty() && serve_.config().port == 0) {
        return report(findings);
    }
    if (const auto found = remote()) {
        for (Finding& finding : doctor::check_remote(*found, SystemClock()))
            findings.push_back(std::move(finding));
    } else {
        findings.push_back({.check = "key",
                            .state = doctor::State::kProblem,
                            .text = found.error().message(),
                            .advice = {"Run this command as root, or as a member of the group that "
                                       "may read the file."}});
    }
    return report(findings);
}

int DoctorCommand::report(const Findings& findings) const {
    const std::string text =
        json_ ? doctor::json_of(findings).text() + "\n" : doctor::text_of(findings);
    std::fputs(text.c_str(), stdout);
    return doctor::has_problem(findings) ? cli::kExitFailure : 0;
}

}  // namespace

std::unique_ptr<cli::Command> make_doctor() { return std::make_unique<DoctorCommand>(); }

}  // namespace orrery::server
