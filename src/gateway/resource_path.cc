#include "gateway/resource_path.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/percent.h"
#include "model/resource_id.h"

namespace orrery::gateway {

namespace {

constexpr std::size_t kPathBytesMax = 8192;
constexpr std::size_t kSegmentsMax = 8;  // dbs/d/colls/c/docs/i/attachments/a

struct Segment {
    std::string_view name;
    ResourceType type;
    // The type of the preceding segment; kAccount is the root.
    ResourceType parent;
    std::string_view plural;
};

constexpr Segment kSegments[] = {
    {"dbs", ResourceType::kDatabase, ResourceType::kAccount, "databases"},
    {"colls", ResourceType::kContainer, ResourceType::kDatabase, "containers"},
    {"docs", ResourceType::kItem, ResourceType::kContainer, "items"},
    {"sprocs", ResourceType::kStoredProcedure, ResourceType::kContainer, "stored procedures"},
    {"triggers", ResourceType::kTrigger, ResourceType::kContainer, "triggers"},
    {"udfs", ResourceType::kUdf, ResourceType::kContainer, "user defined functions"},
    {"conflicts", ResourceType::kConflict, ResourceType::kContainer, "conflicts"},
    {"pkranges", ResourceType::kRange, ResourceType::kContainer, "partition key ranges"},
    {"operations", ResourceType::kOperation, ResourceType::kContainer, "container operations"},
    {"split", ResourceType::kSplit, ResourceType::kRange, "splits"},
    {"merge", ResourceType::kMerge, ResourceType::kRange, "merges"},
    {"attachments", ResourceType::kAttachment, ResourceType::kItem, "attachments"},
    {"media", ResourceType::kMedia, ResourceType::kAccount, "media"},
    {"users", ResourceType::kUser, ResourceType::kDatabase, "users"},
    {"permissions", ResourceType::kPermission, ResourceType::kUser, "permissions"},
    {"clientencryptionkeys",
     ResourceType::kClientEncryptionKey,
     ResourceType::kDatabase,
     "client encryption keys"},
    {"offers", ResourceType::kOffer, ResourceType::kAccount, "offers"},
    {"listKeys", ResourceType::kKeys, ResourceType::kAccount, "account keys"},
    {"readonlykeys", ResourceType::kReadOnlyKeys, ResourceType::kAccount, "read-only keys"},
    {"regenerateKey", ResourceType::kKeyRegeneration, ResourceType::kAccount, "key regenerations"},
    {"sqlRoleDefinitions",
     ResourceType::kRoleDefinition,
     ResourceType::kAccount,
     "role definitions"},
    {"sqlRoleAssignments",
     ResourceType::kRoleAssignment,
     ResourceType::kAccount,
     "role assignments"},
    {"backups", ResourceType::kBackup, ResourceType::kAccount, "backups"},
    {"cluster", ResourceType::kCluster, ResourceType::kAccount, "clusters"},
    {"nodes", ResourceType::kNode, ResourceType::kAccount, "nodes"},
    {"drain", ResourceType::kDrain, ResourceType::kNode, "drains"},
    {"addresses", ResourceType::kAddress, ResourceType::kAccount, "replica addresses"},
};

const Segment* find_segment(std::string_view name, ResourceType parent) {
    for (const Segment& segment : kSegments) {
        if (segment.parent == parent && same_word(segment.name, name)) return &segment;
    }
    return nullptr;
}

// Duplicate, leading and trailing slashes are ignored (Java sends "//dbs/").
std::vector<std::string_view> split(std::string_view path) {
    std::vector<std::string_view> out;
    out.reserve(kSegmentsMax);
    while (!path.empty()) {
        const std::size_t slash = std::min(path.find('/'), path.size());
        if (slash > 0) out.push_back(path.substr(0, slash));
        path.remove_prefix(std::min(slash + 1, path.size()));
    }
    return out;
}

// The path of a target without its query string, which is ignored. A '?' in the id of an item is
// part of the id: the JS SDK does not escape it.
std::string_view path_of(std::string_view target) {
    target = target.substr(0, target.find('#'));
    const std::size_t mark = target.find('?');
    if (mark == std::string_view::npos) return target;
    const std::string_view before = target.substr(0, mark);
    const std::vector<std::string_view> segments = split(before);  // dbs/d/colls/c/docs/i
    const bool in_id = segments.size() == 6 || (segments.size() == 5 && before.ends_with('/'));
    return in_id && same_word(segments[4], "docs") ? target : before;
}

template <typename Text>
std::string join(const std::vector<Text>& parts, std::size_t count) {
    std::string out;
    out.reserve(64);
    for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) out += '/';
        out.append(parts[i]);
    }
    return out;
}

