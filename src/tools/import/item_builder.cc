#include "tools/import/item_builder.h"

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "json/property.h"
#include "tools/import/extended_json.h"

namespace orrery::tools {

namespace {

using json::Value;

// Half of the digest, as a UUID has it.
constexpr std::size_t kGeneratedIdBytes = 16;

Error bad_item(std::string problem) { return Error(ErrorCode::kBadRequest, std::move(problem)); }

bool is_scalar(const Value& value) { return !value.is_object() && !value.is_array(); }

// _id becomes id, as text if it is a number. One that is neither stays, and the item has no id.
void rename_id(Value& item) {
    const Value* const found = item.find("_id");
    if (found == nullptr || item.find("id") != nullptr) return;
    if (!found->is_string() && !found->is_number()) return;
    Value::Object members;
    for (const Value::Member& member : item.object()) {
        if (member.name != "_id") {
            members.push_back(member);
            continue;
        }
        const Value& id = member.value;
        members.push_back({"id", id.is_string() ? id.string() : id.text()});
    }
    item = Value(std::move(members));
}

std::string generated_id(const std::string& text, const Origin& origin) {
    std::string hashed(origin.source);
    hashed += '\0';
    hashed += std::to_string(origin.record);
    hashed += '\0';
    hashed += text;
    const Sha256Digest digest = sha256(hashed);
    std::string out = to_hex_upper(as_bytes(digest).substr(0, kGeneratedIdBytes));
    for (char& c : out) {
        c = lower(c);
    }
    return out;
}

}  // namespace

ItemBuilder::ItemBuilder(const model::ContainerDefinition& definition, ItemRules rules)
    : definition_(definition), rules_(std::move(rules)), paths_(definition) {}

Result<Item> ItemBuilder::build(const std::string& text, bool mongo, const Origin& origin) const {
    const bool as_it_is =
        !mongo && rules_.id_from.empty() && rules_.key_from.empty() && !rules_.generate_ids;
    std::string changed;
    if (!as_it_is) changed = TRY(mapped(text, mongo, origin));
    model::ItemBody body = TRY(model::parse_item_body(as_it_is ? text : changed, paths_));
    Item out;
    out.id = std::move(body.id);
    out.json = std::move(body.open_json);
    out.json += '}';
    out.partition_key = body.partition_key.to_json();
    out.epk = model::effective_partition_key(body.partition_key, hash());
    return out;
}

Result<std::string> ItemBuilder::mapped(const std::string& text,
                                        bool mongo,
                                        const Origin& origin) const {
    Value item = TRY(Value::parse(text));
    if (!item.is_object()) return bad_item("the record is not an object");
    if (mongo) item = TRY(to_plain_json(std::move(item)));
    if (!item.is_object()) return bad_item("the record is not an object");
    if (mongo) rename_id(item);
    TRY(map_id(item, text, origin));
    TRY(map_key(item));
    return item.text();
}

Status ItemBuilder::map_id(Value& item, const std::string& text, const Origin& origin) const {
    const Value* const found = json::find_at(item, rules_.id_from);
    if (rules_.id_from.empty() || (found == nullptr && rules_.generate_ids)) {
        const Value* const id = item.find("id");
        const bool missing = id == nullptr || id->is_null();
        if (missing && rules_.generate_ids) item.set("id", generated_id(text, origin));
        return {};
    }
    if (found == nullptr)
        return bad_item("there is no " + json::printed_path(rules_.id_from) + " for the id");
    if (!is_scalar(*found) || found->is_null()) {
        return bad_item(json::printed_path(rules_.id_from) +
                        " cannot be an id: it is neither text nor number");
    }
    item.set("id", found->is_string() ? found->string() : found->text());
    return {};
}

Status ItemBuilder::map_key(Value& item) const {
    for (std::size_t i = 0; i < rules_.key_from.size(); ++i) {
        const Value* const found = json::find_at(item, rules_.key_from[i]);
        if (found == nullptr) continue;  // the item has no such key: it is undefined there as well
        if (!is_scalar(*found)) {
            return bad_item(json::printed_path(rules_.key_from[i]) + " cannot be a partition key");
        }
        TRY(json::set_at(item, definition_.partition_key.paths[i], *found));
    }
    return {};
}

Result<json::Path> parse_property(const std::string& text) {
    if (text.starts_with('/')) return json::parse_path(text);
    if (text.empty()) return bad_item("a property has no name");
    return json::Path{text};
}

}  // namespace orrery::tools
