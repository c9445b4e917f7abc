#include "json/value.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace orrery::json {

// Builds the tree from scan events.
class TreeBuilder {
public:
    void begin(Kind kind, std::size_t /*at*/) {
        open_.push_back(kind == Kind::kObject ? Value(Value::Object{}) : Value(Value::Array{}));
        names_.emplace_back();
    }
    void end(Kind /*kind*/, std::size_t /*after*/) {
        Value done = std::move(open_.back());
        open_.pop_back();
        names_.pop_back();
        add(std::move(done));
    }
    void key(std::string_view raw, std::size_t /*at*/) { names_.back() = unquote(raw); }
    void scalar(Kind kind, std::string_view raw, std::size_t /*at*/) {
        Value value;
        if (kind == Kind::kString) value.state_ = unquote(raw);
        if (kind == Kind::kNumber) value.state_ = Value::Number{std::string(raw)};
        if (kind == Kind::kTrue || kind == Kind::kFalse) value.state_ = kind == Kind::kTrue;
        add(std::move(value));
    }
    // Keeps the last value at the first position, as JSON.parse and Python's json.loads do.
    void duplicates() {
        auto& members = std::get<Value::Object>(open_.back().state_);
        std::unordered_map<std::string, std::size_t> places;
        std::size_t kept = 0;
        for (Value::Member& member : members) {
            const auto [place, first] = places.try_emplace(member.name, kept);
            if (!first) {
                members[place->second].value = std::move(member.value);
            } else if (&members[kept++] != &member) {
                members[kept - 1] = std::move(member);
            }
        }
        members.resize(kept);
    }
    Value take() && { return std::move(root_); }

private:
    void add(Value value) {
        if (open_.empty()) {
            root_ = std::move(value);
        } else if (open_.back().is_array()) {
            open_.back().array().push_back(std::move(value));
        } else {
            std::get<Value::Object>(open_.back().state_)
                .push_back({std::move(names_.back()), std::move(value)});
        }
    }

    std::vector<Value> open_;
    std::vector<std::string> names_;
    Value root_;
};

Result<Value> Value::parse(std::string_view text, int depth_max) {
    TreeBuilder builder;
    TRY(scan(text, builder, depth_max));
    return std::move(builder).take();
}

Result<std::string> normalize(std::string_view text, int depth_max) {
    std::optional<std::string> minified = minify(text);
    if (!minified) {
        return Error(ErrorCode::kBadRequest, "invalid JSON: a string is not closed");
    }
    if (TRY(check(*minified, depth_max)).duplicates) {
        return TRY(Value::parse(*minified, depth_max)).text();
    }
    return std::move(*minified);
}

Kind Value::kind() const {
    switch (state_.index()) {
        case 0:
            return Kind::kNull;
        case 1:
            return boolean() ? Kind::kTrue : Kind::kFalse;
        case 2:
            return Kind::kNumber;
        case 3:
            return Kind::kString;
        case 4:
            return Kind::kArray;
        default:
            return Kind::kObject;
    }
}

const Value::Object& Value::object() const { return std::get<Object>(state_); }

double Value::number() const { return to_double(std::get<Number>(state_).digits); }

std::optional<std::int64_t> Value::integer() const {
    if (!is_number()) return std::nullopt;
    const double value = number();
    constexpr double kExact = 9007199254740992.0;  // 2^53: every integer below has its own double
    if (std::trunc(value) != value || std::abs(value) > kExact) return std::nullopt;
    return static_cast<std::int64_t>(value);
}

const Value* Value::find(std::string_view name) const {
    if (!is_object()) return nullptr;
    for (const Member& member : object()) {
        if (member.name == name) return &member.value;
    }
    return nullptr;
}

void Value::set(std::string_view name, Value value) {
    auto& members = std::get<Object>(state_);
    for (Member& member : members) {
        if (member.name == name) {
            member.value = std::move(value);
            return;
        }
    }
    members.push_back({std::string(name), std::move(value)});
}

void Value::remove(std::string_view name) {
    std::erase_if(std::get<Object>(state_), [&](const Member& m) { return m.name == name; });
}

void Value::append_text(std::string& out) const {
    const char* separator = "";
    switch (kind()) {
        case Kind::kNull:
            out += "null";
            break;
        case Kind::kFalse:
            out += "false";
            break;
        case Kind::kTrue:
            out += "true";
            break;
        case Kind::kNumber:
            out += std::get<Number>(state_).digits;
            break;
        case Kind::kString:
            append_quoted(out, string());
            break;
        case Kind::kArray:
            out += '[';
            for (const Value& element : array()) {
                out += separator;
                element.append_text(out);
                separator = ",";
            }
            out += ']';
            break;
        case Kind::kObject:
            out += '{';
            for (const Member& member : object()) {
                out += separator;
                append_quoted(out, member.name);
                out += ':';
                member.value.append_text(out);
                separator = ",";
            }
            out += '}';
            break;
    }
}

std::string Value::text() const {
    std::string out;
    append_text(out);
    return out;
}

bool operator==(const Value& a, const Value& b) {
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
        case Kind::kNumber:
            return a.number() == b.number();
        case Kind::kString:
            return a.string() == b.string();
        case Kind::kArray:
            return a.array() == b.array();
        case Kind::kObject:
            return a.object().size() == b.object().size() &&
                   std::all_of(a.object().begin(), a.object().end(), [&](const auto& member) {
                       const Value* other = b.find(member.name);
                       return other != nullptr && *other == member.value;
                   });
        default:
            return true;
    }
}

}  // namespace orrery::json
