#include "sql/distinct.h"

#include "base/check.h"
#include "json/distinct_hash.h"

namespace orrery::sql {

namespace {

Hash128 seeded(const Value& value, const Hash128& seed, Arena& arena) {
    if (!arena.count()) return {};
    switch (value.kind()) {
        case Kind::kNull:
            return json::distinct_null(seed);
        case Kind::kBoolean:
            return json::distinct_boolean(value.boolean(), seed);
        case Kind::kNumber:
            return json::distinct_number(value.number(), seed);
        case Kind::kString:
            arena.count_bytes(value.string().size());
            return json::distinct_string(value.string(), seed);
        case Kind::kArray: {
            json::DistinctArray array(seed);
            const auto elements = value.elements(arena);
            for (std::size_t i = 0; i < elements.size(); ++i) {
                array.add(seeded(elements[i], json::distinct_element_seed(i), arena));
            }
            return array.hash();
        }
        case Kind::kObject: {
            json::DistinctObject object(seed);
            for (const Member& member : value.members(arena)) {
                object.add(seeded(member.value, json::distinct_member_seed(member.name), arena));
            }
            return object.hash();
        }
        case Kind::kUndefined:
            break;
    }
    CHECK(false);
    return {};
}

}  // namespace

Hash128 distinct_hash(const Value& value, Arena& arena) {
    if (const auto text = value.raw()) {
        arena.count_bytes(text->size());
        return json::distinct_hash(*text);
    }
    return seeded(value, json::distinct_root_seed(), arena);
}

}  // namespace orrery::sql
