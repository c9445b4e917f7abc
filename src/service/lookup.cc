#include "service/lookup.h"

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/bytes.h"
#include "base/read_mostly.h"
#include "service/errors.h"

namespace orrery::service {

Result<FoundDatabase> find_database(const catalog::Catalog& catalog, std::string_view segment) {
    if (const auto rid = model::DatabaseRid::parse(segment)) {
        if (auto found = catalog.find_database(*rid)) {
            return FoundDatabase{.database = std::move(found), .by_rid = true};
        }
    }
    if (auto found = catalog.find_database(segment)) {
        return FoundDatabase{.database = std::move(found), .by_rid = false};
    }
    return not_found();
}

namespace {

// The containers that one thread has found in an edition of a catalog.
class Remembered {
public:
    // Null if there is none. Valid until the next call.
    const FoundContainer* find(std::uint64_t edition, const ContainerAddress& address) {
        if (edition != edition_ || found_.size() >= kEntriesMax) found_.clear();
        edition_ = edition;
        key_.clear();
        append_big_endian(key_, static_cast<std::uint32_t>(address.database.size()));
        key_.append(address.database).append(address.container);
        const auto found = found_.find(key_);
        return found == found_.end() ? nullptr : &found->second;
    }

    // For the address of the last find().
    FoundContainer add(const FoundContainer& found) {
        const FoundContainer own{.database = with_own_count(found.database),
                                 .container = with_own_count(found.container),
                                 .by_rid = found.by_rid};
        return found_.emplace(key_, own).first->second;
    }

private:
    static constexpr std::size_t kEntriesMax = 1000;

    std::uint64_t edition_ = 0;
    std::string key_;
    std::unordered_map<std::string, FoundContainer> found_;
};

Result<FoundContainer> find_in_catalog(const catalog::Catalog& catalog,
                                       const ContainerAddress& address) {
    auto database = find_database(catalog, address.database);
    if (!database) return owner_not_found();
    FoundContainer found{
        .database = database->database, .container = nullptr, .by_rid = database->by_rid};
    if (found.by_rid) {
        const auto rid = model::ContainerRid::parse(address.container);
        if (rid && rid->database == found.database->rid.number) {
            found.container = catalog.find_container(*rid);
        }
    } else {
        found.container = catalog.find_container(found.database->rid, address.container);
    }
    if (!found.container) return not_found();
    return found;
}

}  // namespace

Result<FoundContainer> find_container(const catalog::Catalog& catalog,
                                      const ContainerAddress& address,
                                      ApiVersion version) {
    thread_local Remembered remembered;
    const std::uint64_t edition = catalog.edition();
    const FoundContainer* known = remembered.find(edition, address);
    FoundContainer found =
        known != nullptr ? *known : remembered.add(TRY(find_in_catalog(catalog, address)));
    if (!visible_to(*found.container, version)) return not_found();
    return found;
}

bool visible_to(const catalog::Container& container, ApiVersion version) {
    return version >= kPartitionedContainers || container.definition.partition_key.system_key;
}

}  // namespace orrery::service
