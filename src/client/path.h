// Paths of the REST API: "dbs/<db>/colls/<coll>/docs", from names that may contain any character.

#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace orrery::client {

class Path {
public:
    // The account itself.
    Path() = default;
    // Alternately a kind of resource and a name: {"dbs", "db", "colls"} is the feed of containers.
    Path(std::initializer_list<std::string_view> segments);

    Path operator/(std::string_view segment) const;

    // "/dbs/db/colls", percent-encoded.
    const std::string& target() const { return target_; }
    // What a signature covers: the kind that is asked for, and the resource, or for a feed its
    // parent, as plain text.
    const std::string& resource_type() const { return type_; }
    const std::string& resource_link() const { return link_; }

private:
    void add(std::string_view segment);

    std::size_t segments_ = 0;
    std::string target_ = "/";
    std::string plain_;
    std::string type_;
    std::string link_;
};

inline Path database_path(std::string_view database) { return {"dbs", database}; }
inline Path container_path(std::string_view database, std::string_view container) {
    return {"dbs", database, "colls", container};
}

}  // namespace orrery::client
