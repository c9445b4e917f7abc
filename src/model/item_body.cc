#include "model/item_body.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/bytes.h"
#include "base/hash.h"
#include "json/value.h"
#include "model/limits.h"
#include "model/names.h"

namespace orrery::model {

namespace {

// Those of SystemProperty come first. _lsn appears in change feeds only and is always dropped.
constexpr std::string_view kSystemNames[] = {
    "_rid", "_self", "_etag", "_attachments", "_ts", "_lsn"};

// Equal values get equal bytes: numbers by value, objects regardless of member order. A missing
// value counts as null (behaviour of the service: unique keys are not sparse).
void append_canonical(std::string& out, const json::Value& value) {
    out += static_cast<char>(value.kind());
    switch (value.kind()) {
        case json::Kind::kNumber: {
            double number = value.number();
            if (number == 0) number = 0;  // -0 is 0
            append_big_endian(out, std::bit_cast<std::uint64_t>(number));
            break;
        }
        case json::Kind::kString:
            append_varint(out, value.string().size());
            out += value.string();
            break;
        case json::Kind::kArray:
            append_varint(out, value.array().size());
            for (const json::Value& element : value.array()) {
                append_canonical(out, element);
            }
            break;
        case json::Kind::kObject: {
            std::vector<const json::Value::Member*> members;
            for (const auto& member : value.object()) {
                members.push_back(&member);
            }
            std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) {
                return a->name < b->name;
            });
            append_varint(out, members.size());
            for (const auto* member : members) {
                append_varint(out, member->name.size());
                out += member->name;
                append_canonical(out, member->value);
            }
            break;
        }
        default:
            break;
    }
}

PartitionKeyValue::Component component_of(const std::optional<json::Captured>& found) {
    if (!found) return PartitionKeyValue::Undefined{};
    switch (found->kind) {
        case json::Kind::kNull:
            return PartitionKeyValue::Null{};
        case json::Kind::kFalse:
            return false;
        case json::Kind::kTrue:
            return true;
        case json::Kind::kNumber:
            return json::to_double(found->raw);
        case json::Kind::kString:
            return json::unquote(found->raw);
        default:
            return PartitionKeyValue::Undefined{};
    }
}

}  // namespace

ItemPaths::ItemPaths(const ContainerDefinition& definition)
    : id_(paths_.add({"id"})),
      ttl_(paths_.add({"ttl"})),
      system_key_(definition.partition_key.system_key) {
    for (const std::string_view name : kSystemNames) {
        system_.push_back(paths_.add({std::string(name)}));
    }
    for (const json::Path& path : definition.partition_key.paths) {
        partition_key_.push_back(paths_.add(path));
    }
    for (const std::vector<std::string>& key : definition.unique_keys) {
        std::vector<std::size_t>& numbers = unique_keys_.emplace_back();
        for (const std::string& text : key) {
            const auto path = json::parse_path(text, json::PathForm::kStored);
            if (path) numbers.push_back(paths_.add(*path));
        }
    }
}

// Reads one item; a class so that the steps share the results of the scan.
class ItemReader {
public:
    explicit ItemReader(const ItemPaths& paths) : paths_(paths) {}

    Result<ItemBody> read(std::string_view text) {
        std::optional<std::string> minified = json::minify(text);
        if (!minified) {
            return Error(ErrorCode::kBadRequest, "invalid JSON: a string is not closed");
        }
        text_ = std::move(*minified);
        json::Captures captures = TRY(json::capture(text_, paths_.paths_));
        if (captures.duplicates) {
            text_ = TRY(json::Value::parse(text_)).text();
            captures = TRY(json::capture(text_, paths_.paths_));
        }
        found_ = std::move(captures.at);
        item_.numbers = captures.numbers;
        TRY(read_id());
        TRY(read_ttl());
        TRY(read_partition_key());
        read_unique_keys();
        cut_system_properties();
        if (item_.open_json.size() + 1 > limits::kItemBytesMax) {
            return Error(ErrorCode::kTooLarge, "Request size is too large");
        }
        return std::move(item_);
    }

private:
    Status read_id() {
        const auto& id = found_[paths_.id_];
        if (!id || id->kind != json::Kind::kString) {
            return Error(ErrorCode::kBadRequest,
                         "The input content is invalid because the required properties - 'id; ' - "
                         "are missing, or 'id' is not a string.");
        }
        item_.id = json::unquote(id->raw);
        return check_item_id(item_.id);
    }

