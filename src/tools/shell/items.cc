#include "tools/shell/items.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "client/pages.h"
#include "json/text.h"
#include "json/value.h"
#include "model/item_body.h"
#include "tools/partition_key_argument.h"
#include "tools/shell/statements.h"

namespace orrery::tools {

namespace {

constexpr const char* kPartitionKey = "x-ms-documentdb-partitionkey";
// The key of items in containers without a partition key, which needs no header.
constexpr std::string_view kNoKey = "[]";

Error no_item(const std::string& id) {
    return Error(ErrorCode::kNotFound, "there is no item '" + id + "'");
}

std::string joined(const std::vector<std::string>& texts) {
    std::string out;
    for (const std::string& text : texts) {
        out += (out.empty() ? "" : ", ") + text;
    }
    return out;
}

}  // namespace

Result<ItemName> parse_item_name(std::string_view text) {
    ItemName out;
    std::string_view rest;
    if (text.starts_with('"')) {
        const std::size_t length = json::string_length(text);
        if (length == 0) return Error(ErrorCode::kBadRequest, "the id in quotes is not valid JSON");
        out.id = json::unquote(text.substr(0, length));
        rest = trimmed(text.substr(length));
    } else {
        const Words words = split_first_word(text);
        out.id = words.first;
        rest = words.rest;
    }
    if (out.id.empty()) return Error(ErrorCode::kBadRequest, "which item? give its id");
    if (!rest.empty()) out.partition_key = TRY(partition_key_argument(rest));
    return out;
}

client::Request Items::item_request(std::string method,
                                    const std::string& id,
                                    const std::string& key) {
    client::Request out{.method = std::move(method), .path = container_.items() / id};
    if (key != kNoKey) out.headers.emplace_back(kPartitionKey, key);
    return out;
}

std::optional<std::string> Items::key_of(const ItemName& name) const {
    if (name.partition_key) return name.partition_key;
    const auto& paths = container_.definition.partition_key.paths;
    if (container_.definition.partition_key.system_key) return std::string(kNoKey);
    if (paths.size() == 1 && paths[0] == json::Path{"id"}) return "[" + json::quote(name.id) + "]";
    return std::nullopt;
}

Result<std::vector<std::string>> Items::find(const ItemName& name) {
    std::vector<std::string> out;
    if (const auto key = key_of(name)) {
        const auto found = client_.send(item_request("GET", name.id, *key));
        if (!found) return found.error().copy();
        charge_ += found->charge;
        if (found->status == 404 && found->sub_status() == 0) return no_item(name.id);
        if (!found->ok()) return client::error_of(*found);
        out.push_back(TRY(client::object_body(*found)));
        return out;
    }
    json::Value::Object parameter;
    parameter.push_back({"name", "@id"});
    parameter.push_back({"value", name.id});
    client::Pages pages(client_,
                        container_.items(),
                        {.text = "SELECT * FROM c WHERE c.id = @id",
                         .parameters = json::Value::Array{std::move(parameter)}});
    while (const auto page = TRY(pages.next())) {
        charge_ += page->response.charge;
        for (const std::string_view element : TRY(page->elements())) {
            out.emplace_back(element);
        }
    }
    if (out.empty()) return no_item(name.id);
    return out;
}

Result<Items::Written> Items::put(const std::string& json) {
    const model::ItemBody body =
        TRY(model::parse_item_body(json, model::ItemPaths(container_.definition)));
    client::Request request{.method = "POST",
                            .path = container_.items(),
                            .headers = {{"x-ms-documentdb-is-upsert", "True"}},
                            .body = json,
                            .idempotent = false};
    const std::string key = body.partition_key.to_json();
    if (key != kNoKey) request.headers.emplace_back(kPartitionKey, key);
    const client::Response response = TRY(client_.call(request));
    charge_ += response.charge;
    return Written{.id = body.id, .created = response.status == 201};
}

Status Items::remove(const ItemName& name) {
    std::optional<std::string> key = key_of(name);
    if (!key) {
        const std::vector<std::string> found = TRY(find(name));
        const model::ItemPaths paths(container_.definition);
        std::vector<std::string> keys;
        keys.reserve(found.size());
        for (const std::string& item : found) {
            keys.push_back(TRY(model::parse_item_body(item, paths)).partition_key.to_json());
        }
        if (keys.size() > 1) {
            return Error(ErrorCode::kConflict,
                         std::to_string(keys.size()) +
                             " items have this id; `rm ID KEY` deletes "
                             "one of them. Their partition keys: " +
                             joined(keys));
        }
        key = keys.front();
    }
    const auto response = client_.send(item_request("DELETE", name.id, *key));
    if (!response) return response.error().copy();
    charge_ += response->charge;
    if (response->status == 404 && response->sub_status() == 0) return no_item(name.id);
    if (!response->ok()) return client::error_of(*response);
    return {};
}

}  // namespace orrery::tools
