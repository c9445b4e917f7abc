#include "json/capture.h"

namespace orrery::json {

PathSet::PathSet() : nodes_(1) {}

std::size_t PathSet::add(const Path& path) {
    std::size_t node = 0;
    for (const std::string& name : path) {
        std::size_t next = child(node, name);
        if (next == kNothing) {
            next = nodes_.size();
            nodes_.emplace_back();
            nodes_[node].children.emplace_back(name, next);
        }
        node = next;
    }
    if (nodes_[node].path == kNothing) nodes_[node].path = count_++;
    return nodes_[node].path;
}

std::size_t PathSet::child(std::size_t node, std::string_view name) const {
    for (const auto& [child_name, index] : nodes_[node].children) {
        if (child_name == name) return index;
    }
    return kNothing;
}

class Capture {
public:
    Capture(std::string_view text, const PathSet& paths) : text_(text), paths_(paths) {
        found_.at.resize(paths.size());
        next_.node = 0;  // the root value is at the root of the path tree
    }

    void begin(Kind /*kind*/, std::size_t at) {
        next_.from = at;
        open_.push_back(next_);
        // No path reaches into an array; for the members of an object, key() sets the place.
        next_ = {};
    }
    void end(Kind kind, std::size_t after) {
        const Place place = open_.back();
        open_.pop_back();
        record(place, kind, after);
        next_ = {};
    }
    void key(std::string_view raw, std::size_t at) {
        const std::size_t parent = open_.back().node;
        next_ = {};
        if (parent == PathSet::kNothing) return;
        next_.member_from = at;
        if (raw.find('\\') == std::string_view::npos) {
            next_.node = paths_.child(parent, raw.substr(1, raw.size() - 2));
        } else {
            next_.node = paths_.child(parent, unquote(raw));
        }
    }
    void scalar(Kind kind, std::string_view raw, std::size_t at) {
        if (kind == Kind::kNumber && !prints_as_written(raw)) {
            found_.numbers = NumberForm::kUnknown;
        }
        next_.from = at;
        record(next_, kind, at + raw.size());
        next_ = {};
    }

    void duplicates() { found_.duplicates = true; }

    Captures take() && { return std::move(found_); }

private:
    struct Place {
        std::size_t node = PathSet::kNothing;
        std::size_t from = 0;
        std::size_t member_from = 0;
    };

    void record(const Place& place, Kind kind, std::size_t until) {
        if (place.node == PathSet::kNothing) return;
        const std::size_t path = paths_.nodes_[place.node].path;
        if (path == PathSet::kNothing) return;
        found_.at[path] = Captured{.kind = kind,
                                   .raw = text_.substr(place.from, until - place.from),
                                   .member_from = place.member_from,
                                   .member_until = until};
    }

    std::string_view text_;
    const PathSet& paths_;
    Captures found_;
    std::vector<Place> open_;
    Place next_;
};

Result<Captures> capture(std::string_view text, const PathSet& paths) {
    if (text.empty() || text[0] != '{') {
        return Error(ErrorCode::kBadRequest, "invalid JSON: the body must be an object");
    }
    Capture visitor(text, paths);
    TRY(scan(text, visitor));
    return std::move(visitor).take();
}

}  // namespace orrery::json
