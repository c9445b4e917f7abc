#include "tools/container_arguments.h"

#include "base/files.h"
#include "json/path.h"

namespace orrery::tools {

namespace {

Result<json::Value> read_policy(const std::string& path) {
    auto policy = json::Value::parse(TRY(read_file(path)));
    if (!policy) return Error(ErrorCode::kBadRequest, "'" + path + "' is not JSON");
    return policy;
}

}  // namespace

void ContainerArguments::declare(CLI::App& app, bool required) {
    constexpr const char* kGroup = "Container";
    app.add_option("--database", choice_.database, "Its database")
        ->required(required)
        ->group(kGroup);
    app.add_option("--container", choice_.container, "Its name")->required(required)->group(kGroup);
    app.add_flag("--create", choice_.create, "Create it and its database if they do not exist")
        ->group(kGroup);
    app.add_option("--partition-key",
                   partition_key_,
                   "Its partition key, such as /customerId; /a,/b for a hierarchical one")
        ->group(kGroup);
    app.add_option("--throughput", choice_.throughput, "Request units per second, if it is created")
        ->check(CLI::NonNegativeNumber)
        ->group(kGroup);
    app.add_option("--indexing-policy", indexing_policy_, "JSON file, if it is created")
        ->group(kGroup);
}

std::string ContainerArguments::check(bool like_another) {
    if (choice_.database.empty()) return "--database is required";
    if (choice_.container.empty()) return "--container is required";
    if (choice_.create && partition_key_.empty() && !like_another) {
        return "--create needs --partition-key";
    }
    return read_definition(partition_key_, indexing_policy_, choice_);
}

std::string read_definition(const std::string& partition_key,
                            const std::string& indexing_policy,
                            ContainerChoice& choice) {
    choice.partition_key = cli::split_list(partition_key);
    for (const std::string& path : choice.partition_key) {
        if (!json::parse_path(path)) return "--partition-key: '" + path + "' is not a path";
    }
    if (!indexing_policy.empty()) {
        auto policy = read_policy(indexing_policy);
        if (!policy) return "--indexing-policy: " + policy.error().message();
        choice.indexing_policy = *std::move(policy);
    }
    return {};
}

}  // namespace orrery::tools
