#include "service/triggers.h"

#include "service/errors.h"

namespace orrery::service {

namespace {

using model::TriggerOperation;
using Kind = TriggeredWrite::Kind;

bool covers(TriggerOperation operation, Kind kind) {
    switch (operation) {
        case TriggerOperation::kAll:
            return true;
        case TriggerOperation::kCreate:
            return kind == Kind::kCreate;
        case TriggerOperation::kUpsert:
            return kind == Kind::kUpsert;
        case TriggerOperation::kUpdate:
        case TriggerOperation::kReplace:
            return kind == Kind::kReplace;
        case TriggerOperation::kDelete:
            return kind == Kind::kRemove;
    }
    return false;
}

}  // namespace

Result<std::optional<StoredScript>> find_trigger(const catalog::Container& container,
                                                 std::string_view header,
                                                 model::TriggerType type,
                                                 TriggeredWrite::Kind operation) {
    if (header.empty()) return std::optional<StoredScript>();
    const std::string name(header);
    if (header.find(',') != std::string_view::npos) {
        return bad_request("A request can name one trigger of each type, not several: " + name);
    }
    const catalog::ScriptPtr found = container.scripts.find(model::ScriptKind::kTrigger, header);
    if (!found) return bad_request("There is no trigger '" + name + "'.");
    const model::TriggerRule& rule = *found->definition.trigger;
    if (rule.type != type) {
        return bad_request("The trigger '" + name + "' is not a " +
                           (type == model::TriggerType::kPre ? "pre" : "post") + "-trigger.");
    }
    if (!covers(rule.operation, operation)) {
        return bad_request("The trigger '" + name + "' does not apply to this operation.");
    }
    return std::optional(stored_script(found));
}

}  // namespace orrery::service
