#include "sql/exec/order_key.h"

#include "base/bytes.h"
#include "index/value_encoding.h"
#include "model/resource_id.h"
#include "sql/index_value.h"

namespace orrery::sql {

ItemNumber order_number(ItemNumber number, bool descends) {
    constexpr ItemNumber kCounter = (ItemNumber{1} << model::kItemCounterBits) - 1;
    return descends ? number ^ kCounter : number;
}

std::string order_key(const std::vector<BoundOrder>& orders,
                      bool numbers_descend,
                      ItemNumber number,
                      Evaluator& evaluator) {
    std::string key;
    for (const BoundOrder& order : orders) {
        std::string value;
        append_sortable(value, evaluator.evaluate(*order.expression), evaluator.arena());
        index::append_in_order(
            key, value, order.descending ? index::Order::kDescending : index::Order::kAscending);
    }
    append_big_endian(key, order_number(number, numbers_descend));
    return key;
}

}  // namespace orrery::sql
