// Test support: reads the simple XML of published test baselines, elements and text only.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::sql {

struct XmlNode {
    std::string name;
    std::string text;  // its own, concatenated
    std::vector<XmlNode> children;

    const XmlNode* find(std::string_view child) const {
        for (const XmlNode& node : children) {
            if (node.name == child) return &node;
        }
        return nullptr;
    }
    std::string text_of(std::string_view child) const {
        const XmlNode* node = find(child);
        return node == nullptr ? std::string() : node->text;
    }
};

class XmlReader {
public:
    explicit XmlReader(std::string_view text) : rest_(text) {}

    // The outermost element. Attributes and processing instructions are skipped.
    XmlNode document() {
        skip_to('<');
        while (rest_.starts_with("<?") || rest_.starts_with("<!--")) {
            rest_.remove_prefix(1);
            skip_to('<');
        }
        return element();
    }

private:
    XmlNode element() {
        XmlNode node;
        const std::size_t end = rest_.find('>');
        std::string_view head = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        const bool empty = head.ends_with('/');
        if (empty) head.remove_suffix(1);
        node.name = std::string(head.substr(0, head.find(' ')));
        while (!empty && !rest_.empty() && !rest_.starts_with("</")) {
            content(node);
        }
        if (!empty) rest_.remove_prefix(std::min(rest_.size(), rest_.find('>') + 1));
        return node;
    }

    void content(XmlNode& node) {
        static constexpr std::string_view kCdata = "<![CDATA[";
        if (rest_.starts_with(kCdata)) {
            const std::size_t end = rest_.find("]]>");
            node.text += rest_.substr(kCdata.size(), end - kCdata.size());
            rest_.remove_prefix(end + 3);
        } else if (rest_.starts_with('<')) {
            node.children.push_back(element());
        } else {
            const std::size_t end = std::min(rest_.find('<'), rest_.size());
            append_text(node.text, rest_.substr(0, end));
            rest_.remove_prefix(end);
        }
    }

    static void append_text(std::string& out, std::string_view text) {
        static constexpr std::pair<std::string_view, char> kEntities[] = {
            {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};
        while (!text.empty()) {
            std::size_t length = 1;
            char c = text[0];
            for (const auto& [entity, meant] : kEntities) {
                if (!text.starts_with(entity)) continue;
                length = entity.size();
                c = meant;
            }
            out += c;
            text.remove_prefix(length);
        }
    }

    void skip_to(char c) { rest_.remove_prefix(std::min(rest_.find(c), rest_.size())); }

    std::string_view rest_;
};

}  // namespace orrery::sql
