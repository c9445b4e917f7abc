#include "partition/verify_index.h"

#include <algorithm>

namespace orrery::partition {

Result<IndexVerifier> IndexVerifier::open(const storage::Reader& store,
                                          const ComputedFactory& computed,
                                          Report report) {
    IndexVerifier verifier(store, std::move(report));
    verifier.record_ = TRY(read_index_state(store));
    if (!verifier.record_) return verifier;
    TRY(verifier.add(verifier.record_->active, computed));
    if (verifier.record_->building) {
        verifier.position_ = TRY(read_index_position(store));
        TRY(verifier.add(verifier.record_->building->generation, computed));
    }
    return verifier;
}

Status IndexVerifier::add(const GenerationRecord& generation, const ComputedFactory& computed) {
    auto policy = TRY(index::PathPolicy::from_text(generation.policy));
    std::shared_ptr<const index::ComputedProperties> properties;
    if (computed && !policy->computed().empty()) properties = computed(*policy);
    auto loaded = std::make_shared<IndexGeneration>(
        generation.number, std::move(policy), std::move(properties));
    TRY(loaded->load(*store_));
    checked_.push_back({.generation = std::move(loaded), .expected = {}});
    return {};
}

Status IndexVerifier::check(const StoredItem& item) {
    if (!record_) {
        report_("item " + std::to_string(item.docnum()) + ": there is no index");
        return {};
    }
    TRY(check(item, checked_[0]));
    if (!record_->building) return {};
    const bool built = item.docnum() < position_.next || item.docnum() >= record_->building->until;
    return built ? check(item, checked_[1]) : Status();
}

Status IndexVerifier::check(const StoredItem& item, Checked& checked) {
    IndexGeneration& generation = *checked.generation;
    const std::string subject = "item " + std::to_string(item.docnum()) + ": ";
    const IndexGeneration::Savepoint before = generation.savepoint();
    if (const Status read = generation.keys_of(item, keys_); !read) {
        report_(subject + read.error().message());
        return {};
    }
    const IndexGeneration::Savepoint after = generation.savepoint();
    if (after.paths.listed != before.paths.listed || after.shapes != before.shapes ||
        after.paths.has_unlisted != before.paths.has_unlisted) {
        report_(subject + "its paths or shape are missing in the index dictionary");
        generation.rollback_to(before);
    }
    std::string value;
    std::size_t missing = 0;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        ++checked.expected[static_cast<unsigned char>(keys_[i][0])];
        if (!TRY(store_->get(keys_[i], value))) ++missing;
    }
    if (missing > 0) {
        report_(subject + std::to_string(missing) + " of its " + std::to_string(keys_.size()) +
                " index entries are missing");
    }
    return {};
}

Status IndexVerifier::finish() {
    for (const char letter : {'C', 'I', 'S'}) {
        TRY(count(letter));
    }
    return {};
}

Status IndexVerifier::count(char letter) {
    std::array<std::uint64_t, 256> found{};
    const auto cursor = store_->scan(all_of(letter), storage::Direction::kForward);
    for (; cursor->valid(); cursor->next()) {
        const std::string_view key = cursor->key();
        ++found[key.size() < 2 ? 0 : static_cast<unsigned char>(key[1])];
    }
    TRY(cursor->status());
    // Entries of a generation being removed may be partly gone.
    if (record_) {
        for (const GenerationNumber number : record_->removing) {
            found[number] = 0;
        }
    }
    for (const Checked& checked : checked_) {
        const GenerationNumber number = checked.generation->number();
        const std::uint64_t expected = checked.expected[static_cast<unsigned char>(letter)];
        if (found[number] != expected) {
            report_(std::string("generation ") + std::to_string(number) + " of the index has " +
                    std::to_string(found[number]) + " entries '" + letter +
                    "', but the items account for " + std::to_string(expected));
        }
        found[number] = 0;
    }
    if (std::any_of(found.begin(), found.end(), [](std::uint64_t n) { return n > 0; })) {
        report_(std::string("there are index entries '") + letter + "' of an unknown generation");
    }
    return {};
}

}  // namespace orrery::partition
