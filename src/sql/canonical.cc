#include "sql/canonical.h"

#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "sql/index_value.h"

namespace orrery::sql {

namespace {

constexpr char kEnd = 0;
constexpr char kMore = 1;

void append_text(std::string& out, std::string_view text) {
    append_varint(out, text.size());
    out.append(text);
}

}  // namespace

// Arrays and objects sort by their hash; their content follows, so that only equal values have
// equal bytes.
void append_canonical(std::string& out, const Value& value, Arena& arena) {
    if (!arena.count() || !arena.has_room(out.size())) return;
    append_sortable(out, value, arena);
    switch (value.kind()) {
        case Kind::kArray:
            for (const Value& element : value.elements(arena)) {
                out += kMore;
                append_canonical(out, element, arena);
            }
            out += kEnd;
            return;
        case Kind::kObject: {
            const auto members = value.members(arena);
            std::vector<Member> sorted(members.begin(), members.end());
            std::sort(sorted.begin(), sorted.end(), [](const Member& a, const Member& b) {
                return a.name < b.name;
            });
            for (const Member& member : sorted) {
                out += kMore;
                append_text(out, member.name);
                append_canonical(out, member.value, arena);
            }
            out += kEnd;
            return;
        }
        default:
            return;
    }
}

}  // namespace orrery::sql
