// The part of the catalog that manages scripts.

#include <map>

#include "catalog/catalog.h"
#include "catalog/keys.h"
#include "catalog/refusals.h"

namespace orrery::catalog {

Status Catalog::load_scripts(const std::vector<ScriptPtr>& scripts) {
    // One copy of each container for all its scripts.
    std::map<model::ContainerRid, std::shared_ptr<Container>> changed;
    for (const ScriptPtr& script : scripts) {
        const model::ContainerRid rid = script->rid.container;
        const ContainerPtr owner = find_container(rid);
        if (!owner) {
            return Error(ErrorCode::kCorrupted,
                         "the catalog has a script whose container is missing");
        }
        auto& container = changed[rid];
        if (!container) container = std::make_shared<Container>(*owner);
        container->scripts.put(script);
    }
    for (const auto& [rid, container] : changed) {
        remember(ContainerPtr(container));
    }
    return {};
}

Result<ScriptPtr> Catalog::create_script(model::ContainerRid container,
                                         model::ScriptKind kind,
                                         model::ScriptDefinition definition) {
    const std::lock_guard changing(change_mutex_);
    const ContainerPtr owner = find_container(container);
    if (!owner) return not_found();
    return add_script(*owner, kind, std::move(definition));
}

Result<Catalog::UpsertedScript> Catalog::upsert_script(model::ContainerRid container,
                                                       model::ScriptKind kind,
                                                       model::ScriptDefinition definition,
                                                       const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    const ContainerPtr owner = find_container(container);
    if (!owner) return not_found();
    if (const ScriptPtr old = owner->scripts.find(kind, definition.id)) {
        return UpsertedScript{
            .script = TRY(change_script(*owner, old, std::move(definition), if_match)),
            .created = false};
    }
    return UpsertedScript{.script = TRY(add_script(*owner, kind, std::move(definition))),
                          .created = true};
}

Result<ScriptPtr> Catalog::replace_script(const model::ScriptRid& rid,
                                          model::ScriptDefinition definition,
                                          const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    const ContainerPtr owner = find_container(rid.container);
    const ScriptPtr old = owner ? owner->scripts.find(rid) : nullptr;
    if (!old) return not_found();
    return change_script(*owner, old, std::move(definition), if_match);
}

Status Catalog::remove_script(const model::ScriptRid& rid,
                              const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    const ContainerPtr owner = find_container(rid.container);
    const ScriptPtr old = owner ? owner->scripts.find(rid) : nullptr;
    if (!old) return not_found();
    TRY(check_etag(if_match, old->revision));
    Change change = begin_change();
    change.batch.remove(key_of(rid));
    auto container = std::make_shared<Container>(*owner);
    container->scripts.remove(rid);
    TRY(commit(change));
    const Publication publication(*this);
    remember(ContainerPtr(container));
    return {};
}

Result<ScriptPtr> Catalog::add_script(const Container& container,
                                      model::ScriptKind kind,
                                      model::ScriptDefinition definition) {
    if (container.scripts.find(kind, definition.id)) return name_taken();
    if (container.scripts.count(kind) >= model::count_max(kind)) return too_many(kind);
    Change change = begin_change();
    // The version is never reused and always grows.
    auto script = std::make_shared<const Script>(
        Script{.rid = {.container = container.rid, .kind = kind, .number = change.revision.version},
               .definition = std::move(definition),
               .revision = change.revision});
    TRY(publish_script(change, container, script));
    return ScriptPtr(script);
}

Result<ScriptPtr> Catalog::change_script(const Container& container,
                                         const ScriptPtr& old,
                                         model::ScriptDefinition definition,
                                         const std::optional<std::string>& if_match) {
    TRY(check_etag(if_match, old->revision));
    const ScriptPtr named = container.scripts.find(old->rid.kind, definition.id);
    if (named && named != old) return name_taken();
    Change change = begin_change();
    auto script = std::make_shared<const Script>(
        Script{.rid = old->rid, .definition = std::move(definition), .revision = change.revision});
    TRY(publish_script(change, container, script));
    return ScriptPtr(script);
}

Status Catalog::publish_script(Change& change,
                               const Container& container,
                               const ScriptPtr& script) {
    change.batch.put(key_of(script->rid), encode(*script));
    auto changed = std::make_shared<Container>(container);
    changed->scripts.put(script);
    TRY(commit(change));
    const Publication publication(*this);
    remember(ContainerPtr(changed));
    return {};
}

}  // namespace orrery::catalog
