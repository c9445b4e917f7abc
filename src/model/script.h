// A stored procedure, trigger or user-defined function as clients define it. Parsed from and
// printed as the JSON of the REST API. The body is text that is stored unchecked, as in the
// service; errors in it surface when the script runs.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "model/resource_id.h"

namespace orrery::model {

enum class ScriptKind : std::uint8_t { kStoredProcedure, kTrigger, kUdf };
inline constexpr std::array kScriptKinds = {
    ScriptKind::kStoredProcedure, ScriptKind::kTrigger, ScriptKind::kUdf};

// "sprocs", "triggers", "udfs": in links and, on disk, in the catalog. Never rename.
std::string_view segment_of(ScriptKind kind);
// How many of them a container may have.
std::size_t count_max(ScriptKind kind);

enum class TriggerType : std::uint8_t { kPre, kPost };
enum class TriggerOperation : std::uint8_t { kAll, kCreate, kUpdate, kDelete, kReplace, kUpsert };

// When a trigger may run. Clients write the words in their own case (the JavaScript SDK "pre", .NET
// "Pre") and get them back as written.
struct TriggerRule {
    TriggerType type = TriggerType::kPre;
    TriggerOperation operation = TriggerOperation::kAll;
    std::string type_text;
    std::string operation_text;
};

struct ScriptDefinition {
    std::string id;
    std::string body;
    std::optional<TriggerRule> trigger = std::nullopt;  // set exactly for triggers
};

Result<ScriptDefinition> parse_script_definition(ScriptKind kind, const json::Value& body);

// The members of the REST resource, without system properties.
json::Value to_json(const ScriptDefinition& definition);

// A StoredProcedureRid, TriggerRid or UdfRid whose kind is known only at run time.
struct ScriptRid {
    ContainerRid container;
    ScriptKind kind = ScriptKind::kStoredProcedure;
    std::uint64_t number = 0;

    static std::optional<ScriptRid> parse(ScriptKind kind, std::string_view text);
    std::string text() const;
    auto operator<=>(const ScriptRid&) const = default;
};

}  // namespace orrery::model
