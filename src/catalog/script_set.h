// The scripts of one container. Immutable like the container it is part of: whoever holds the
// container can look scripts up without a lock, and sees the same ones to the end.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/revision.h"
#include "model/script.h"

namespace orrery::catalog {

struct Script {
    model::ScriptRid rid;
    model::ScriptDefinition definition;
    Revision revision;  // its version tells one text of a script from the next

    std::string self_link()
        const;  // dbs/AQAAAA==/colls/AQAAAIAAAAE=/sprocs/AQAAAIAAAAEBAAAAAAAAgA==/
};

using ScriptPtr = std::shared_ptr<const Script>;

class ScriptSet {
public:
    // Null pointer when there is none. Names are case-sensitive.
    ScriptPtr find(model::ScriptKind kind, std::string_view name) const;
    ScriptPtr find(const model::ScriptRid& rid) const;
    // In the order of creation.
    std::vector<ScriptPtr> list(model::ScriptKind kind) const;
    std::size_t count(model::ScriptKind kind) const { return kind_of(kind).by_number.size(); }

    // For the catalog, before a container is published.
    void put(const ScriptPtr& script);  // in place of the one with the same rid
    void remove(const model::ScriptRid& rid);

private:
    struct OfOneKind {
        std::map<std::uint64_t, ScriptPtr> by_number;
        std::map<std::string, ScriptPtr, std::less<>> by_name;
    };
    const OfOneKind& kind_of(model::ScriptKind kind) const {
        return kinds_[static_cast<std::size_t>(kind)];
    }

    std::array<OfOneKind, model::kScriptKinds.size()> kinds_;
};

}  // namespace orrery::catalog