    Status read_ttl() {
        const auto& ttl = found_[paths_.ttl_];
        if (!ttl) return {};
        const auto value = json::Value::parse(ttl->raw);
        const std::optional<std::int64_t> seconds =
            value ? value->integer() : std::optional<std::int64_t>();
        if (!seconds || (*seconds != -1 && (*seconds < 1 || *seconds > limits::kTtlSecondsMax))) {
            return Error(ErrorCode::kBadRequest,
                         "The input ttl '" + std::string(ttl->raw.substr(0, 40)) +
                             "' is invalid. Ensure to provide a nonzero positive integer less than "
                             "or equal to '2147483647', or -1.");
        }
        item_.ttl = static_cast<std::int32_t>(*seconds);
        return {};
    }

    Status read_partition_key() {
        const bool none = paths_.system_key_ && !found_[paths_.partition_key_[0]];
        if (none) return {};
        for (const std::size_t path : paths_.partition_key_) {
            const auto& found = found_[path];
            if (found && found->kind == json::Kind::kNumber &&
                !std::isfinite(json::to_double(found->raw))) {
                return Error(ErrorCode::kBadRequest,
                             "A partition key must be a number that a double can hold.");
            }
            item_.partition_key.append(component_of(found));
        }
        return item_.partition_key.within_limits();
    }

    void read_unique_keys() {
        for (const std::vector<std::size_t>& key : paths_.unique_keys_) {
            std::string values = item_.partition_key.encode();
            for (const std::size_t path : key) {
                const auto& found = found_[path];
                const auto value = found ? json::Value::parse(found->raw) : json::Value();
                append_canonical(values, value ? *value : json::Value());
            }
            const Sha256Digest digest = sha256(values);
            item_.unique_digests.emplace_back(as_bytes(digest).substr(0, kUniqueDigestBytes));
        }
    }

    void cut_system_properties() {
        std::vector<std::size_t> cuts;  // numbers within system_
        for (std::size_t i = 0; i < paths_.system_.size(); ++i) {
            if (found_[paths_.system_[i]]) cuts.push_back(i);
        }
        const auto member = [&](std::size_t i) -> const json::Captured& {
            return *found_[paths_.system_[i]];
        };
        std::sort(cuts.begin(), cuts.end(), [&](std::size_t a, std::size_t b) {
            return member(a).member_from < member(b).member_from;
        });
        std::string& out = item_.open_json;
        out.reserve(text_.size());
        const std::size_t end = text_.size() - 1;  // without the closing brace
        std::size_t from = 0;
        for (const std::size_t cut : cuts) {
            out.append(text_, from, member(cut).member_from - from);
            from = member(cut).member_until;
            // Also drop the comma after the member.
            if (from < end && text_[from] == ',') ++from;
            if (cut < kSystemProperties) {
                item_.system_places.push_back({static_cast<SystemProperty>(cut), out.size()});
            }
        }
        out.append(text_, from, end - from);
        if (out.back() == ',') out.pop_back();
    }

    const ItemPaths& paths_;
    std::string text_;
    std::vector<std::optional<json::Captured>> found_;
    ItemBody item_;
};

std::string_view name_of(SystemProperty property) {
    return kSystemNames[static_cast<std::size_t>(property)];
}

bool is_system_property(std::string_view name) {
    return name.starts_with('_') &&
           std::find(std::begin(kSystemNames), std::end(kSystemNames), name) !=
               std::end(kSystemNames);
}

Result<ItemBody> parse_item_body(std::string_view text, const ItemPaths& paths) {
    return ItemReader(paths).read(text);
}

}  // namespace orrery::model
