// `orrery serve`: serves a data directory until SIGTERM or SIGINT.

#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "server/config.h"

namespace orrery::server {

class ServeCommand final : public cli::Command {
public:
    std::string name() const override { return "serve"; }
    std::string summary() const override { return "serve a data directory"; }
    std::string description() const override;
    std::vector<cli::Example> examples() const override;
    void declare(CLI::App& app) override { options_.declare(app); }
    std::string check() override { return options_.check(); }
    int run() override;

    const ServeConfig& config() const { return options_.config(); }

private:
    ServeOptions options_;
};

}  // namespace orrery::server
