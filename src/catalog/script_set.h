// The scripts of one container. Immutable like the container: a holder of the container can look up
// scripts without a lock and always sees the same ones.

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
    Revision revision;  // its version identifies the script's text

    std::string self_link()
        const;  // dbs/AQAAAA==/colls/AQAAAIAAAAE=/sprocs/AQAAAIAAAAEBAAAAAAAAgA==/
};

using ScriptPtr = std::shared_ptr<const Script>;

class ScriptSet {
public:
    // Null if there is none. Names are case-sensitive.
    ScriptPtr find(model::ScriptKind kind, std::string_view name) const;
    ScriptPtr find(const model::ScriptRid& rid) const;
    // In creation order.
    std::vector<ScriptPtr> list(model::ScriptKind kind) const;
    std::size_t count(model::ScriptKind kind) const { return kind_of(kind).by_number.size(); }

    // For the catalog, before a container is published.
    void put(const ScriptPtr& script);  // replaces the one with the same rid
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
