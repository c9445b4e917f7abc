#include "sql/query_spec.h"

#include <unordered_set>

#include "json/number.h"
#include "json/value.h"
#include "sql/errors.h"
#include "sql/lexer.h"

namespace orrery::sql {

namespace {

Error malformed() {
    return plain_query_error("Invalid query. Specified parameterized query JSON is malformed");
}

Error malformed_resume_filter() {
    return plain_query_error("Invalid query. Specified resume filter is malformed");
}

bool is_parameter_name(std::string_view name) {
    Lexer lexer(name);
    const Token token = lexer.next();
    return token.kind == TokenKind::kParameter && token.text == name;
}

Result<std::string> parameter_name(const json::Value& body) {
    const json::Value* name = body.find("name");
    if (name == nullptr || !name->is_string()) return malformed();
    if (is_parameter_name(name->string())) return name->string();
    return plain_query_error(
        "Invalid query. Specified parameter name '" + name->string() +
        "' is invalid. Parameter names should be in the format of symbol '@' followed by a valid "
        "identifier. E.g. @param1");
}

Result<std::vector<ParameterValue>> parameters(const json::Value& body) {
    std::vector<ParameterValue> out;
    if (body.is_null()) return out;
    if (!body.is_array()) return malformed();
    std::unordered_set<std::string> names;
    for (const json::Value& element : body.array()) {
        std::string name = TRY(parameter_name(element));
        if (!names.insert(name).second) {
            return plain_query_error("Invalid query. Specified duplicate parameter name '" + name +
                                     "'.");
        }
        const json::Value* value = element.find("value");
        if (value != nullptr) out.push_back({std::move(name), value->text()});
    }
    return out;
}

// All 64 bits, unlike json::Value::integer.
std::optional<std::int64_t> int64(const json::Value* value) {
    if (value == nullptr || !value->is_number()) return std::nullopt;
    const json::Number number = json::Number::parse(value->text());
    if (!number.is_integer()) return std::nullopt;
    return number.integer();
}

Result<ResumeValue> resume_value(const json::Value& body) {
    if (body.is_array()) {
        if (!body.array().empty()) return malformed_resume_filter();
        return ResumeValue(ResumeUndefined{});
    }
    if (!body.is_object()) return ResumeValue(body.text());
    const json::Value* type = body.find("type");
    const auto low = int64(body.find("low"));
    const auto high = int64(body.find("high"));
    if (type == nullptr || !type->is_string() || !low || !high ||
        (type->string() != "array" && type->string() != "object")) {
        return malformed_resume_filter();
    }
    return ResumeValue(ResumeHash{type->string() == "array", *low, *high});
}

Result<ResumeFilter> resume_filter(const json::Value& body) {
    const json::Value* value = body.find("value");
    const json::Value* rid = body.find("rid");
    const json::Value* exclude = body.find("exclude");
    if (value == nullptr || !value->is_array() || value->array().empty() ||
        (rid != nullptr && !rid->is_string() && !rid->is_null()) ||
        (exclude != nullptr && !exclude->is_bool())) {
        return malformed_resume_filter();
    }
    ResumeFilter out;
    for (const json::Value& element : value->array()) {
        out.values.push_back(TRY(resume_value(element)));
    }
    if (rid != nullptr && rid->is_string()) out.rid = rid->string();
    out.exclude = exclude != nullptr && exclude->boolean();
    return out;
}

}  // namespace

Result<QuerySpec> parse_query_spec(std::string_view body) {
    const auto parsed = json::Value::parse(body);
    if (!parsed) return malformed();
    const json::Value* text = parsed->find("query");
    if (text == nullptr || !text->is_string()) return malformed();
    QuerySpec spec;
    spec.text = text->string();
    if (const json::Value* list = parsed->find("parameters")) {
        spec.parameters = TRY(parameters(*list));
    }
    if (const json::Value* filter = parsed->find("resumeFilter"); filter && !filter->is_null()) {
        spec.resume_filter = TRY(resume_filter(*filter));
    }
    return spec;
}

QuerySpec plain_query_spec(std::string_view body) {
    return QuerySpec{.text = std::string(body), .parameters = {}, .resume_filter = std::nullopt};
}

}  // namespace orrery::sql
