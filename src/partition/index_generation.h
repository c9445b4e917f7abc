// One generation of a partition's index: a policy and the dictionary of the paths and shapes in its
// keys. Used by the partition's executor and by verification.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/key_list.h"
#include "index/terms.h"
#include "partition/index_facts.h"
#include "partition/index_keys.h"
#include "partition/item_record.h"
#include "storage/engine.h"

namespace orrery::partition {

// Decodes the paths of a shape from the dictionary.
Result<std::vector<index::PathId>> decode_shape(std::string_view bytes);

class IndexGeneration {
public:
    IndexGeneration(GenerationNumber number,
                    std::shared_ptr<const index::PathPolicy> policy,
                    std::shared_ptr<const index::ComputedProperties> computed);
    IndexGeneration(const IndexGeneration&) = delete;
    IndexGeneration& operator=(const IndexGeneration&) = delete;
    ~IndexGeneration() = default;

    // Reads the dictionary. kCorrupted if it does not match the policy.
    Status load(const storage::Reader& store);

    GenerationNumber number() const { return number_; }
    const std::shared_ptr<const index::PathPolicy>& policy() const { return policy_; }
    const std::shared_ptr<IndexFacts>& facts() const { return facts_; }

    // Fills `keys` with all keys of the item in this generation, sorted. Adds new paths and shapes
    // to the dictionary.
    Status keys_of(const StoredItem& item, index::KeyList& keys);
    // Whether one of these keys is a term or a composite, and not the item's shape.
    bool is_term(std::string_view key) const { return !key.starts_with(shapes_prefix_); }

    struct Savepoint {
        index::PathTree::Savepoint paths;
        std::size_t shapes;
    };
    Savepoint savepoint() const { return {tree_.savepoint(), shapes_.count()}; }
    void rollback_to(const Savepoint& savepoint);

    // Writes dictionary entries added since the last commit; committed() marks them as stored,
    // abandon() discards them.
    void save(storage::WriteBatch& batch) const;
    void committed() { saved_ = savepoint(); }
    void abandon() { rollback_to(saved_); }

private:
    bool wants(const StoredItem& item) const;

    const GenerationNumber number_;
    const std::shared_ptr<const index::PathPolicy> policy_;
    const std::shared_ptr<const index::ComputedProperties> computed_;
    const std::shared_ptr<IndexFacts> facts_ = std::make_shared<IndexFacts>();
    const std::string terms_;
    const std::string composites_;
    const std::string shapes_prefix_;
    index::PathTree tree_;
    index::Shapes shapes_;
    index::TermExtractor extractor_;
    Savepoint saved_;
    std::string docnum_;
};

}  // namespace orrery::partition
