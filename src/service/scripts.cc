#include "service/scripts.h"

#include "model/limits.h"
#include "service/errors.h"
#include "service/resource_json.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

// The catalog keeps scripts in memory, so their size limit is below that of HTTP bodies.
Result<model::ScriptDefinition> parse(model::ScriptKind kind, std::string_view body) {
    if (body.size() > model::limits::kRequestBodyBytesMax) {
        return Error(ErrorCode::kTooLarge, "Request size is too large");
    }
    return model::parse_script_definition(kind, TRY(parse_object(body)));
}

ResourceAnswer answer_with(const catalog::Script& script) {
    return {.body = to_json(script), .etag = script.revision.etag()};
}

}  // namespace

std::string version_of(const catalog::Script& script) {
    return script.rid.text() + script.revision.etag();
}

Result<catalog::ScriptPtr> find_script(const ScriptAddress& address) {
    const catalog::ScriptSet& scripts = address.owner.container->scripts;
    const auto rid = address.owner.by_rid ? model::ScriptRid::parse(address.kind, address.segment)
                                          : std::nullopt;
    catalog::ScriptPtr found =
        rid ? scripts.find(*rid) : scripts.find(address.kind, address.segment);
    if (!found) return not_found();
    return found;
}

Result<ResourceAnswer> Scripts::create(Context& context,
                                       const FoundContainer& owner,
                                       model::ScriptKind kind,
                                       std::string_view body) {
    model::ScriptDefinition definition = TRY(parse(kind, body));
    const auto script =
        TRY(catalog_.create_script(owner.container->rid, kind, std::move(definition)));
    context.receipt.charge = throughput::kResourceCharge;
    return answer_with(*script);
}

Result<Scripts::Upserted> Scripts::upsert(Context& context,
                                          const FoundContainer& owner,
                                          model::ScriptKind kind,
                                          std::string_view body) {
    model::ScriptDefinition definition = TRY(parse(kind, body));
    const auto upserted = TRY(catalog_.upsert_script(
        owner.container->rid, kind, std::move(definition), if_match_of(context.request)));
    context.receipt.charge = throughput::kResourceCharge;
    return Upserted{.answer = answer_with(*upserted.script), .created = upserted.created};
}

Result<ResourceAnswer> Scripts::read(const Context& context, const ScriptAddress& address) {
    const catalog::ScriptPtr script = TRY(find_script(address));
    return read_answer(context.request, to_json(*script), script->revision.etag());
}

Result<ResourceAnswer> Scripts::replace(Context& context,
                                        const ScriptAddress& address,
                                        std::string_view body) {
    const catalog::ScriptPtr old = TRY(find_script(address));
    model::ScriptDefinition definition = TRY(parse(address.kind, body));
    const auto script =
        TRY(catalog_.replace_script(old->rid, std::move(definition), if_match_of(context.request)));
    context.receipt.charge = throughput::kResourceCharge;
    return answer_with(*script);
}

Status Scripts::remove(Context& context, const ScriptAddress& address) {
    const catalog::ScriptPtr script = TRY(find_script(address));
    TRY(catalog_.remove_script(script->rid, if_match_of(context.request)));
    context.receipt.charge = throughput::kResourceCharge;
    return {};
}

Result<Page> Scripts::list(Context& context,
                           const FoundContainer& owner,
                           model::ScriptKind kind,
                           const QueryText* query) {
    std::vector<Listed> all;
    for (const catalog::ScriptPtr& script : owner.container->scripts.list(kind)) {
        all.push_back({script->rid.number, [script] { return to_json(*script); }});
    }
    const std::string scope =
        std::string(model::segment_of(kind)) + " " + owner.container->rid.text();
    return feed_.page(context, all, query, scope);
}

}  // namespace orrery::service
