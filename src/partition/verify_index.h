// Checks a partition's index against its items: every item has all its entries in every generation
// that covers it, and no entry lacks its item. Part of verify().

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/key_list.h"
#include "partition/index_generation.h"
#include "partition/index_state.h"
#include "partition/item_index.h"
#include "partition/item_record.h"
#include "storage/engine.h"

namespace orrery::partition {

class IndexVerifier {
public:
    using Report = std::function<void(std::string)>;

    // The store must not change during verification.
    static Result<IndexVerifier> open(const storage::Reader& store,
                                      const ComputedFactory& computed,
                                      Report report);

    // Call for every item, then finish().
    Status check(const StoredItem& item);
    Status finish();

private:
    struct Checked {
        std::shared_ptr<IndexGeneration> generation;
        std::array<std::uint64_t, 256> expected{};  // number of keys by letter
    };

    IndexVerifier(const storage::Reader& store, Report report)
        : store_(&store), report_(std::move(report)) {}

    Status add(const GenerationRecord& generation, const ComputedFactory& computed);
    Status check(const StoredItem& item, Checked& checked);
    Status count(char letter);

    const storage::Reader* store_;
    Report report_;
    std::optional<IndexStateRecord> record_;
    IndexPosition position_;
    std::vector<Checked> checked_;
    index::KeyList keys_;
};

}  // namespace orrery::partition
