#include "sql/exec/order_key.h"

#include "base/bytes.h"
#include "index/value_encoding.h"
#include "model/resource_id.h"
#include "sql/index_value.h"

namespace orrery::sql {

namespace {

constexpr ItemNumber kCounter = (ItemNumber{1} << model::kItemCounterBits) - 1;

}  // namespace

index::Order index_order(const BoundOrder& order) {
    return order.descending ? index::Order::kDescending : index::Order::kAscending;
}

ItemNumber order_number(ItemNumber number, NumberOrder order) {
    switch (order) {
        case NumberOrder::kAscending:
            return number;
        case NumberOrder::kDescending:
            return ~number;
        case NumberOrder::kDescendingByRange:
            return number ^ kCounter;
    }
    return number;
}

ItemNumber number_of(ItemNumber form, NumberOrder order) {
    if (order == NumberOrder::kAscending) return form;
    return form > model::ItemRid::kNumberMax ? ~form : form ^ kCounter;
}

std::string with_number_order(std::string key,
                              const std::vector<BoundOrder>& orders,
                              NumberOrder order) {
    std::size_t values = 0;
    for (const BoundOrder& one : orders) {
        const std::size_t size =
            index::whole_length(std::string_view(key).substr(values), index_order(one));
        if (size == 0) return key;
        values += size;
    }
    // A position that a client names may lack the number.
    if (key.size() != values + sizeof(ItemNumber)) return key;
    const auto form = ByteReader(std::string_view(key).substr(values)).big_endian<ItemNumber>();
    key.resize(values);
    append_big_endian(key, order_number(number_of(form, order), order));
    return key;
}

std::string order_key(const std::vector<BoundOrder>& orders,
                      NumberOrder number_order,
                      ItemNumber number,
                      Evaluator& evaluator) {
    std::string key;
    for (const BoundOrder& order : orders) {
        std::string value;
        append_sortable(value, evaluator.evaluate(*order.expression), evaluator.arena());
        index::append_in_order(key, value, index_order(order));
    }
    append_big_endian(key, order_number(number, number_order));
    return key;
}

}  // namespace orrery::sql
