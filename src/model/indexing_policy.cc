#include "model/indexing_policy.h"

#include <string>

#include "base/ascii.h"
#include "model/limits.h"

namespace orrery::model {

namespace {

using json::Value;

Error bad_policy(const std::string& what) {
    return Error(ErrorCode::kBadRequest, "The indexing policy is not valid: " + what);
}

// Index paths start with '/' and end in '/?' or '/*'; the inside may hold quoted names and '[]'.
bool is_index_path(const std::string& path) {
    return path.size() >= 2 && path.front() == '/' &&
           (path.ends_with("/?") || path.ends_with("/*"));
}

Status check_paths(const Value& paths, const char* list, const char* kind) {
    if (!paths.is_array()) return bad_policy(std::string(list) + " must be an array.");
    if (paths.array().size() > limits::kIncludedPathsMax) {
        return bad_policy(std::string(list) + " has more than " +
                          std::to_string(limits::kIncludedPathsMax) + " paths.");
    }
    for (const Value& entry : paths.array()) {
        const Value* path = entry.find("path");
        if (path == nullptr || !path->is_string() || !is_index_path(path->string())) {
            return bad_policy(
                std::string("every ") + kind +
                " path needs a 'path' that starts with '/' and ends in '/?' or '/*'.");
        }
    }
    return {};
}

Status check_composite(const Value& composite) {
    if (!composite.is_array() || composite.array().empty() ||
        composite.array().size() > limits::kCompositeIndexPropertiesMax) {
        return bad_policy("a composite index is an array of up to " +
                          std::to_string(limits::kCompositeIndexPropertiesMax) + " paths.");
    }
    for (const Value& entry : composite.array()) {
        const Value* path = entry.find("path");
        if (path == nullptr || !path->is_string() || !path->string().starts_with("/")) {
            return bad_policy("every path of a composite index starts with '/'.");
        }
        const Value* order = entry.find("order");
        if (order != nullptr && (!order->is_string() || (order->string() != "ascending" &&
                                                         order->string() != "descending"))) {
            return bad_policy("the order of a composite path is 'ascending' or 'descending'.");
        }
    }
    return {};
}

Status check_composites(const Value& composites) {
    if (!composites.is_array()) return bad_policy("compositeIndexes must be an array.");
    std::size_t paths = 0;
    for (const Value& composite : composites.array()) {
        TRY(check_composite(composite));
        paths += composite.array().size();
    }
    if (paths > limits::kCompositeIndexPathsMax) {
        return bad_policy("composite indexes have more than " +
                          std::to_string(limits::kCompositeIndexPathsMax) + " paths in all.");
    }
    return {};
}

Status refuse_later_kinds(const Value& policy) {
    for (const char* name : {"spatialIndexes", "vectorIndexes", "fullTextIndexes"}) {
        const Value* indexes = policy.find(name);
        if (indexes == nullptr || indexes->is_null()) continue;
        if (indexes->is_array() && indexes->array().empty()) continue;
        return Error(ErrorCode::kBadRequest,
                     std::string("The indexing policy asks for '") + name +
                         "', which this server does not support.");
    }
    return {};
}

Result<std::string> indexing_mode(const Value& policy) {
    const Value* mode = policy.find("indexingMode");
    if (mode == nullptr || mode->is_null()) return std::string("consistent");
    const std::string name = mode->is_string() ? lower(mode->string()) : "";
    if (name == "lazy") {
        return bad_policy("lazy indexing is not supported; use 'consistent' or 'none'.");
    }
    if (name != "consistent" && name != "none") {
        return bad_policy("indexingMode is 'consistent' or 'none'.");
    }
    return name;
}

Value single_path(const char* path) {
    return Value(Value::Array{Value(Value::Object{{"path", path}})});
}

}  // namespace

Result<Value> complete_indexing_policy(const Value* given) {
    const Value empty(Value::Object{});
    const bool absent = given == nullptr || given->is_null();
    if (!absent && !given->is_object()) return bad_policy("it must be an object.");
    const Value& policy = absent ? empty : *given;

    TRY(refuse_later_kinds(policy));
    const std::string mode = TRY(indexing_mode(policy));
    const Value* automatic = policy.find("automatic");
    if (automatic != nullptr && !automatic->is_bool()) {
        return bad_policy("automatic must be true or false.");
    }
    const Value* included = policy.find("includedPaths");
    const Value* excluded = policy.find("excludedPaths");
    if (included != nullptr) TRY(check_paths(*included, "includedPaths", "included"));
    if (excluded != nullptr) TRY(check_paths(*excluded, "excludedPaths", "excluded"));

    Value out(Value::Object{});
    out.set("indexingMode", mode);
    // With mode none nothing is automatic unless the client says so, and no path is listed.
    out.set("automatic", automatic != nullptr ? *automatic : Value(mode != "none"));
    const bool any_given = included != nullptr || excluded != nullptr;
    const bool defaults = !any_given && mode != "none";
    out.set(
        "includedPaths",
        included != nullptr ? *included : (defaults ? single_path("/*") : Value(Value::Array{})));
    out.set("excludedPaths",
            excluded != nullptr
                ? *excluded
                : (mode != "none" ? single_path("/\"_etag\"/?") : Value(Value::Array{})));
    if (const Value* composites = policy.find("compositeIndexes");
        composites != nullptr && !composites->is_null()) {
        TRY(check_composites(*composites));
        out.set("compositeIndexes", *composites);
    }
    return out;
}

}  // namespace orrery::model
