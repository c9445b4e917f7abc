// What Tab adds to a statement: commands, databases, containers, words and functions of the query
// language, and properties.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/shell/line_editor.h"
#include "tools/shell/properties.h"

namespace orrery::tools {

// The names that a completion asks for; empty if the server does not tell.
class KnownNames {
public:
    KnownNames() = default;
    KnownNames(const KnownNames&) = delete;
    KnownNames& operator=(const KnownNames&) = delete;
    virtual ~KnownNames() = default;

    virtual std::vector<std::string> databases() = 0;
    virtual std::vector<std::string> containers(const std::string& database) = 0;
    // Of the container in use.
    virtual const Properties& properties() = 0;
};

// `statement` is all that has been entered of it, up to the cursor.
Completion complete(std::string_view statement, KnownNames& names);

}  // namespace orrery::tools
