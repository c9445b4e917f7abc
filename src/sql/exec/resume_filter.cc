#include "sql/exec/resume_filter.h"

#include "base/bytes.h"
#include "index/value_encoding.h"
#include "model/resource_id.h"
#include "sql/errors.h"
#include "sql/exec/order_key.h"
#include "sql/index_value.h"

namespace orrery::sql {

namespace {

void append_value(std::string& out, const ResumeValue& value, Arena& arena) {
    if (const auto* json = std::get_if<std::string>(&value)) {
        append_sortable(out, Value::from_json(*json, arena), arena);
    } else if (const auto* hash = std::get_if<ResumeHash>(&value)) {
        index::encode_container(out,
                                hash->is_array ? index::Tag::kArray : index::Tag::kObject,
                                {.h1 = static_cast<std::uint64_t>(hash->low),
                                 .h2 = static_cast<std::uint64_t>(hash->high)});
    } else {
        index::encode_undefined(out);
    }
}

}  // namespace

Result<std::string> position_of(const ResumeFilter& filter,
                                const BoundQuery& query,
                                const Access& access) {
    if (query.order_by.empty() || filter.values.size() != query.order_by.size()) {
        return plain_query_error("The resumeFilter does not match the query's ORDER BY.");
    }
    Arena arena;
    std::string key;
    for (std::size_t i = 0; i < filter.values.size(); ++i) {
        std::string value;
        append_value(value, filter.values[i], arena);
        index::append_in_order(key, value, index_order(query.order_by[i]));
    }
    std::optional<ItemNumber> number;
    if (!filter.rid.empty()) {
        const auto rid = model::ItemRid::parse(filter.rid);
        if (!rid) return plain_query_error("The rid of the resumeFilter is not valid.");
        number = rid->number;
    }
    if (filter.exclude) {
        key += kAfterAllNumbers;
    } else if (number) {
        append_big_endian(key, order_number(*number, access.number_order));
    }
    // Never part of a token, so any length is fine.
    return "o" + key;
}

}  // namespace orrery::sql
