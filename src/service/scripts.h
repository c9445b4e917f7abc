// Stored procedures, triggers and user-defined functions as resources: create, read, list, replace,
// remove. They are run elsewhere. Changes commit to the catalog's store: call only where blocking
// is allowed.

#pragma once

#include <string_view>

#include "base/result.h"
#include "catalog/catalog.h"
#include "model/script.h"
#include "service/context.h"
#include "service/lookup.h"
#include "service/page.h"
#include "service/resource_answer.h"
#include "service/resource_feed.h"

namespace orrery::service {

// A script within a container that has been found. The segment is a name or a rid depending on how
// the container was addressed, as with items.
struct ScriptAddress {
    const FoundContainer& owner;
    model::ScriptKind kind;
    std::string_view segment;
};

// 404 if there is none.
Result<catalog::ScriptPtr> find_script(const ScriptAddress& address);
// Identifies one version of a script.
std::string version_of(const catalog::Script& script);

class Scripts {
public:
    Scripts(catalog::Catalog& catalog, const ResourceFeed& feed) : catalog_(catalog), feed_(feed) {}

    Result<ResourceAnswer> create(Context& context,
                                  const FoundContainer& owner,
                                  model::ScriptKind kind,
                                  std::string_view body);
    struct Upserted {
        ResourceAnswer answer;
        bool created = false;
    };
    Result<Upserted> upsert(Context& context,
                            const FoundContainer& owner,
                            model::ScriptKind kind,
                            std::string_view body);
    Result<ResourceAnswer> read(const Context& context, const ScriptAddress& address);
    Result<ResourceAnswer> replace(Context& context,
                                   const ScriptAddress& address,
                                   std::string_view body);
    Status remove(Context& context, const ScriptAddress& address);
    Result<Page> list(Context& context,
                      const FoundContainer& owner,
                      model::ScriptKind kind,
                      const QueryText* query);

private:
    catalog::Catalog& catalog_;
    const ResourceFeed& feed_;
};

}  // namespace orrery::service
