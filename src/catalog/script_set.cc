#include "catalog/script_set.h"

namespace orrery::catalog {

std::string Script::self_link() const {
    std::string out = "dbs/" + model::DatabaseRid{rid.container.database}.text() + "/colls/" +
                      rid.container.text() + "/";
    return out.append(model::segment_of(rid.kind)).append("/").append(rid.text()).append("/");
}

ScriptPtr ScriptSet::find(model::ScriptKind kind, std::string_view name) const {
    const auto& scripts = kind_of(kind).by_name;
    const auto found = scripts.find(name);
    return found == scripts.end() ? nullptr : found->second;
}

ScriptPtr ScriptSet::find(const model::ScriptRid& rid) const {
    const auto& scripts = kind_of(rid.kind).by_number;
    const auto found = scripts.find(rid.number);
    const bool same = found != scripts.end() && found->second->rid == rid;
    return same ? found->second : nullptr;
}

std::vector<ScriptPtr> ScriptSet::list(model::ScriptKind kind) const {
    std::vector<ScriptPtr> out;
    for (const auto& [number, script] : kind_of(kind).by_number) {
        out.push_back(script);
    }
    return out;
}

void ScriptSet::put(const ScriptPtr& script) {
    remove(script->rid);  // it may have been renamed
    OfOneKind& scripts = kinds_[static_cast<std::size_t>(script->rid.kind)];
    scripts.by_name[script->definition.id] = script;
    scripts.by_number[script->rid.number] = script;
}

void ScriptSet::remove(const model::ScriptRid& rid) {
    const ScriptPtr old = find(rid);
    if (!old) return;
    OfOneKind& scripts = kinds_[static_cast<std::size_t>(rid.kind)];
    scripts.by_name.erase(old->definition.id);
    scripts.by_number.erase(rid.number);
}

}  // namespace orrery::catalog
