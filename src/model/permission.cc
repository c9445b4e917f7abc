#include "model/permission.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "model/names.h"
#include "model/partition_key.h"

namespace orrery::model {

namespace {

using json::Value;

constexpr std::array<std::string_view, 5> kChildTypes = {
    "docs", "sprocs", "triggers", "udfs", "conflicts"};

Error bad(std::string message) { return Error(ErrorCode::kBadRequest, std::move(message)); }

// Reads members that must be there; missing ones are reported together.
class MemberReader {
public:
    explicit MemberReader(const Value& body) : body_(body) {}

    std::string text(std::string_view name) {
        const Value* found = body_.find(name);
        if (found == nullptr || found->is_null()) {
            missing_.append(name).append("; ");
            return {};
        }
        if (found->is_string()) return found->string();
        if (wrong_.empty()) wrong_ = "The '" + std::string(name) + "' must be a string.";
        return {};
    }

    Status status() const {
        if (!missing_.empty()) {
            return bad("The input content is invalid because the required properties - '" +
                       missing_ + "' - are missing.");
        }
        if (!wrong_.empty()) return bad(wrong_);
        return {};
    }

private:
    const Value& body_;
    std::string missing_;
    std::string wrong_;
};

Result<PermissionMode> parse_mode(const std::string& text) {
    if (same_word(text, "Read")) return PermissionMode::kRead;
    if (same_word(text, "All")) return PermissionMode::kAll;
    return bad("The value '" + text.substr(0, 40) +
               "' specified for 'permissionMode' is invalid: it must be 'Read' or 'All'.");
}

// The same values as in the header of a request. An array without components restricts nothing.
Result<std::optional<Value>> parse_key(const Value* given) {
    if (given == nullptr || given->is_null()) return std::optional<Value>();
    if (!given->is_array()) {
        return bad("The 'resourcePartitionKey' must be an array of partition key values.");
    }
    TRY(parse_partition_key_header(given->text()));
    if (given->array().empty()) return std::optional<Value>();
    return std::optional<Value>(*given);
}

}  // namespace

Result<PermissionDefinition> parse_permission_definition(const Value& body) {
    MemberReader reader(body);
    PermissionDefinition out;
    out.id = reader.text("id");
    out.mode_text = reader.text("permissionMode");
    out.resource = reader.text("resource");
    TRY(reader.status());
    TRY(check_resource_name(out.id));
    out.mode = TRY(parse_mode(out.mode_text));
    const auto link = parse_resource_link(out.resource);
    if (!link) {
        return bad("The value '" + out.resource.substr(0, 100) +
                   "' specified for 'resource' is invalid: it must be the link of a container or "
                   "of a resource in a container, such as dbs/DB/colls/COLL.");
    }
    out.partition_key = TRY(parse_key(body.find("resourcePartitionKey")));
    return out;
}

Value to_json(const PermissionDefinition& definition) {
    Value out(Value::Object{});
    out.set("id", definition.id);
    out.set("permissionMode", definition.mode_text);
    out.set("resource", definition.resource);
    if (definition.partition_key) out.set("resourcePartitionKey", *definition.partition_key);
    return out;
}

std::string ResourceLink::text() const {
    std::string out = "dbs/";
    out.append(database).append("/colls/").append(container);
    if (!child_type.empty()) out.append("/").append(child_type).append("/").append(child);
    return out;
}

std::optional<ResourceLink> parse_resource_link(std::string_view link) {
    std::array<std::string_view, 6> parts;
    std::size_t count = 0;
    while (link.starts_with('/'))
        link.remove_prefix(1);
    while (link.ends_with('/'))
        link.remove_suffix(1);
    while (!link.empty()) {
        // The id of an item may have slashes: it takes all that is left.
        const bool last = count + 1 == parts.size();
        const std::size_t end = last ? link.size() : std::min(link.find('/'), link.size());
        parts[count++] = link.substr(0, end);
        link.remove_prefix(std::min(end + 1, link.size()));
    }
    if (count != 4 && count != 6) return std::nullopt;
    if (!same_word(parts[0], "dbs") || !same_word(parts[2], "colls")) return std::nullopt;
    if (parts[1].empty() || parts[3].empty()) return std::nullopt;
    ResourceLink out{
        .database = parts[1], .container = parts[3], .child_type = {}, .child = parts[5]};
    if (count == 4) return out;
    for (const std::string_view type : kChildTypes) {
        if (same_word(parts[4], type)) out.child_type = type;
    }
    if (out.child_type.empty() || out.child.empty()) return std::nullopt;
    return out;
}

Result<std::string> parse_user_definition(const Value& body) {
    MemberReader reader(body);
    std::string id = reader.text("id");
    TRY(reader.status());
    TRY(check_resource_name(id));
    return id;
}

}  // namespace orrery::model
