#include "service/resource_query.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/ascii.h"
#include "json/text.h"
#include "service/errors.h"

namespace orrery::service {

namespace {

using json::Value;

Error unsupported(std::string_view near) {
    return bad_request(
        "Queries on anything but items support only SELECT * FROM x WHERE x.property = value [AND "
        "...]; near '" +
        std::string(near.substr(0, 40)) + "'.");
}

// Splits the text into words, strings and single characters.
class Tokens {
public:
    explicit Tokens(std::string_view text) : rest_(text) { advance(); }

    std::string_view peek() const { return token_; }
    bool at_end() const { return token_.empty(); }
    std::string_view take() {
        const std::string_view taken = token_;
        advance();
        return taken;
    }
    bool take_if(std::string_view word) {
        if (!same_word(token_, word)) return false;
        advance();
        return true;
    }

private:
    static bool is_word(char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '@' ||
               c == '.' || c == '-' || static_cast<unsigned char>(c) >= 0x80;
    }

    void advance() {
        while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0])) != 0) {
            rest_.remove_prefix(1);
        }
        std::size_t length = rest_.empty() ? 0 : 1;
        if (!rest_.empty() && (rest_[0] == '\'' || rest_[0] == '"')) {
            length = string_size();
        } else if (!rest_.empty() && is_word(rest_[0])) {
            while (length < rest_.size() && is_word(rest_[length])) {
                ++length;
            }
        }
        token_ = rest_.substr(0, length);
        rest_.remove_prefix(length);
    }

    std::size_t string_size() const {
        std::size_t at = 1;
        while (at < rest_.size() && rest_[at] != rest_[0]) {
            at += rest_[at] == '\\' ? 2 : 1;
        }
        return std::min(at + 1, rest_.size());
    }

    std::string_view rest_;
    std::string_view token_;
};

// 'a' or "a" → a. SQL strings have JSON's escapes in either kind of quotes.
std::optional<std::string> string_literal(std::string_view token) {
    if (token.size() < 2 || (token[0] != '\'' && token[0] != '"') || token.back() != token[0]) {
        return std::nullopt;
    }
    std::string quoted = "\"";
    for (std::size_t i = 1; i + 1 < token.size(); ++i) {
        const bool escape = token[i] == '\\' && i + 2 < token.size();
        const bool apostrophe = escape && token[i + 1] == '\'';
        if ((escape && !apostrophe) || token[i] == '"') quoted += '\\';
        if (escape) ++i;
        quoted += token[i];
    }
    quoted += '"';
    if (json::string_length(quoted) != quoted.size()) return std::nullopt;
    return json::unquote(quoted);
}

const Value* parameter(const Value* parameters, std::string_view name) {
    if (parameters == nullptr || !parameters->is_array()) return nullptr;
    for (const Value& entry : parameters->array()) {
        const Value* given = entry.find("name");
        if (given != nullptr && given->is_string() && given->string() == name) {
            return entry.find("value");
        }
    }
    return nullptr;
}

Result<Value> operand(Tokens& tokens, const Value* parameters) {
    const std::string_view token = tokens.take();
    if (token.starts_with("@")) {
        const Value* value = parameter(parameters, token);
        if (value == nullptr) {
            return bad_request("The query parameter '" + std::string(token) + "' has no value.");
        }
        return *value;
    }
    if (auto text = string_literal(token)) return Value(std::move(*text));
    auto value = Value::parse(token);
    if (!value) return unsupported(token);
    return value;
}

// r.id or r["id"], where r is the name of the source.
Result<std::string> property(Tokens& tokens, std::string_view source) {
    const std::string_view token = tokens.take();
    const std::size_t dot = token.find('.');
    if (dot != std::string_view::npos) {
        const std::string_view name = token.substr(dot + 1);
        if (!same_word(token.substr(0, dot), source) || name.empty() ||
            name.find('.') != std::string_view::npos) {
            return unsupported(token);
        }
        return std::string(name);
    }
    if (!same_word(token, source) || tokens.take() != "[") return unsupported(token);
    auto name = string_literal(tokens.take());
    if (!name || tokens.take() != "]") return unsupported(token);
    return std::move(*name);
}

}  // namespace

Result<ResourceQuery> ResourceQuery::parse(const Value& body) {
    const Value* text = body.find("query");
    if (text == nullptr || !text->is_string()) {
        return bad_request("The body of a query must be an object with a 'query' string.");
    }
    Tokens tokens(text->string());
    if (!tokens.take_if("SELECT") || !tokens.take_if("*") || !tokens.take_if("FROM")) {
        return unsupported(tokens.peek());
    }
    std::string_view source = tokens.take();
    if (tokens.take_if("AS") || (!tokens.at_end() && !same_word(tokens.peek(), "WHERE"))) {
        source = tokens.take();
    }
    if (source.empty()) return unsupported(source);
    ResourceQuery query;
    if (tokens.at_end()) return query;
    if (!tokens.take_if("WHERE")) return unsupported(tokens.peek());
    do {
        Condition condition;
        condition.property = TRY(property(tokens, source));
        if (!tokens.take_if("=")) return unsupported(tokens.peek());
        condition.value = TRY(operand(tokens, body.find("parameters")));
        query.conditions_.push_back(std::move(condition));
    } while (tokens.take_if("AND"));
    if (!tokens.at_end()) return unsupported(tokens.peek());
    return query;
}

bool ResourceQuery::matches(const Value& resource) const {
    return std::all_of(conditions_.begin(), conditions_.end(), [&](const Condition& condition) {
        const Value* value = resource.find(condition.property);
        return value != nullptr && *value == condition.value;
    });
}

}  // namespace orrery::service
