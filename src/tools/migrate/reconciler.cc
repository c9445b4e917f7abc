#include "tools/migrate/reconciler.h"

#include <map>

#include "tools/migrate/canonical.h"

namespace orrery::tools {

namespace {

constexpr unsigned kNotFound = 404;

bool is_same(const std::string& a, const std::string& b) {
    const auto first = json::Value::parse(a);
    const auto second = json::Value::parse(b);
    return first && second && canonical_text(*first) == canonical_text(*second);
}

// Refusals of this item, rather than of everything.
bool concerns_item(unsigned status) { return status == 400 || status == 409 || status == 413; }

client::Headers key_header(const std::string& key) {
    return {{"x-ms-documentdb-partitionkey", key}};
}

}  // namespace

Reconciler::Reconciler(const Sides& sides, const std::atomic<bool>& interrupted)
    : sides_(sides),
      mapper_(sides),
      source_(sides.source.account, clock_, {}, &interrupted),
      target_(sides.target.account, clock_, {}, &interrupted) {}

Result<std::vector<ItemPlace>> Reconciler::run(const std::vector<ItemPlace>& places) {
    // Several items of the source may have the same place in the target.
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> source_keys;
    for (const ItemPlace& place : places) {
        source_keys[{place.id, place.target_key}].push_back(place.source_key);
    }
    std::vector<ItemPlace> left;
    for (const auto& [place, keys] : source_keys) {
        if (TRY(settle(place.first, place.second, keys))) continue;
        for (const std::string& key : keys) {
            left.push_back({.id = place.first, .source_key = key, .target_key = place.second});
        }
    }
    return left;
}

Result<bool> Reconciler::settle(const std::string& id,
                                const std::string& target_key,
                                const std::vector<std::string>& keys) {
    std::optional<std::string> wanted;
    for (const std::string& key : keys) {
        if (key.empty()) continue;
        const auto item = TRY(read(source_, sides_.source, id, key));
        if (!item) continue;
        // The comparison reports those that cannot be in the target.
        auto mapped = mapper_.mapped(*item);
        if (!mapped || mapped->partition_key != target_key) continue;
        if (wanted) {
            rejected_.emplace_back("another item has the same id and new partition key", *item);
        } else {
            wanted = std::move(mapped->json);
        }
    }
    const auto found = TRY(read(target_, sides_.target, id, target_key));
    if (wanted) {
        if (found && is_same(*wanted, TRY(mapper_.mapped(*found)).json)) return true;
        return send(target_key, *wanted);
    }
    if (!found) return true;
    const auto gone = TRY(request(target_,
                                  {.method = "DELETE",
                                   .path = sides_.target.items() / id,
                                   .headers = key_header(target_key),
                                   .idempotent = true}));
    if (!gone.ok() && gone.status != kNotFound) return client::error_of(gone);
    ++deleted_;
    return true;
}

Result<bool> Reconciler::send(const std::string& target_key, const std::string& item) {
    client::Headers headers = key_header(target_key);
    headers.emplace_back("x-ms-documentdb-is-upsert", "True");
    const auto sent = TRY(request(target_,
                                  {.method = "POST",
                                   .path = sides_.target.items(),
                                   .headers = std::move(headers),
                                   .body = item,
                                   .idempotent = true}));
    if (sent.ok()) return false;
    if (!concerns_item(sent.status)) return client::error_of(sent);
    rejected_.emplace_back(client::error_of(sent).message(), item);
    return true;
}

Result<std::optional<std::string>> Reconciler::read(client::Client& client,
                                                    const Side& side,
                                                    const std::string& id,
                                                    const std::string& key) {
    const auto response =
        TRY(request(client, {.path = side.items() / id, .headers = key_header(key)}));
    if (response.status == kNotFound) return std::optional<std::string>();
    if (!response.ok()) return client::error_of(response);
    return std::optional(response.body());
}

Result<client::Response> Reconciler::request(client::Client& client,
                                             const client::Request& request) {
    auto response = TRY(client.send(request));
    charge_ += response.charge;
    return response;
}

}  // namespace orrery::tools
