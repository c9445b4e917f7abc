#include <charconv>
#include <cmath>

#include "base/check.h"
#include "json/number.h"
#include "json/text.h"
#include "json/walk.h"
#include "model/patch.h"

namespace orrery::model {

namespace {

using Kind = PatchOperation::Kind;

struct Span {
    std::size_t from = 0;
    std::size_t until = 0;
};

// Where a path leads: the object or array in the text, and the member or element in it.
struct Place {
    bool in_array = false;
    bool has_others = false;   // the object or array is not empty
    Span whole;                // name and value of a member, or an element; if it exists
    std::size_t value_at = 0;  // where its value begins
    std::size_t end = 0;       // just before the closing bracket
    // In an array: nothing when the name is not a position, or exceeds the number of elements.
    std::optional<std::size_t> position;

    bool exists() const { return whole.until != 0; }
};

// 0, 17, but not 017.
std::optional<std::size_t> position_of(std::string_view name) {
    std::size_t position = 0;
    const char* end = name.data() + name.size();
    const auto [stopped, error] = std::from_chars(name.data(), end, position);
    const bool plain = name == "0" || (!name.empty() && name.front() != '0');
    if (!plain || error != std::errc() || stopped != end) return std::nullopt;
    return position;
}

Error refused(std::string message) { return Error(ErrorCode::kBadRequest, std::move(message)); }

Error out_of_bounds(const PatchPath& path) {
    return refused("Index(" + path.names.back() + ") to operate on is out of array bounds");
}

Error no_parent(Kind kind, const std::string& name) {
    const char* what = kind == Kind::kAdd ? "Add" : kind == Kind::kMove ? "Move" : "Given";
    return refused(std::string(what) +
                   " Operation can only create a child object of an existing node(array or object) "
                   "and cannot create path recursively, no path found beyond: '" +
                   name + "'. Learn more: https://aka.ms/cosmosdbpatchdocs");
}

Error absent(Kind kind, const PatchPath& path) {
    if (kind == Kind::kReplace) return refused("Node(" + path.text + ") to be replaced is absent");
    const char* what = kind == Kind::kMove ? "moved" : "removed";
    return refused("Node(" + path.text + ") to be " + what +
                   " is absent. Note: it may also have been removed earlier in the transaction.");
}

// The text while operations change it.
class Document {
public:
    explicit Document(std::string_view item) : text_(item) {}

    Status apply(const PatchOperation& operation) {
        switch (operation.kind) {
            case Kind::kAdd:
            case Kind::kSet:
                return put(operation.kind, operation.path, operation.value);
            case Kind::kReplace:
                return replace(operation);
            case Kind::kRemove:
                return remove(operation.kind, operation.path);
            case Kind::kIncrement:
                return increment(operation);
            case Kind::kMove:
                return move(operation);
        }
        return {};
    }

    std::string take() && { return std::move(text_); }

private:
    // Add and set differ in arrays only: add inserts before the element at that position, set
    // replaces it.
    Status put(Kind kind, const PatchPath& path, std::string_view value) {
        const Place place = TRY(find(kind, path));
        if (!place.in_array) {
            if (place.exists()) {
                overwrite(place, value);
            } else {
                append(place, json::quote(path.names.back()) + ":" + std::string(value));
            }
            return {};
        }
        if (!place.position) return out_of_bounds(path);
        if (!place.exists()) {
            append(place, value);
        } else if (kind == Kind::kSet) {
            overwrite(place, value);
        } else {
            text_.insert(place.whole.from, std::string(value) + ",");
        }
        return {};
    }

    Status replace(const PatchOperation& operation) {
        const Place place = TRY(find(operation.kind, operation.path));
        if (place.exists()) {
            overwrite(place, operation.value);
            return {};
        }
        if (place.in_array) return out_of_bounds(operation.path);
        return absent(operation.kind, operation.path);
    }

    Status remove(Kind kind, const PatchPath& path) {
        const auto place = find(kind, path);
        if (!place) return absent(kind, path);  // a missing parent has nothing to remove
        if (!place->exists()) return place->in_array ? out_of_bounds(path) : absent(kind, path);
        Span cut = place->whole;
        if (text_[cut.until] == ',') {
            ++cut.until;
        } else if (text_[cut.from - 1] == ',') {
            --cut.from;
        }
        text_.erase(cut.from, cut.until - cut.from);
        return {};
    }

