#include "sql/ast.h"

namespace orrery::sql::ast {

std::optional<std::string> source_alias(const Source& source) {
    if (source.alias) return source.alias->text;
    if (source.subquery) return std::nullopt;
    for (auto step = source.path.rbegin(); step != source.path.rend(); ++step) {
        if (const auto* name = std::get_if<std::string>(&*step)) return *name;
    }
    return source.root.text;
}

}  // namespace orrery::sql::ast
