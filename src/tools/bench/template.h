// Items made from a template: a JSON object with placeholders (placeholder.h), inside strings or,
// where they stand for numbers, in place of a value.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/path.h"
#include "tools/bench/placeholder.h"

namespace orrery::tools::bench {

using Placeholders = std::vector<Placeholder>;

// Text with placeholders, cut up for fast rendering.
class TemplateText {
public:
    void append(std::string& out, const Draw& draw) const;
    std::string render(const Draw& draw) const;
    // Whether it differs between any two items.
    bool is_distinct() const;

private:
    friend class TemplateReader;
    struct Piece {
        std::string before;
        std::size_t placeholder = 0;
    };

    std::shared_ptr<const Placeholders> placeholders_;
    std::vector<Piece> pieces_;
    std::string end_;
};

// Text that is not JSON, such as a query. Errors begin with "line 1, column 7: ".
Result<TemplateText> compile_text(std::string_view text);

class ItemTemplate {
public:
    // Errors begin with the position, if they have one. An id that is missing becomes {{uuid}}, and
    // so does a partition key.
    static Result<ItemTemplate> compile(std::string_view text,
                                        const std::vector<json::Path>& key_paths,
                                        std::uint64_t seed);

    std::string id(std::uint64_t number) const;
    // As in the request header: ["a",1].
    std::string partition_key(std::uint64_t number) const;
    // Its components, as JSON each.
    std::vector<std::string> key_values(std::uint64_t number) const;
    // Id and partition key are the same in all versions.
    std::string body(std::uint64_t number, std::uint64_t version = 0) const;

    // The property whose value is the item's number.
    const std::optional<json::Path>& sequence_path() const { return sequence_path_; }

private:
    friend class TemplateReader;
    Draw draw(std::uint64_t number, std::uint64_t version = 0) const {
        return {.seed = seed_, .number = number, .version = version};
    }

    std::uint64_t seed_ = 0;
    TemplateText body_;
    TemplateText id_;  // quoted
    std::vector<TemplateText> key_;
    std::optional<json::Path> sequence_path_;
};

// About 1 KB; its id and partition key are random.
extern const std::string_view kDefaultTemplate;

}  // namespace orrery::tools::bench
