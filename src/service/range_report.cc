#include "service/range_report.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "base/stopwatch.h"
#include "index/path_policy.h"
#include "service/partitions.h"
#include "service/placement.h"

namespace orrery::service {

namespace {

std::vector<throughput::HotKey> hottest_keys(const throughput::Ledger& ledger) {
    constexpr std::size_t kShown = 10;
    std::vector<throughput::HotKey> out = ledger.hot_keys().top(kShown, monotonic_now());
    for (throughput::HotKey& hot : out) {
        const auto key = model::PartitionKeyValue::decode(hot.key);
        hot.key = key ? key->to_json() : "[]";
    }
    return out;
}

Status add_index_progress(const catalog::Container& container,
                          const partition::Partition& partition,
                          RangeReport& report) {
    const auto policy = TRY(
        index::PathPolicy::compile(container.definition, container.definition.computed_properties));
    const auto view = partition.index_view();
    const bool taken_over = view->wanted->text() == policy->text();
    report.index_built = taken_over && view->is_built();
    if (report.index_built) {
        report.items_indexed = partition.item_count();
        report.items_to_index = partition.item_count();
    } else {
        report.items_indexed = taken_over ? view->items_built : 0;
        report.items_to_index = std::max(view->items_to_build, partition.item_count());
    }
    return {};
}

void append_number(std::string& out, double value) {
    append_big_endian(out, std::bit_cast<std::uint64_t>(value));
}

double take_number(ByteReader& reader) {
    return std::bit_cast<double>(reader.big_endian<std::uint64_t>());
}

RangeReport take_report(ByteReader& reader) {
    RangeReport out;
    out.range_id = static_cast<std::uint32_t>(reader.varint());
    out.item_count = reader.varint();
    out.item_bytes = reader.varint();
    out.lsn = static_cast<partition::Lsn>(reader.varint());
    out.items_indexed = reader.varint();
    out.items_to_index = reader.varint();
    out.index_built = reader.varint() != 0;
    out.budget.refused = reader.varint();
    out.budget.spent.requests = reader.varint();
    for (double* const number : {&out.budget.spent.units,
                                 &out.budget.rate,
                                 &out.budget.balance,
                                 &out.budget.last_second,
                                 &out.budget.busiest_second}) {
        *number = take_number(reader);
    }
    const std::uint64_t keys = reader.varint();
    for (std::uint64_t i = 0; i < keys && reader.ok(); ++i) {
        throughput::HotKey hot;
        hot.key = std::string(reader.take(reader.varint()));
        hot.share = take_number(reader);
        out.hottest_keys.push_back(std::move(hot));
    }
    return out;
}

}  // namespace

void RangeReport::append_to(std::string& out) const {
    for (const std::uint64_t number : {std::uint64_t{range_id},
                                       item_count,
                                       item_bytes,
                                       static_cast<std::uint64_t>(lsn),
                                       items_indexed,
                                       items_to_index,
                                       std::uint64_t{index_built},
                                       budget.refused,
                                       budget.spent.requests}) {
        append_varint(out, number);
    }
    for (const double number : {budget.spent.units,
                                budget.rate,
                                budget.balance,
                                budget.last_second,
                                budget.busiest_second}) {
        append_number(out, number);
    }
    append_varint(out, hottest_keys.size());
    for (const throughput::HotKey& hot : hottest_keys) {
        append_varint(out, hot.key.size());
        out += hot.key;
        append_number(out, hot.share);
    }
}

Result<std::vector<RangeReport>> decode_reports(std::string_view bytes) {
    ByteReader reader(bytes);
    std::vector<RangeReport> out;
    while (reader.ok() && !reader.rest().empty())
        out.push_back(take_report(reader));
    if (!reader.ok()) return Error(ErrorCode::kUnavailable, "a node's report is damaged");
    return out;
}

Result<RangeReport> RangeReports::of(const catalog::Container& container, std::size_t range) const {
    const auto partition = TRY(partitions_.open(container, range));
    RangeReport report{.range_id = container.ranges[range].id,
                       .item_count = partition->item_count(),
                       .item_bytes = partition->item_bytes(),
                       .lsn = partition->lsn(),
                       .budget = {},
                       .hottest_keys = hottest_keys(partition->ledger())};
    if (const auto& budget = partition->ledger().budget()) {
        report.budget = budget->usage(monotonic_now());
    }
    TRY(add_index_progress(container, *partition, report));
    TRY(partition->check_open());
    return report;
}

Result<std::vector<RangeReport>> RangeReports::of(const catalog::Container& container) const {
    std::vector<RangeReport> out(container.ranges.size());
    std::vector<std::size_t> elsewhere;
    for (std::size_t i = 0; i < container.ranges.size(); ++i) {
        auto report = of(container, i);
        if (report) {
            out[i] = std::move(report).take();
        } else if (placement_ != nullptr && report.error().code() == ErrorCode::kElsewhere) {
            elsewhere.push_back(i);
        } else {
            return std::move(report).take_error();
        }
    }
    if (elsewhere.empty()) return out;
    std::vector<RangeReport> reported = TRY(placement_->reports(container, elsewhere));
    for (std::size_t i = 0; i < elsewhere.size(); ++i)
        out[elsewhere[i]] = std::move(reported[i]);
    return out;
}

}  // namespace orrery::service
