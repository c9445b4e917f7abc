#include "index/path_policy.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "json/path.h"
#include "json/value.h"

namespace orrery::index {

namespace {

using json::Value;
using model::IndexPath;
using model::IndexPattern;
using model::IndexStep;

// A policy in canonical form.
struct Rules {
    bool enabled = true;
    bool automatic = true;
    std::vector<IndexPattern> included;
    std::vector<IndexPattern> excluded;
    std::vector<IndexPath> always;
    std::vector<Composite> composites;
    std::vector<ComputedProperty> computed;
};

template <typename T>
void sort_and_unique(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

Value::Array texts_of(const std::vector<IndexPattern>& patterns) {
    Value::Array texts;
    for (const IndexPattern& pattern : patterns) {
        texts.emplace_back(to_text(pattern.path) + (pattern.below ? "/*" : "/?"));
    }
    return texts;
}

std::string canonical_text(const Rules& rules) {
    Value out(Value::Object{});
    out.set("enabled", rules.enabled);
    out.set("automatic", rules.automatic);
    out.set("included", texts_of(rules.included));
    out.set("excluded", texts_of(rules.excluded));
    Value::Array always;
    for (const IndexPath& path : rules.always) {
        always.emplace_back(to_text(path));
    }
    out.set("always", std::move(always));
    Value::Array composites;
    for (const Composite& composite : rules.composites) {
        Value::Array parts;
        for (const CompositePart& part : composite) {
            parts.emplace_back(Value::Object{{"path", to_text(part.path)},
                                             {"descending", part.order == Order::kDescending}});
        }
        composites.emplace_back(std::move(parts));
    }
    out.set("composites", std::move(composites));
    Value::Array computed;
    for (const ComputedProperty& property : rules.computed) {
        computed.emplace_back(Value::Object{{"name", property.name}, {"query", property.query}});
    }
    out.set("computed", std::move(computed));
    return out.text();
}

Result<std::vector<IndexPattern>> patterns_of(const Value* list) {
    std::vector<IndexPattern> patterns;
    if (list == nullptr || !list->is_array()) return patterns;
    for (const Value& entry : list->array()) {
        const Value* path = entry.is_string() ? &entry : entry.find("path");
        if (path == nullptr || !path->is_string()) continue;
        for (IndexPattern& pattern : TRY(model::parse_index_pattern(path->string()))) {
            patterns.push_back(std::move(pattern));
        }
    }
    sort_and_unique(patterns);
    return patterns;
}

Result<std::vector<Composite>> composites_of(const Value* list) {
    std::vector<Composite> composites;
    if (list == nullptr || !list->is_array()) return composites;
    for (const Value& entry : list->array()) {
        Composite composite;
        for (const Value& part : entry.array()) {
            const Value* order = part.find("order");
            const Value* descending = part.find("descending");
            const bool down = (order != nullptr && order->string() == "descending") ||
                              (descending != nullptr && descending->boolean());
            composite.push_back(
                {.path = TRY(model::parse_composite_path(part.find("path")->string())),
                 .order = down ? Order::kDescending : Order::kAscending});
        }
        composites.push_back(std::move(composite));
    }
    return composites;
}

Result<Rules> rules_of(const model::ContainerDefinition& definition,
                       const std::vector<ComputedProperty>& computed) {
    const Value policy =
        model::indexing_policy_in(model::PolicyForm::kCurrent, definition.indexing_policy);
    const Value* mode = policy.find("indexingMode");
    const Value* automatic = policy.find("automatic");
    Rules rules;
    rules.enabled = mode == nullptr || mode->string() != "none";
    if (!rules.enabled) return rules;
    rules.automatic = automatic == nullptr || automatic->boolean();
    rules.included = TRY(patterns_of(policy.find("includedPaths")));
    rules.excluded = TRY(patterns_of(policy.find("excludedPaths")));
    rules.composites = TRY(composites_of(policy.find("compositeIndexes")));
    rules.computed = computed;
    for (const json::Path& path : definition.partition_key.paths) {
        IndexPath& always = rules.always.emplace_back();
        for (const std::string& name : path) {
            always.push_back({.name = name, .element = false});
        }
    }
    sort_and_unique(rules.always);
    return rules;
}

Result<Rules> rules_of(const Value& text) {
    Rules rules;
    rules.enabled = text.find("enabled")->boolean();
    rules.automatic = text.find("automatic")->boolean();
    rules.included = TRY(patterns_of(text.find("included")));
    rules.excluded = TRY(patterns_of(text.find("excluded")));
    rules.composites = TRY(composites_of(text.find("composites")));
    for (const Value& path : text.find("always")->array()) {
        rules.always.push_back(TRY(model::parse_composite_path(path.string())));
    }
    for (const Value& property : text.find("computed")->array()) {
        rules.computed.push_back(
            {.name = property.find("name")->string(), .query = property.find("query")->string()});
    }
    return rules;
}

}  // namespace

class PolicyCompiler {
public:
    explicit PolicyCompiler(Rules rules)
        : rules_(std::move(rules)), policy_(std::make_shared<PathPolicy>()) {
        policy_->nodes_.emplace_back();
        own_.emplace_back();
    }

