// The keys and bytes of item creates, including the index, for programs that write them without a
// server.

#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/result.h"
#include "index/path_policy.h"
#include "item.h"
#include "model/container_definition.h"
#include "partition/change_log.h"
#include "partition/index_generation.h"
#include "partition/index_keys.h"
#include "partition/keys.h"
#include "partition/staged_keys.h"
#include "storage/write_batch.h"

namespace orrery::bench {

// Writes what one create stores in a partition (partition/item_writer.cc): the record, the keys
// that lead to it, and once per batch the partition's counters.
class CreateWriter {
public:
    // `first` is the number of the first item.
    CreateWriter(std::uint64_t first, std::size_t record_bytes)
        : random_(first),
          record_(letters(record_bytes)),
          state_(letters(kStateBytes)),
          log_entry_(partition::LogEntry{.kind = partition::ChangeKind::kCreate}.encode()),
          number_(first) {}

    void add_to(storage::WriteBatch& batch) {
        std::string epk;
        append_big_endian(epk, random_());
        append_big_endian(epk, random_());
        batch.put(partition::member_key(epk, number_), {});
        batch.put(partition::item_key(number_), record_);
        batch.put(partition::id_key(epk, fmt::format("item-{:010}", number_)),
                  partition::docnum_value(number_));
        batch.put(
            partition::log_key(
                {.lsn = static_cast<partition::Lsn>(number_), .ordinal = 0, .docnum = number_}),
            log_entry_);
        const std::size_t entries = entries_.size() / kVariants;
        const std::size_t variant = random_() % kVariants;
        for (std::size_t i = 0; i < entries; ++i) {
            key_ = entries_[variant * entries + i];
            partition::append_index_docnum(key_, number_);
            index_.put(key_);
        }
        ++number_;
    }
    void finish(storage::WriteBatch& batch) {
        index_.move_to(batch);
        batch.put(partition::state_key(), state_);
    }

    // Precomputes the index keys of kVariants items, except for the item's number.
    Status prepare() {
        const json::Value policy = TRY(json::Value::parse(
            R"({"id":"c","partitionKey":{"paths":["/pk"],"kind":"Hash","version":2}})"));
        const auto definition = TRY(model::parse_container_definition(policy, {}));
        const auto compiled = TRY(index::PathPolicy::compile(definition));
        partition::IndexGeneration generation(1, compiled, {});
        std::string number;
        partition::append_index_docnum(number, number_);
        for (std::size_t i = 0; i < kVariants; ++i) {
            std::string record;
            partition::append_item_head(record, {}, {});
            std::string item = item_body(random_() % 1'000'000'000);
            item.pop_back();
            record += item + R"(,"_ts":)" + std::to_string(1'700'000'000 + number_ / 10'000) + "}";
            index::KeyList keys;
            const auto stored = TRY(partition::StoredItem::decode(number_, std::move(record)));
            TRY(generation.keys_of(stored, keys));
            for (std::size_t k = 0; k < keys.size(); ++k) {
                entries_.emplace_back(keys[k].substr(0, keys[k].size() - number.size()));
            }
        }
        return {};
    }
    std::size_t keys_per_item() const { return 4 + entries_.size() / kVariants; }

private:
    static constexpr std::size_t kStateBytes = 40;
    static constexpr std::size_t kVariants = 5000;

    std::string letters(std::size_t count) {
        std::string out;
        while (out.size() < count) {
            out += static_cast<char>('0' + random_() % 75);
        }
        return out;
    }

    std::mt19937_64 random_;
    const std::string record_;
    const std::string state_;
    const std::string log_entry_;
    partition::Docnum number_;
    std::vector<std::string> entries_;
    partition::StagedKeys index_;
    std::string key_;
};

}  // namespace orrery::bench