// With names, clients sign the decoded path (some sign it raw); with rids, only the last rid in
// lower case. A feed is signed with its parent's link.
std::vector<std::string> signed_links(const std::vector<std::string_view>& raw,
                                      const std::vector<std::string>& decoded,
                                      bool feed) {
    const std::size_t count = raw.size() - (feed ? 1 : 0);
    std::vector<std::string> links;
    links.reserve(3);
    links.push_back(join(decoded, count));
    if (!std::equal(raw.begin(), raw.end(), decoded.begin(), decoded.end())) {
        std::string raw_link = join(raw, count);
        if (raw_link != links[0]) links.push_back(std::move(raw_link));
    }
    // Rids are base64 in groups of four; most names are not a multiple of four long.
    if (count > 0 && decoded[count - 1].size() % 4 == 0) links.push_back(lower(decoded[count - 1]));
    return links;
}

Error path_not_found() { return Error(ErrorCode::kNotFound, "The requested path does not exist."); }

Error invalid_path() { return Error(ErrorCode::kBadRequest, "The request path is not valid."); }

bool is_for_operators(ResourceType type) {
    return type == ResourceType::kCluster || type == ResourceType::kNode ||
           type == ResourceType::kDrain;
}

// The id of media contains the rid of its attachment, with which clients sign.
Status resolve_media(ResourcePath& path) {
    const auto rid =
        path.feed ? std::nullopt : model::AttachmentRid::parse_media_id(path.ids.front());
    if (!rid) return path_not_found();
    const model::ContainerRid& container = rid->item.container;
    path.ids = {model::DatabaseRid{container.database}.text(),
                container.text(),
                rid->item.text(),
                rid->text()};
    path.signed_links = {lower(path.ids.back())};
    return {};
}

}  // namespace

Result<ResourcePath> parse_resource_path(std::string_view target) {
    // What operators use is below /_admin/, apart from the paths of the service.
    constexpr std::string_view kAdmin = "/_admin";
    const bool admin = target.starts_with("/_admin/");
    if (admin) target.remove_prefix(kAdmin.size());
    const std::string_view links = path_of(target);
    if (links.size() > kPathBytesMax) {
        return Error(ErrorCode::kBadRequest, "The request path is too long.");
    }
    const std::vector<std::string_view> raw = split(links);
    if (raw.size() > kSegmentsMax) return path_not_found();
    std::vector<std::string> decoded(raw.begin(), raw.end());
    for (std::string& segment : decoded) {
        if (segment.find('%') == std::string::npos) continue;
        auto text = percent_decode(segment);
        if (!text) return invalid_path();
        segment = std::move(*text);
    }
    ResourcePath path;
    path.feed = raw.size() % 2 == 1;
    path.ids.reserve(raw.size() / 2);
    for (std::size_t i = 0; i < raw.size(); i += 2) {
        const Segment* segment = find_segment(decoded[i], path.type);
        // An offer has nothing below it: a link was taken for an id, which the service calls
        // invalid.
        if (segment == nullptr && path.type == ResourceType::kOffer) return invalid_path();
        if (segment == nullptr) return path_not_found();
        path.type = segment->type;
        path.type_name = segment->name;
        if (i + 1 < raw.size()) path.ids.push_back(decoded[i + 1]);
    }
    if (admin != is_for_operators(path.type)) return path_not_found();
    path.signed_links = signed_links(raw, decoded, path.feed);
    if (path.type == ResourceType::kOperation && !path.feed) {
        // An operation on a container is signed like the container itself.
        path.type_name = "colls";
        path.signed_links = signed_links({raw.begin(), raw.end() - 2}, decoded, false);
    }
    if (path.type == ResourceType::kMedia) TRY(resolve_media(path));
    if (path.type == ResourceType::kSplit || path.type == ResourceType::kMerge) {
        path.other_type_name = "pkranges";
    }
    return path;
}

std::string_view name_of(ResourceType type) {
    for (const Segment& segment : kSegments) {
        if (segment.type == type) return segment.plural;
    }
    return "account";
}

}  // namespace orrery::gateway