    std::shared_ptr<const PathPolicy> compile() {
        policy_->text_ = canonical_text(rules_);
        policy_->enabled_ = rules_.enabled;
        policy_->automatic_ = rules_.automatic;
        if (rules_.enabled) {
            add_rules();
            add_composites();
            inherit();
        }
        policy_->composites_ = std::move(rules_.composites);
        policy_->computed_ = std::move(rules_.computed);
        return std::move(policy_);
    }

private:
    // What the rules say about a node itself; nothing: as its parent.
    struct Own {
        std::optional<bool> here;
        std::optional<bool> below;
    };

    void add_rules() {
        // System properties that are not queried by index, and computed properties, are indexed
        // only where the policy names them. The policy's own rules come later and win.
        for (const char* name : {"_rid", "_self", "_etag", "_attachments"}) {
            set({.path = {{.name = name, .element = false}}, .below = true}, false);
        }
        for (const ComputedProperty& property : rules_.computed) {
            set({.path = {{.name = property.name, .element = false}}, .below = true}, false);
        }
        for (const IndexPattern& pattern : rules_.excluded) {
            set(pattern, false);
        }
        for (const IndexPattern& pattern : rules_.included) {
            set(pattern, true);
        }
        for (const char* name : {"id", "_ts"}) {
            set({.path = {{.name = name, .element = false}}, .below = false}, true);
        }
        for (const IndexPath& path : rules_.always) {
            set({.path = path, .below = false}, true);
        }
    }

    void set(const IndexPattern& pattern, bool included) {
        Own& own = own_[node_at(pattern.path)];
        (pattern.below ? own.below : own.here) = included;
    }

    void add_composites() {
        for (const Composite& composite : rules_.composites) {
            std::vector<std::uint16_t>& slots = policy_->composite_slots_.emplace_back();
            for (const CompositePart& part : composite) {
                PathPolicy::Node& node = policy_->nodes_[node_at(part.path)];
                if (node.slot == PathPolicy::kNoSlot) {
                    node.slot = static_cast<std::uint16_t>(policy_->slot_count_++);
                }
                slots.push_back(node.slot);
            }
        }
    }

    void inherit() {
        for (std::size_t i = 0; i < policy_->nodes_.size(); ++i) {
            PathPolicy::Node& node = policy_->nodes_[i];
            const bool above = i > 0 && policy_->nodes_[node.parent].below;
            node.below = own_[i].below.value_or(above);
            node.included = own_[i].here.value_or(node.below);
        }
    }

    std::uint32_t node_at(const IndexPath& path) {
        std::uint32_t node = 0;
        for (const IndexStep& step : path) {
            const auto next = static_cast<std::uint32_t>(policy_->nodes_.size());
            const auto [found, is_new] = children_.try_emplace({node, step}, next);
            if (is_new) {
                policy_->nodes_.push_back({.parent = node, .step = step});
                own_.emplace_back();
            }
            node = found->second;
        }
        return node;
    }

    Rules rules_;
    std::shared_ptr<PathPolicy> policy_;
    std::vector<Own> own_;
    std::map<std::pair<std::uint32_t, IndexStep>, std::uint32_t> children_;
};

Result<std::shared_ptr<const PathPolicy>> PathPolicy::compile(
    const model::ContainerDefinition& definition, const std::vector<ComputedProperty>& computed) {
    return PolicyCompiler(TRY(rules_of(definition, computed))).compile();
}

Result<std::shared_ptr<const PathPolicy>> PathPolicy::from_text(std::string_view text) {
    const Value value = TRY(Value::parse(text));
    for (const char* name :
         {"enabled", "automatic", "included", "excluded", "always", "composites", "computed"}) {
        if (value.find(name) == nullptr) {
            return Error(ErrorCode::kCorrupted, "the stored policy of an index is corrupted");
        }
    }
    return PolicyCompiler(TRY(rules_of(value))).compile();
}

bool PathPolicy::indexes(const model::IndexPath& path) const {
    if (!enabled_) return false;
    std::uint32_t at = 0;
    for (const IndexStep& step : path) {
        std::uint32_t next = 0;
        for (std::uint32_t i = at + 1; i < nodes_.size() && next == 0; ++i) {
            if (nodes_[i].parent == at && nodes_[i].step == step) next = i;
        }
        if (next == 0) return nodes_[at].below;
        at = next;
    }
    return nodes_[at].included;
}

}  // namespace orrery::index
