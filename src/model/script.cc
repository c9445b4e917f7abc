#include "model/script.h"

#include <utility>

#include "base/ascii.h"
#include "model/limits.h"
#include "model/names.h"

namespace orrery::model {

namespace {

using json::Value;

struct Facts {
    std::string_view segment;
    std::size_t count_max;
};

// In the order of ScriptKind.
constexpr std::array<Facts, kScriptKinds.size()> kFacts = {{
    {"sprocs", limits::kStoredProceduresMax},
    {"triggers", limits::kTriggersMax},
    {"udfs", limits::kUdfsMax},
}};

const Facts& facts_of(ScriptKind kind) { return kFacts[static_cast<std::size_t>(kind)]; }

constexpr std::pair<std::string_view, TriggerType> kTriggerTypes[] = {
    {"Pre", TriggerType::kPre},
    {"Post", TriggerType::kPost},
};

constexpr std::pair<std::string_view, TriggerOperation> kTriggerOperations[] = {
    {"All", TriggerOperation::kAll},
    {"Create", TriggerOperation::kCreate},
    {"Update", TriggerOperation::kUpdate},
    {"Delete", TriggerOperation::kDelete},
    {"Replace", TriggerOperation::kReplace},
    {"Upsert", TriggerOperation::kUpsert},
};

// Reads the members of a script one by one; missing ones are reported together.
class ScriptReader {
public:
    explicit ScriptReader(const Value& body) : body_(body) {}

    std::string text(std::string_view name) {
        const Value* found = body_.find(name);
        if (found == nullptr || found->is_null()) {
            missing_.append(name).append("; ");
            return {};
        }
        if (found->is_string()) return found->string();
        if (wrong_.empty()) {
            wrong_ = "The '" + std::string(name) + "' of a script must be a string.";
        }
        return {};
    }

    // One of the words of `table`, ignoring case.
    template <typename Word, std::size_t kCount>
    Word word(std::string_view name,
              const std::string& given,
              const std::pair<std::string_view, Word> (&table)[kCount]) {
        std::string known;
        for (const auto& [word, value] : table) {
            if (same_word(word, given)) return value;
            known.append(known.empty() ? "'" : ", '").append(word).append("'");
        }
        if (wrong_.empty()) {
            wrong_ = "The value '" + given.substr(0, kShownBytesMax) + "' specified for '" +
                     std::string(name) + "' is invalid: it must be one of " + known + ".";
        }
        return Word{};
    }

    Status status() const {
        if (!missing_.empty()) {
            return Error(ErrorCode::kBadRequest,
                         "The input content is invalid because the required properties - '" +
                             missing_ + "' - are missing.");
        }
        if (!wrong_.empty()) return Error(ErrorCode::kBadRequest, wrong_);
        return {};
    }

private:
    static constexpr std::size_t kShownBytesMax = 40;

    const Value& body_;
    std::string missing_;
    std::string wrong_;
};

// Calls `use` with the type of rid that the kind has.
template <typename Use>
auto with_rid_type(ScriptKind kind, const Use& use) {
    switch (kind) {
        case ScriptKind::kTrigger:
            return use(TriggerRid());
        case ScriptKind::kUdf:
            return use(UdfRid());
        case ScriptKind::kStoredProcedure:
            break;
    }
    return use(StoredProcedureRid());
}

}  // namespace

std::string_view segment_of(ScriptKind kind) { return facts_of(kind).segment; }

std::size_t count_max(ScriptKind kind) { return facts_of(kind).count_max; }

Result<ScriptDefinition> parse_script_definition(ScriptKind kind, const Value& body) {
    ScriptReader reader(body);
    ScriptDefinition out;
    out.id = reader.text("id");
    out.body = reader.text("body");
    if (kind == ScriptKind::kTrigger) {
        TriggerRule rule;
        rule.type_text = reader.text("triggerType");
        rule.operation_text = reader.text("triggerOperation");
        rule.type = reader.word("triggerType", rule.type_text, kTriggerTypes);
        rule.operation = reader.word("triggerOperation", rule.operation_text, kTriggerOperations);
        out.trigger = std::move(rule);
    }
    TRY(reader.status());
    TRY(check_resource_name(out.id));
    return out;
}

Value to_json(const ScriptDefinition& definition) {
    Value out(Value::Object{});
    out.set("id", definition.id);
    out.set("body", definition.body);
    if (definition.trigger) {
        out.set("triggerType", definition.trigger->type_text);
        out.set("triggerOperation", definition.trigger->operation_text);
    }
    return out;
}

std::optional<ScriptRid> ScriptRid::parse(ScriptKind kind, std::string_view text) {
    return with_rid_type(kind, [&](auto rid) -> std::optional<ScriptRid> {
        const auto parsed = decltype(rid)::parse(text);
        if (!parsed) return std::nullopt;
        return ScriptRid{.container = parsed->container, .kind = kind, .number = parsed->number};
    });
}

std::string ScriptRid::text() const {
    return with_rid_type(kind, [&](auto rid) {
        rid.container = container;
        rid.number = number;
        return rid.text();
    });
}

}  // namespace orrery::model
