#include "sql/exec/order_key.h"

#include "base/bytes.h"
#include "index/value_encoding.h"
#include "sql/index_value.h"

namespace orrery::sql {

void append_order_number(std::string& key, ItemNumber number, bool descends) {
    append_big_endian(key, descends ? ~number : number);
}

std::string order_key(const std::vector<BoundOrder>& orders,
                      bool numbers_descend,
                      ItemNumber number,
                      Evaluator& evaluator) {
    std::string key;
    for (const BoundOrder& order : orders) {
        const std::string value = encode(evaluator.evaluate(*order.expression), evaluator.arena());
        index::append_in_order(
            key, value, order.descending ? index::Order::kDescending : index::Order::kAscending);
    }
    append_order_number(key, number, numbers_descend);
    return key;
}

}  // namespace orrery::sql