    Status increment(const PatchOperation& operation) {
        const Place place = TRY(find(operation.kind, operation.path));
        if (!place.exists()) {
            if (place.in_array) return out_of_bounds(operation.path);
            return put(operation.kind, operation.path, operation.value);
        }
        const std::string_view old = value_of(place);
        const bool is_number = old.front() == '-' || (old.front() >= '0' && old.front() <= '9');
        if (!is_number) return refused("Node(" + operation.path.text + ") is not a number");
        const auto sum = add(json::Number::parse(old), json::Number::parse(operation.value));
        if (!sum) {
            return refused("Node(" + operation.path.text +
                           ") cannot be incremented: the result is out of range");
        }
        std::string printed;
        json::append_number(printed, *sum);
        overwrite(place, printed);
        return {};
    }

    // Integers stay exact; nothing when integers or doubles overflow.
    static std::optional<json::Number> add(const json::Number& a, const json::Number& b) {
        if (a.is_integer() && b.is_integer()) {
            std::int64_t sum = 0;
            if (__builtin_add_overflow(a.integer(), b.integer(), &sum)) return std::nullopt;
            return sum;
        }
        const double sum = a.real() + b.real();
        return std::isfinite(sum) ? std::optional<json::Number>(sum) : std::nullopt;
    }

    // As in RFC 6902: remove the value, then add it at the new path.
    Status move(const PatchOperation& operation) {
        const auto from = find(operation.kind, operation.from);
        if (!from || !from->exists()) return absent(operation.kind, operation.from);
        const std::string value(value_of(*from));
        TRY(remove(operation.kind, operation.from));
        return put(operation.kind, operation.path, value);
    }

    // Descends to the object or array that contains the last name of the path.
    Result<Place> find(Kind kind, const PatchPath& path) const {
        std::string_view container = text_;
        for (std::size_t i = 0; i + 1 < path.names.size(); ++i) {
            const Place place = look_up(container, path.names[i]);
            if (!place.exists()) return no_parent(kind, path.names[i]);
            container = value_of(place);
            if (container.front() != '{' && container.front() != '[') {
                return no_parent(kind, path.names[i]);
            }
        }
        return look_up(container, path.names.back());
    }

    Place look_up(std::string_view container, const std::string& name) const {
        Place place;
        place.in_array = container.front() == '[';
        place.end = offset(container) + container.size() - 1;
        const std::optional<std::size_t> wanted =
            place.in_array ? position_of(name) : std::optional<std::size_t>();
        std::size_t count = 0;
        json::Walk walk(container);
        for (auto piece = walk.next(); piece; piece = walk.next(), ++count) {
            place.has_others = true;
            const bool found =
                place.in_array ? wanted == count : json::quoted_equals(piece->name, name);
            if (!found) continue;
            place.value_at = offset(piece->value);
            place.whole = {.from = place.in_array ? place.value_at : offset(piece->name),
                           .until = place.value_at + piece->value.size()};
            place.position = wanted;
            return place;
        }
        if (place.in_array && (name == "-" || wanted == count)) place.position = count;
        return place;
    }

    std::size_t offset(std::string_view piece) const {
        return static_cast<std::size_t>(piece.data() - text_.data());
    }
    std::string_view value_of(const Place& place) const {
        return std::string_view(text_).substr(place.value_at, place.whole.until - place.value_at);
    }
    void overwrite(const Place& place, std::string_view value) {
        text_.replace(place.value_at, place.whole.until - place.value_at, value);
    }
    void append(const Place& place, std::string_view piece) {
        text_.insert(place.end, (place.has_others ? "," : "") + std::string(piece));
    }

    std::string text_;
};

}  // namespace

Result<std::string> apply_patch(const Patch& patch, std::string_view item) {
    Document document(item);
    for (std::size_t i = 0; i < patch.operations.size(); ++i) {
        Status applied = document.apply(patch.operations[i]);
        if (applied) continue;
        return std::move(applied).take_error().with_context("For Operation(" +
                                                            std::to_string(i + 1) + ")");
    }
    return std::move(document).take();
}

}  // namespace orrery::model
