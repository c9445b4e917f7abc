#include "tools/shell/session.h"

#include <algorithm>
#include <utility>

#include "tools/shell/queries.h"

namespace orrery::tools {

std::string Place::text() const {
    return container.empty() ? database : database + "/" + container;
}

client::Path Place::path() const {
    if (database.empty()) return {};
    return container.empty() ? client::database_path(database)
                             : client::container_path(database, container);
}

Result<Place> parse_place(std::string_view text, const Place& from) {
    if (text == "/") return Place{};
    if (text == "..") {
        return from.container.empty() ? Place{} : Place{.database = from.database, .container = {}};
    }
    if (text.ends_with('/')) text.remove_suffix(1);
    const std::size_t slash = text.find('/');
    Place out{.database = std::string(text.substr(0, slash)), .container = {}};
    if (slash != std::string_view::npos) out.container = text.substr(slash + 1);
    const bool named =
        !out.database.empty() && (slash == std::string_view::npos || !out.container.empty());
    if (!named || out.container.find('/') != std::string::npos) {
        return Error(ErrorCode::kBadRequest,
                     "a database and a container are named as DB/CONTAINER, a database as DB");
    }
    return out;
}

Session::Session(const client::Account& account, const std::atomic<bool>& interrupted)
    : interrupted_(interrupted),
      client_(account, clock_, {.abandon_when_interrupted = true}, &interrupted) {}

Status Session::use(const Place& place) {
    if (place.database.empty()) {
        TRY(client_.call({.path = {}}));
        place_ = place;
        container_.reset();
        return {};
    }
    std::optional<Container> container;
    if (place.container.empty()) {
        TRY(read(place));
    } else {
        container = TRY(open(place));
    }
    place_ = place;
    container_ = std::move(container);
    return {};
}

Result<json::Value> Session::read(const Place& place) {
    auto found = client_.read(place.path());
    if (found || found.error().code() != ErrorCode::kNotFound) return found;
    const std::string kind = place.container.empty() ? "database" : "container";
    return Error(ErrorCode::kNotFound, "there is no " + kind + " '" + place.text() + "'");
}

Result<Container> Session::open(const Place& place) {
    const json::Value found = TRY(read(place));
    return Container{
        .path = place.path(),
        .definition = TRY(model::parse_container_definition(found, model::kStoredDefinition))};
}

Result<const Container*> Session::container() const {
    if (container_) return &*container_;
    return Error(ErrorCode::kBadRequest, "no container is in use; `use DB/CONTAINER` chooses one");
}

Result<json::Value> Session::usage(const Container& container) {
    const client::Response response = TRY(client_.call(
        {.path = container.path, .headers = {{"x-ms-documentdb-populatequotainfo", "True"}}}));
    json::Value::Array paths;
    for (const std::string& path : container.definition.partition_key.path_texts) {
        paths.emplace_back(path);
    }
    json::Value out{json::Value::Object()};
    out.set("partitionKey", std::move(paths));
    for (const auto& [name, value] : parse_metrics(response.header("x-ms-resource-usage"))) {
        const auto number = static_cast<std::int64_t>(value);
        if (name == "documentsCount") out.set("items", number);
        if (name == "documentsSize") out.set("kilobytes", number);
    }
    const auto ranges = TRY(client::read_ranges(client_, container.path));
    out.set("partitions", static_cast<std::int64_t>(ranges.size()));
    return out;
}

Result<std::vector<json::Value>> Session::list(const Place& place) {
    const client::Path feed = place.database.empty()
                                  ? client::Path{"dbs"}
                                  : client::database_path(place.database) / "colls";
    std::vector<json::Value> out;
    client::Pages pages(client_, feed);
    while (const auto page = TRY(pages.next())) {
        for (const std::string_view element : TRY(page->elements())) {
            out.push_back(TRY(json::Value::parse(element)));
        }
    }
    return out;
}

}  // namespace orrery::tools
