#include "tools/target.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/item_body.h"

namespace orrery::tools {

namespace {

using client::Path;
using json::Value;

// What a definition has that the server gives to a container, besides system properties.
constexpr std::array<std::string_view, 7> kServerProperties = {
    "_docs", "_sprocs", "_triggers", "_udfs", "_conflicts", "statistics", "selfLink"};

bool is_from_server(std::string_view name) {
    return model::is_system_property(name) ||
           std::find(kServerProperties.begin(), kServerProperties.end(), name) !=
               kServerProperties.end();
}

Value definition_of(const ContainerChoice& choice) {
    Value out = Value::Object{{"id", choice.container}};
    if (choice.like.is_object()) {
        for (const Value::Member& member : choice.like.object()) {
            if (member.name != "id" && !is_from_server(member.name)) {
                out.set(member.name, member.value);
            }
        }
    }
    if (!choice.partition_key.empty()) {
        Value::Array paths;
        for (const std::string& path : choice.partition_key) {
            paths.emplace_back(path);
        }
        Value::Object key;
        key.push_back({"kind", paths.size() > 1 ? "MultiHash" : "Hash"});
        key.push_back({"paths", std::move(paths)});
        key.push_back({"version", 2});
        out.set("partitionKey", std::move(key));
    }
    if (!choice.indexing_policy.is_null()) out.set("indexingPolicy", choice.indexing_policy);
    return out;
}

// Whether it was this one: another one that is created at the same time is as good.
Result<bool> create(client::Client& client,
                    const Path& feed,
                    const Value& body,
                    client::Headers headers) {
    const auto response = client.call({.method = "POST",
                                       .path = feed,
                                       .headers = std::move(headers),
                                       .body = body.text(),
                                       .idempotent = true});
    if (!response && response.error().code() != ErrorCode::kConflict) {
        return response.error().copy();
    }
    return static_cast<bool>(response);
}

struct Created {
    bool database = false;
    bool container = false;
};

Result<Created> create_container(client::Client& client, const ContainerChoice& choice) {
    Created out;
    const Path database = client::database_path(choice.database);
    const auto found = client.call({.path = database});
    if (!found && found.error().code() != ErrorCode::kNotFound) return found.error().copy();
    if (!found) {
        out.database = TRY(create(client, Path{"dbs"}, Value::Object{{"id", choice.database}}, {}));
    }
    client::Headers headers;
    if (choice.throughput > 0) {
        headers.emplace_back("x-ms-offer-throughput", std::to_string(choice.throughput));
    }
    out.container =
        TRY(create(client, database / "colls", definition_of(choice), std::move(headers)));
    return out;
}

Result<Target> read_target(const Value& body, const ContainerChoice& choice, Path path) {
    Target out{.path = std::move(path),
               .definition = TRY(model::parse_container_definition(body, model::kStoredDefinition)),
               .rid = {}};
    if (const Value* const rid = body.find("_rid"); rid != nullptr && rid->is_string()) {
        out.rid = rid->string();
    }
    if (!choice.partition_key.empty()) {
        const auto asked =
            TRY(model::parse_container_definition(definition_of(choice), model::ContainerRules{}));
        if (asked.partition_key.paths != out.definition.partition_key.paths) {
            return Error(ErrorCode::kConflict,
                         "container '" + choice.container + "' has another partition key");
        }
    }
    return out;
}

}  // namespace

Result<Target> open_target(client::Client& client, const ContainerChoice& choice, bool dry_run) {
    const Path path = client::container_path(choice.database, choice.container);
    auto body = client.read(path);
    if (body) return read_target(*body, choice, path);
    if (body.error().code() != ErrorCode::kNotFound) return std::move(body).take_error();
    if (!choice.create) {
        const Error missing =
            container_error(std::move(body).take_error(), choice.database, choice.container);
        return Error(ErrorCode::kNotFound, missing.message() + "; --create creates it");
    }
    if (dry_run) return read_target(definition_of(choice), choice, path);
    const Created created = TRY(create_container(client, choice));
    const Value definition = TRY(client.read(path));
    Target out = TRY(read_target(definition, choice, path));
    out.created = created.container;
    out.database_created = created.database;
    return out;
}

Error container_error(Error error, const std::string& database, const std::string& container) {
    if (error.code() != ErrorCode::kNotFound) return error;
    return Error(ErrorCode::kNotFound,
                 "there is no container '" + container + "' in database '" + database + "'");
}

}  // namespace orrery::tools
