#include "tools/shell/properties.h"

#include "json/text.h"
#include "json/walk.h"

namespace orrery::tools {

namespace {

// Containers with names that are data, such as dates, have any number of them.
constexpr std::size_t kPropertiesMax = 5000;
constexpr std::size_t kPropertyDepthMax = 8;

}  // namespace

void Properties::learn(std::string_view item) { learn(item, root_, 0); }

void Properties::learn(std::string_view json, Node& node, std::size_t depth) {
    if (depth == kPropertyDepthMax) return;
    const bool object = json.starts_with('{');
    if (!object && !json.starts_with('[')) return;
    json::Walk pieces(json);
    while (const auto piece = pieces.next()) {
        if (!object) {
            learn(piece->value, node, depth + 1);
            continue;
        }
        auto& child = node.children[json::unquote(piece->name)];
        if (child == nullptr) {
            if (count_ == kPropertiesMax) {
                node.children.erase(json::unquote(piece->name));
                return;
            }
            child = std::make_unique<Node>();
            ++count_;
        }
        learn(piece->value, *child, depth + 1);
    }
}

std::vector<std::string> Properties::below(const std::vector<std::string>& path) const {
    const Node* node = &root_;
    for (const std::string& name : path) {
        const auto found = node->children.find(name);
        if (found == node->children.end()) return {};
        node = found->second.get();
    }
    std::vector<std::string> out;
    for (const auto& [name, child] : node->children) {
        out.push_back(name);
    }
    return out;
}

}  // namespace orrery::tools
