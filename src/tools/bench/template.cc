#include "tools/bench/template.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include <fmt/format.h>

#include "json/property.h"
#include "json/scan.h"
#include "json/text.h"
#include "json/value.h"
#include "model/limits.h"
#include "model/partition_key.h"

namespace orrery::tools::bench {

const std::string_view kDefaultTemplate = R"({
  "id": "{{uuid}}",
  "number": {{sequence}},
  "category": "category {{random 1 100}}",
  "price": {{random 1 10000}},
  "field0": "{{text 100}}",
  "field1": "{{text 100}}",
  "field2": "{{text 100}}",
  "field3": "{{text 100}}",
  "field4": "{{text 100}}",
  "field5": "{{text 100}}",
  "field6": "{{text 100}}",
  "field7": "{{text 100}}"
}
)";

namespace {

using json::Value;

// Stands for a placeholder in JSON that is otherwise valid: its number between two of these.
constexpr std::string_view kMark = "\\u0001";
constexpr char kMarkByte = '\x01';

Error problem_at(std::string_view text, std::size_t offset, const std::string& problem) {
    const std::string_view before = text.substr(0, offset);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    const std::string_view in_line = before.substr(line_start);
    const auto column =
        std::count_if(in_line.begin(),
                      in_line.end(),
                      [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }) +
        1;
    return Error(ErrorCode::kBadRequest,
                 fmt::format("line {}, column {}: {}", line, column, problem));
}

Error bad_template(std::string problem) {
    return Error(ErrorCode::kBadRequest, std::move(problem));
}

struct Ignore {
    void begin(json::Kind /*kind*/, std::size_t /*at*/) {}
    void end(json::Kind /*kind*/, std::size_t /*after*/) {}
    void key(std::string_view /*raw*/, std::size_t /*at*/) {}
    void scalar(json::Kind /*kind*/, std::string_view /*raw*/, std::size_t /*at*/) {}
};

std::string mark(std::size_t placeholder) {
    return fmt::format("{}{}{}", kMark, placeholder, kMark);
}

// As the value of a string.
std::string mark_value(std::size_t placeholder) {
    return fmt::format("{}{}{}", kMarkByte, placeholder, kMarkByte);
}

}  // namespace

// Reads a template in two forms of the same text: `marked_` with a mark for each placeholder, and
// `filler_`, in which every byte is where it was, to say where an error is.
class TemplateReader {
public:
    explicit TemplateReader(std::string_view text) : text_(text) {}

    Result<TemplateText> read_text() {
        TRY(scan(false));
        return cut(marked_);
    }

    Result<ItemTemplate> read_item(const std::vector<json::Path>& key_paths, std::uint64_t seed) {
        if (const std::size_t at = text_.find(kMark); at != std::string_view::npos) {
            return problem_at(text_, at, "a template cannot contain \\u0001");
        }
        TRY(scan(true));
        TRY(check_json());
        Value tree = TRY(Value::parse(marked_));
        if (!tree.is_object()) return problem_at(text_, 0, "a template is a JSON object");
        TRY(complete(tree, key_paths));
        ItemTemplate out;
        out.seed_ = seed;
        out.sequence_path_ = find_sequence(tree);
        TRY(cut_keys(out, tree, key_paths));
        out.body_ = cut(tree.text());
        if (out.body(0).size() > model::limits::kItemBytesMax) {
            return bad_template("items of this template are larger than 2 MB");
        }
        return out;
    }

private:
    Status scan(bool is_json) {
        bool in_string = !is_json;
        for (std::size_t at = 0; at < text_.size();) {
            const bool escape = is_json && in_string && text_[at] == '\\';
            if (text_.substr(at, 2) == "{{") {
                TRY(take_placeholder(at, in_string));
                continue;
            }
            if (is_json && text_[at] == '"') in_string = !in_string;
            const std::size_t size = std::min<std::size_t>(escape ? 2 : 1, text_.size() - at);
            marked_ += text_.substr(at, size);
            filler_ += text_.substr(at, size);
            at += size;
        }
        return {};
    }

    Status take_placeholder(std::size_t& at, bool in_string) {
        const std::size_t end = text_.find("}}", at);
        if (end == std::string_view::npos) return problem_at(text_, at, "{{ has no }}");
        auto parsed = parse_placeholder(text_.substr(at + 2, end - at - 2));
        if (!parsed) return problem_at(text_, at, parsed.error().message());
        if (!in_string && !parsed->is_literal()) {
            return problem_at(text_, at, "this placeholder stands for text: put it between quotes");
        }
        const std::size_t size = end + 2 - at;
        const std::string one = mark(placeholders_->size());
        marked_ += in_string ? one : '"' + one + '"';
        // A number outside strings, any characters inside.
        filler_.append(size, '1');
        bare_.push_back(!in_string);
        placeholders_->push_back(*std::move(parsed));
        at += size;
        return {};
    }

    Status check_json() const {
        Ignore ignore;
        json::Scan<Ignore> scan(filler_, ignore, json::kDepthMax);
        const Status valid = scan.run();
        if (valid) return {};
        const std::string& message = valid.error().message();
        const std::size_t colon = message.find(": ");
        return problem_at(
            text_, scan.at(), colon == std::string::npos ? message : message.substr(colon + 2));
    }

    // Adds what items need and the template does not say.
    Status complete(Value& tree, const std::vector<json::Path>& key_paths) {
        std::vector<json::Path> needed = {{"id"}};
        needed.insert(needed.end(), key_paths.begin(), key_paths.end());
        for (const json::Path& path : needed) {
            if (json::find_at(tree, path) != nullptr) continue;
            TRY(json::set_at(tree, path, mark_value(placeholders_->size())));
            placeholders_->push_back(uuid_placeholder());
            bare_.push_back(false);
        }
        return {};
    }

