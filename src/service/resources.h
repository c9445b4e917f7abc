// Operations on databases, containers and partition key ranges. They commit to the
// catalog's store: call only where blocking is allowed.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "json/value.h"
#include "service/lookup.h"
#include "service/page.h"
#include "service/request.h"
#include "service/resource_answer.h"
#include "service/resource_feed.h"

namespace orrery::service {

struct RangesAnswer {
    bool not_modified = false;
    Page page;
    std::string etag;
};

// A container as the client gets it, and the container itself with its database.
struct ContainerAnswer {
    ResourceAnswer resource;
    FoundContainer found;
};

struct ResourceOptions {
    // Physical partitions of every new container; if unset, derived from its throughput.
    std::optional<std::uint32_t> partition_count;
    // Called after a container is removed, to drop its data in the background.
    std::function<void()> on_removal;
    // Called after a container is replaced, before the request is answered.
    std::function<void(model::ContainerRid)> on_replacement;
};

class Resources {
public:
    Resources(catalog::Catalog& catalog, const ResourceFeed& feed, ResourceOptions options)
        : catalog_(catalog), feed_(feed), options_(std::move(options)) {}

    // Finds the container for a request on something inside it.
    Result<FoundContainer> find(const Request& request, const ContainerAddress& address) const {
        return find_container(catalog_, address, request.api_version);
    }

    Result<ResourceAnswer> create_database(Context& context, std::string_view body);
    Result<ResourceAnswer> read_database(const Context& context, std::string_view segment);
    Status remove_database(Context& context, std::string_view segment);
    Result<Page> list_databases(Context& context, const QueryText* query);

    Result<ContainerAnswer> create_container(Context& context,
                                             std::string_view database,
                                             std::string_view body);
    Result<ContainerAnswer> read_container(const Context& context, const ContainerAddress& address);
    Result<ContainerAnswer> replace_container(Context& context,
                                              const ContainerAddress& address,
                                              std::string_view body);
    Status remove_container(Context& context, const ContainerAddress& address);
    // The database's rid goes into the feed's envelope.
    struct ContainerList {
        std::string database_rid;
        Page page;
    };
    Result<ContainerList> list_containers(Context& context,
                                          std::string_view database,
                                          const QueryText* query);

    // None, as there is one region; a query may still be wrong, or count them.
    Result<Page> list_conflicts(Context& context,
                                const catalog::Container& container,
                                const QueryText* query);

    // With `incremental` (A-IM), answers 304 if the client's etag is current.
    Result<RangesAnswer> list_ranges(Context& context,
                                     const catalog::Container& container,
                                     bool incremental);
    Result<ResourceAnswer> read_range(const catalog::Container& container, std::string_view id);

private:
    Result<catalog::NewContainer> plan_container(const Request& request,
                                                 const catalog::Database& database,
                                                 std::string_view body) const;

    catalog::Catalog& catalog_;
    const ResourceFeed& feed_;
    ResourceOptions options_;
};

}  // namespace orrery::service
