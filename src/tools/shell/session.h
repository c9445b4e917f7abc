// The server that the shell talks to, and the database and container in use.

#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "client/account.h"
#include "client/client.h"
#include "client/pages.h"
#include "model/container_definition.h"

namespace orrery::tools {

// A place in the account: nothing, a database, or a container.
struct Place {
    std::string database;
    std::string container;

    bool operator==(const Place&) const = default;

    std::string text() const;  // "db/items"
    client::Path path() const;
};

// "db/items", "db", ".." and "/", from where the user is. kBadRequest if it names nothing.
Result<Place> parse_place(std::string_view text, const Place& from);

// The container in use, as it was when it was chosen.
struct Container {
    client::Path path;
    model::ContainerDefinition definition;

    client::Path items() const { return path / "docs"; }
};

class Session {
public:
    // `interrupted` ends what is under way; it must outlive this.
    Session(const client::Account& account, const std::atomic<bool>& interrupted);

    client::Client& client() { return client_; }
    const Place& place() const { return place_; }
    const std::atomic<bool>& interruption() const { return interrupted_; }
    bool interrupted() const { return interrupted_; }

    // kNotFound if there is no such container.
    Result<Container> open(const Place& place);
    // Chooses a place, after a look whether it is there.
    Status use(const Place& place);

    // kBadRequest if none is in use.
    Result<const Container*> container() const;

    // What the server says about its size, as one object.
    Result<json::Value> usage(const Container& container);

    // The databases, or the containers of a database.
    Result<std::vector<json::Value>> list(const Place& place);

private:
    // kNotFound says what there is not.
    Result<json::Value> read(const Place& place);

    const SystemClock clock_;
    const std::atomic<bool>& interrupted_;
    client::Client client_;
    Place place_;
    std::optional<Container> container_;
};

}  // namespace orrery::tools
