#include "model/indexing_policy.h"

#include <algorithm>
#include <string>

#include "base/ascii.h"
#include "model/index_path.h"
#include "model/limits.h"

namespace orrery::model {

namespace {

using json::Value;

Error bad_policy(const std::string& what) {
    return Error(ErrorCode::kBadRequest, "The indexing policy is not valid: " + what);
}

Status check_paths(const Value& paths, const char* list, const char* kind) {
    if (!paths.is_array()) return bad_policy(std::string(list) + " must be an array.");
    if (paths.array().size() > limits::kIncludedPathsMax) {
        return bad_policy(std::string(list) + " has more than " +
                          std::to_string(limits::kIncludedPathsMax) + " paths.");
    }
    for (const Value& entry : paths.array()) {
        const Value* path = entry.find("path");
        if (path == nullptr || !path->is_string()) {
            return bad_policy(std::string("every ") + kind + " path needs a 'path'.");
        }
        const auto pattern = parse_index_pattern(path->string());
        if (!pattern) {
            return bad_policy(std::string("an ") + kind + " path is wrong. " +
                              pattern.error().message());
        }
    }
    return {};
}

bool has_entries(const Value* paths) { return paths != nullptr && !paths->array().empty(); }

bool names_root(const Value& paths) {
    return std::any_of(paths.array().begin(), paths.array().end(), [](const Value& entry) {
        const std::string& path = entry.find("path")->string();
        return path == "/*" || path == "/";
    });
}

Status check_composite(const Value& composite) {
    if (!composite.is_array() || composite.array().empty() ||
        composite.array().size() > limits::kCompositeIndexPropertiesMax) {
        return bad_policy("a composite index is an array of up to " +
                          std::to_string(limits::kCompositeIndexPropertiesMax) + " paths.");
    }
    for (const Value& entry : composite.array()) {
        const Value* path = entry.find("path");
        if (path == nullptr || !path->is_string()) {
            return bad_policy("every path of a composite index needs a 'path'.");
        }
        if (const auto parsed = parse_composite_path(path->string()); !parsed) {
            return bad_policy(parsed.error().message());
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

Result<std::string> indexing_mode(const Value& policy, PolicyForm form) {
    const Value* mode = policy.find("indexingMode");
    if (mode == nullptr || mode->is_null()) return std::string("consistent");
    const std::string name = mode->is_string() ? lower(mode->string()) : "";
    if (name == "lazy") return std::string(form == PolicyForm::kLegacy ? "lazy" : "consistent");
    if (name != "consistent" && name != "none") {
        return bad_policy("indexingMode is 'consistent' or 'none'.");
    }
    return name;
}

// Some clients send `automatic: false` only because it is their language's default. The service now
// ignores it: if there is an index, every item is indexed.
Result<bool> is_automatic(const Value& policy, const std::string& mode, PolicyForm form) {
    const Value* given = policy.find("automatic");
    if (given != nullptr && !given->is_bool()) {
        return bad_policy("automatic must be true or false.");
    }
    if (mode == "none") return given != nullptr && given->boolean();
    return form == PolicyForm::kCurrent || given == nullptr || given->boolean();
}

Value path_entry(const char* path) { return Value(Value::Object{{"path", path}}); }

bool names_etag(const Value& paths) {
    const IndexPath etag{{.name = "_etag", .element = false}};
    return std::any_of(paths.array().begin(), paths.array().end(), [&](const Value& entry) {
        const auto patterns = parse_index_pattern(entry.find("path")->string());
        return patterns && patterns->front().path == etag;
    });
}

// Adds the default index kind of that API version for each type the client did not name.
void add_index_kinds(Value& included) {
    const Value* given = included.find("indexes");
    Value::Array indexes = given != nullptr && given->is_array() ? given->array() : Value::Array{};
    const auto add = [&](const char* type, const char* kind, int precision) {
        const auto of_type = [&](const Value& index) {
            const Value* of = index.find("dataType");
            return of != nullptr && of->is_string() && of->string() == type;
        };
        if (std::any_of(indexes.begin(), indexes.end(), of_type)) return;
        indexes.emplace_back(
            Value::Object{{"kind", kind}, {"dataType", type}, {"precision", precision}});
    };
    add("Number", "Range", -1);
    add("String", "Hash", 3);
    included.set("indexes", std::move(indexes));
}

}  // namespace

Result<Value> complete_indexing_policy(const Value* given, PolicyForm form) {
    const Value empty(Value::Object{});
    const bool absent = given == nullptr || given->is_null();
    if (!absent && !given->is_object()) return bad_policy("it must be an object.");
    const Value& policy = absent ? empty : *given;

    TRY(refuse_later_kinds(policy));
    const std::string mode = TRY(indexing_mode(policy, form));
    const bool automatic = TRY(is_automatic(policy, mode, form));
    const Value* included = policy.find("includedPaths");
    const Value* excluded = policy.find("excludedPaths");
    if (included != nullptr) TRY(check_paths(*included, "includedPaths", "included"));
    if (excluded != nullptr) TRY(check_paths(*excluded, "excludedPaths", "excluded"));

    Value out(Value::Object{});
    out.set("indexingMode", mode);
    out.set("automatic", automatic);
    const bool indexed = mode != "none";
    // Two empty lists say as little as none.
    const bool defaults = indexed && !has_entries(included) && !has_entries(excluded);
    const Value none(Value::Array{});
    out.set("includedPaths",
            defaults ? Value(Value::Array{path_entry("/*")})
                     : (included != nullptr ? *included : none));
    out.set("excludedPaths", excluded != nullptr ? *excluded : none);
    if (indexed && !names_root(*out.find("includedPaths")) &&
        !names_root(*out.find("excludedPaths"))) {
        // The service's words.
        return Error(ErrorCode::kBadRequest,
                     "The special mandatory indexing path \"\\/\" is not provided in any of the "
                     "path type sets. Please provide this path in one of the sets.");
    }
    if (const Value* composites = policy.find("compositeIndexes");
        composites != nullptr && !composites->is_null()) {
        TRY(check_composites(*composites));
        out.set("compositeIndexes", *composites);
    }
    return out;
}

Value indexing_policy_in(PolicyForm form, const Value& stored) {
    Value out = stored;
    Value included = *stored.find("includedPaths");
    Value excluded = *stored.find("excludedPaths");
    const std::string& mode = stored.find("indexingMode")->string();
    for (Value& entry : included.array()) {
        if (form == PolicyForm::kLegacy) {
            add_index_kinds(entry);
        } else {
            entry.remove("indexes");
        }
    }
    if (form == PolicyForm::kCurrent) {
        if (mode == "lazy") out.set("indexingMode", "consistent");
        if (mode != "none" && !names_etag(included) && !names_etag(excluded)) {
            excluded.array().push_back(path_entry("/\"_etag\"/?"));
        }
    }
    out.set("includedPaths", std::move(included));
    out.set("excludedPaths", std::move(excluded));
    return out;
}

}  // namespace orrery::model
