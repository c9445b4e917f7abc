// Helpers for tests of the model and of everything built on it. Tests only.

#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/check.h"
#include "json/value.h"
#include "model/container_definition.h"
#include "model/effective_partition_key.h"
#include "model/item_body.h"

namespace orrery::model::testing_support {

// The value of a result that must not be an error.
template <typename T>
T must(Result<T> result) {
    if (!result) ADD_FAILURE() << result.error().message();
    CHECK(static_cast<bool>(result));
    return std::move(result).take();
}

inline json::Value parsed(std::string_view text) { return must(json::Value::parse(text)); }

// {"id":"c","partitionKey":...} with the given members added or replaced.
inline json::Value container_body(std::string_view members = "{}") {
    json::Value body = parsed(R"({"id":"c","partitionKey":{"paths":["/pk"],"version":2}})");
    const json::Value more = parsed(members);
    for (const auto& member : more.object()) {
        body.set(member.name, member.value);
    }
    return body;
}

// As stored: with `automatic: false` in force.
inline ContainerDefinition container_definition(std::string_view members = "{}") {
    return must(parse_container_definition(container_body(members), kStoredDefinition));
}

inline ItemBody item_body(std::string_view text, const ContainerDefinition& definition) {
    return must(parse_item_body(text, ItemPaths(definition)));
}

// {"id":id,"pk":key<rest>}
inline std::string item(std::string_view id, std::string_view key, std::string_view rest = "") {
    std::string json = R"({"id":")";
    json.append(id).append(R"(","pk":")").append(key).append("\"").append(rest).append("}");
    return json;
}

// The error's text, or a note that there was none; its code must be the given one.
template <typename T>
std::string refusal(const Result<T>& result, ErrorCode code = ErrorCode::kBadRequest) {
    if (result) return "(not refused)";
    EXPECT_EQ(result.error().code(), code) << result.error().message();
    return result.error().message();
}

}  // namespace orrery::model::testing_support
