#include "model/patch.h"

#include <algorithm>

#include "json/number.h"
#include "json/text.h"
#include "json/value.h"
#include "json/walk.h"
#include "model/item_body.h"
#include "model/limits.h"

namespace orrery::model {

namespace {

using Kind = PatchOperation::Kind;

// How much deeper a value is nested in a patch than in the item.
constexpr int kWrapperDepth = 3;

Error bad_syntax() {
    return Error(ErrorCode::kBadRequest,
                 "Invalid patch request: check syntax of patch specification.");
}

std::optional<Kind> kind_of(std::string_view name) {
    constexpr std::pair<std::string_view, Kind> kNames[] = {{"add", Kind::kAdd},
                                                            {"set", Kind::kSet},
                                                            {"replace", Kind::kReplace},
                                                            {"remove", Kind::kRemove},
                                                            {"incr", Kind::kIncrement},
                                                            {"move", Kind::kMove}};
    const auto* found = std::find_if(
        std::begin(kNames), std::end(kNames), [&](const auto& one) { return one.first == name; });
    return found == std::end(kNames) ? std::nullopt : std::optional(found->second);
}

// The property as plain text; nothing when it is missing or not a string.
std::optional<std::string> string_member(std::string_view object, std::string_view name) {
    const auto value = json::find_member(object, name);
    if (!value || value->front() != '"') return std::nullopt;
    return json::unquote(*value);
}

std::optional<std::string> unescaped(std::string_view name) {
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] != '~') {
            out += name[i];
            continue;
        }
        if (++i == name.size() || (name[i] != '0' && name[i] != '1')) return std::nullopt;
        out += name[i] == '0' ? '~' : '/';
    }
    return out;
}

Result<PatchPath> parse_patch_path(std::optional<std::string> text) {
    if (!text || text->empty() || text->front() != '/') return bad_syntax();
    PatchPath path{.text = std::move(*text), .names = {}};
    std::string_view rest = path.text;
    while (!rest.empty()) {
        rest.remove_prefix(1);
        const std::string_view segment = rest.substr(0, rest.find('/'));
        auto name = unescaped(segment);
        // No item is nested deeper, so such a path leads nowhere.
        if (!name || path.names.size() == json::kDepthMax) return bad_syntax();
        path.names.push_back(std::move(*name));
        rest.remove_prefix(segment.size());
    }
    return path;
}

bool can_be_added(std::string_view value) {
    const bool is_number = value.front() == '-' || (value.front() >= '0' && value.front() <= '9');
    return is_number && json::Number::parse(value).is_finite();
}

bool starts_with(const std::vector<std::string>& names, const std::vector<std::string>& prefix) {
    return names.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), names.begin());
}

Result<PatchOperation> parse_operation(std::string_view text) {
    if (text.front() != '{') return bad_syntax();
    const auto kind = kind_of(string_member(text, "op").value_or(""));
    if (!kind) return bad_syntax();
    PatchOperation operation{.kind = *kind,
                             .path = TRY(parse_patch_path(string_member(text, "path"))),
                             .from = {},
                             .value = {}};
    if (*kind == Kind::kRemove) return operation;
    if (*kind == Kind::kMove) {
        operation.from = TRY(parse_patch_path(string_member(text, "from")));
        const bool into_itself = operation.path.names.size() > operation.from.names.size() &&
                                 starts_with(operation.path.names, operation.from.names);
        if (into_itself) return bad_syntax();
        return operation;
    }
    const auto value = json::find_member(text, "value");
    if (!value || (*kind == Kind::kIncrement && !can_be_added(*value))) return bad_syntax();
    operation.value = *value;
    return operation;
}

Status check_path(const PatchPath& path, const PartitionKeyDefinition& partition_key) {
    if (path.names.front() == "id" || is_system_property(path.names.front())) {
        return Error(
            ErrorCode::kBadRequest,
            "Invalid patch request: Cannot patch system property " + path.names.front() + ".");
    }
    // Parents of the key may change as long as the key stays the same; the writer checks that.
    for (const json::Path& key : partition_key.paths) {
        if (starts_with(path.names, key)) {
            return Error(
                ErrorCode::kBadRequest,
                "Invalid patch request: Cannot patch the partition key " + path.text + ".");
        }
    }
    return {};
}

}  // namespace

Result<Patch> parse_patch(std::string_view body) {
    const auto text = json::normalize(body, json::kDepthMax + kWrapperDepth);
    if (!text) return bad_syntax();
    Patch patch;
    std::string_view operations = *text;
    if (text->front() == '{') {
        const auto listed = json::find_member(*text, "operations");
        if (!listed) return bad_syntax();
        operations = *listed;
        const auto condition = json::find_member(*text, "condition");
        if (condition && *condition != "null") {
            if (condition->front() != '"') return bad_syntax();
            patch.condition = json::unquote(*condition);
        }
    }
    if (operations.front() != '[') return bad_syntax();
    json::Walk walk(operations);
    while (const auto operation = walk.next()) {
        if (patch.operations.size() == limits::kPatchOperationsMax) {
            return Error(ErrorCode::kBadRequest,
                         "The number of patch operations can't exceed " +
                             std::to_string(limits::kPatchOperationsMax) + ".");
        }
        patch.operations.push_back(TRY(parse_operation(operation->value)));
    }
    if (patch.operations.empty()) return bad_syntax();
    return patch;
}

Status check_patch(const Patch& patch, const PartitionKeyDefinition& partition_key) {
    for (const PatchOperation& operation : patch.operations) {
        TRY(check_path(operation.path, partition_key));
        if (operation.kind == Kind::kMove) TRY(check_path(operation.from, partition_key));
    }
    return {};
}

}  // namespace orrery::model
