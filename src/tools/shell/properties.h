// The names of properties that items of a container have, for completion.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::tools {

class Properties {
public:
    // Takes the names in an item, minified JSON. Elements of arrays count as the array itself.
    void learn(std::string_view item);

    // The names right below this one: {} → id, address; {address} → city.
    std::vector<std::string> below(const std::vector<std::string>& path) const;

    bool empty() const { return root_.children.empty(); }
    void clear() { *this = Properties(); }

private:
    struct Node {
        std::map<std::string, std::unique_ptr<Node>, std::less<>> children;
    };

    void learn(std::string_view json, Node& node, std::size_t depth);

    Node root_;
    std::size_t count_ = 0;
};

}  // namespace orrery::tools