    Status cut_keys(ItemTemplate& out, const Value& tree, const std::vector<json::Path>& paths) {
        const Value* const id = tree.find("id");
        if (!id->is_string() || is_bare(id->string())) {
            return bad_template("the id of a template is text: put it between quotes");
        }
        out.id_ = cut_key(*id);
        bool distinct = out.id_.is_distinct();
        for (const json::Path& path : paths) {
            const Value* const value = json::find_at(tree, path);
            if (value->is_object() || value->is_array()) {
                return bad_template("the template's partition key is an object or array");
            }
            out.key_.push_back(cut_key(*value));
            distinct = distinct || out.key_.back().is_distinct();
        }
        if (!distinct) {
            return bad_template(
                "all items of the template have the same id: use {{uuid}} or {{sequence}} in it");
        }
        return {};
    }

    TemplateText cut_key(const Value& value) {
        TemplateText out = cut(value.text());
        for (const TemplateText::Piece& piece : out.pieces_) {
            (*placeholders_)[piece.placeholder].in_key = true;
        }
        return out;
    }

    bool is_bare(const std::string& text) const {
        const auto placeholder = marked_by(text);
        return placeholder && bare_[*placeholder];
    }

    // The placeholder that is all of this text.
    static std::optional<std::size_t> marked_by(const std::string& text) {
        if (text.size() < 3 || text.front() != kMarkByte || text.back() != kMarkByte) {
            return std::nullopt;
        }
        std::size_t out = 0;
        const char* const last = text.data() + text.size() - 1;
        const auto [end, error] = std::from_chars(text.data() + 1, last, out);
        return error == std::errc() && end == last ? std::optional(out) : std::nullopt;
    }

    std::optional<json::Path> find_sequence(const Value& object) const {
        for (const Value::Member& member : object.object()) {
            const Value& value = member.value;
            const bool plain_name = member.name.find(kMarkByte) == std::string::npos;
            if (!plain_name) continue;
            const auto number = value.is_string() ? marked_by(value.string()) : std::nullopt;
            if (number && bare_[*number] &&
                (*placeholders_)[*number].kind == Placeholder::Kind::kSequence) {
                return json::Path{member.name};
            }
            auto inside = value.is_object() ? find_sequence(value) : std::nullopt;
            if (!inside) continue;
            inside->insert(inside->begin(), member.name);
            return inside;
        }
        return std::nullopt;
    }

    // Cuts text at its marks. The quotes around a placeholder without quotes go.
    TemplateText cut(std::string_view marked) const {
        TemplateText out;
        out.placeholders_ = placeholders_;
        while (true) {
            const std::size_t start = marked.find(kMark);
            if (start == std::string_view::npos) break;
            const std::size_t number = start + kMark.size();
            const std::size_t end = marked.find(kMark, number);
            std::size_t placeholder = 0;
            std::from_chars(marked.data() + number, marked.data() + end, placeholder);
            const std::size_t quote = bare_[placeholder] ? 1 : 0;
            out.pieces_.push_back({.before = std::string(marked.substr(0, start - quote)),
                                   .placeholder = placeholder});
            marked.remove_prefix(end + kMark.size() + quote);
        }
        out.end_ = marked;
        return out;
    }

    const std::string_view text_;
    std::string marked_;
    std::string filler_;
    const std::shared_ptr<Placeholders> placeholders_ = std::make_shared<Placeholders>();
    std::vector<bool> bare_;  // of each placeholder: it is not in a string
};

void TemplateText::append(std::string& out, const Draw& draw) const {
    for (const Piece& piece : pieces_) {
        out += piece.before;
        (*placeholders_)[piece.placeholder].append(out, draw, piece.placeholder);
    }
    out += end_;
}

std::string TemplateText::render(const Draw& draw) const {
    std::string out;
    append(out, draw);
    return out;
}

bool TemplateText::is_distinct() const {
    return std::any_of(pieces_.begin(), pieces_.end(), [this](const Piece& piece) {
        return (*placeholders_)[piece.placeholder].is_distinct();
    });
}

Result<TemplateText> compile_text(std::string_view text) {
    return TemplateReader(text).read_text();
}

Result<ItemTemplate> ItemTemplate::compile(std::string_view text,
                                           const std::vector<json::Path>& key_paths,
                                           std::uint64_t seed) {
    return TemplateReader(text).read_item(key_paths, seed);
}

std::string ItemTemplate::id(std::uint64_t number) const {
    return json::unquote(id_.render(draw(number)));
}

std::string ItemTemplate::partition_key(std::uint64_t number) const {
    std::string out = "[";
    for (const TemplateText& value : key_) {
        if (out.size() > 1) out += ',';
        value.append(out, draw(number));
    }
    out += ']';
    const bool ascii = std::all_of(
        out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (ascii) return out;
    const auto parsed = model::parse_partition_key_header(out);
    return parsed ? parsed->to_json() : out;
}

std::vector<std::string> ItemTemplate::key_values(std::uint64_t number) const {
    std::vector<std::string> out;
    for (const TemplateText& value : key_) {
        out.push_back(value.render(draw(number)));
    }
    return out;
}

std::string ItemTemplate::body(std::uint64_t number, std::uint64_t version) const {
    return body_.render(draw(number, version));
}

}  // namespace orrery::tools::bench
