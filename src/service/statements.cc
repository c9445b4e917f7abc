#include "service/statements.h"

#include <functional>

#include "sql/checks.h"
#include "sql/functions/function.h"
#include "sql/parser.h"

namespace orrery::service {

Result<StatementPtr> Statements::parse(std::string_view text) {
    Part& part = parts_[std::hash<std::string_view>()(text) % parts_.size()];
    if (auto known = find(part, text)) return known;
    sql::ast::QueryPtr syntax = TRY(sql::parse(text));
    TRY(sql::check_query(*syntax,
                         {.find_function = sql::find_function, .allow_unsupported = false}));
    auto statement = std::make_shared<const Statement>(std::move(syntax));
    if (text.size() <= kOneTextBytesMax) keep(part, text, statement);
    return statement;
}

std::size_t Statements::size() const {
    std::size_t count = 0;
    for (const Part& part : parts_) {
        const std::lock_guard lock(part.mutex);
        count += part.entries.size();
    }
    return count;
}

StatementPtr Statements::find(Part& part, std::string_view text) {
    const std::lock_guard lock(part.mutex);
    const auto found = part.by_text.find(text);
    if (found == part.by_text.end()) return nullptr;
    part.entries.splice(part.entries.begin(), part.entries, found->second);
    return found->second->statement;
}

void Statements::keep(Part& part, std::string_view text, const StatementPtr& statement) {
    Entries removed;  // destroyed without the lock
    const std::lock_guard lock(part.mutex);
    if (part.by_text.contains(text)) return;  // another request was faster
    part.entries.push_front({std::string(text), statement});
    part.by_text.emplace(part.entries.front().text, part.entries.begin());
    part.bytes += text.size();
    while (part.bytes > kTextBytesMax / kParts) {
        const auto last = std::prev(part.entries.end());
        part.bytes -= last->text.size();
        part.by_text.erase(last->text);
        removed.splice(removed.end(), part.entries, last);
    }
}

}  // namespace orrery::service
