#include "partition/index_generation.h"

#include "base/bytes.h"

namespace orrery::partition {

namespace {

Error damaged_dictionary() {
    return Error(ErrorCode::kCorrupted, "the dictionary of an index is damaged");
}

// Sorted ids, delta-encoded.
std::string encode_paths(const std::vector<index::PathId>& paths) {
    std::string out;
    index::PathId last = 0;
    for (const index::PathId path : paths) {
        append_varint(out, path - last);
        last = path;
    }
    return out;
}

}  // namespace

Result<std::vector<index::PathId>> decode_shape(std::string_view bytes) {
    std::vector<index::PathId> paths;
    ByteReader reader(bytes);
    std::uint64_t last = 0;
    while (!reader.rest().empty()) {
        last += reader.varint();
        if (!reader.ok() || last > index::kPathsMax) return damaged_dictionary();
        paths.push_back(static_cast<index::PathId>(last));
    }
    return paths;
}

IndexGeneration::IndexGeneration(GenerationNumber number,
                                 std::shared_ptr<const index::PathPolicy> policy,
                                 std::shared_ptr<const index::ComputedProperties> computed)
    : number_(number),
      policy_(std::move(policy)),
      computed_(std::move(computed)),
      terms_(index_prefix('I', number)),
      composites_(index_prefix('C', number)),
      shapes_prefix_(index_prefix('S', number)),
      tree_(*policy_),
      extractor_(*policy_, computed_.get(), tree_, shapes_),
      saved_(savepoint()) {}

Status IndexGeneration::load(const storage::Reader& store) {
    const auto paths = store.scan(path_names_of(number_), storage::Direction::kForward);
    for (; paths->valid(); paths->next()) {
        const model::IndexPath path =
            TRY(index::decode_path(paths->key().substr(kNamePrefixBytes)));
        ByteReader id(paths->value());
        TRY(tree_.restore(path, static_cast<index::PathId>(id.varint())));
    }
    TRY(paths->status());
    if (!tree_.is_complete()) return damaged_dictionary();
    const auto shapes = store.scan(shape_names_of(number_), storage::Direction::kForward);
    for (; shapes->valid(); shapes->next()) {
        ByteReader id(shapes->key().substr(kNamePrefixBytes));
        if (id.ordered_varint() != index::kFirstShape + shapes_.count())
            return damaged_dictionary();
        shapes_.restore(TRY(decode_shape(shapes->value())));
    }
    TRY(shapes->status());
    std::string value;
    if (TRY(store.get(unlisted_key(number_), value))) tree_.set_unlisted();
    const auto lacking = store.scan(keys_with(shape_prefix(number_, index::kNotIndexed)),
                                    storage::Direction::kForward);
    if (lacking->valid()) facts_->note_lacking_item();
    TRY(lacking->status());
    saved_ = savepoint();
    return {};
}

bool IndexGeneration::wants(const StoredItem& item) const {
    switch (item.header().indexing) {
        case IndexingDirective::kInclude:
            return true;
        case IndexingDirective::kExclude:
            return false;
        case IndexingDirective::kDefault:
            break;
    }
    return policy_->automatic();
}

Status IndexGeneration::keys_of(const StoredItem& item, index::KeyList& keys) {
    keys.clear();
    if (!policy_->enabled()) return {};
    docnum_.clear();
    append_index_docnum(docnum_, item.docnum());
    index::ShapeId shape = index::kNotIndexed;
    if (wants(item)) {
        shape = TRY(extractor_.extract(
            item.json(), {.terms = terms_, .composites = composites_, .item = docnum_}, keys));
    }
    if (shape == index::kNotIndexed) facts_->note_lacking_item();
    // Sorts after all the others, so no need to sort again.
    std::string& out = keys.bytes();
    out.append(shapes_prefix_);
    append_ordered_varint(out, shape);
    out.append(docnum_);
    keys.end_key();
    return {};
}

void IndexGeneration::rollback_to(const Savepoint& savepoint) {
    tree_.rollback_to(savepoint.paths);
    shapes_.rollback_to(savepoint.shapes);
}

void IndexGeneration::save(storage::WriteBatch& batch) const {
    for (std::size_t id = saved_.paths.listed + 1; id <= tree_.path_count(); ++id) {
        std::string value;
        append_varint(value, id);
        const auto path = tree_.path(static_cast<index::PathId>(id));
        batch.put(path_name_key(number_, index::encode_path(path)), value);
    }
    for (std::size_t i = saved_.shapes; i < shapes_.count(); ++i) {
        const auto id = index::kFirstShape + static_cast<index::ShapeId>(i);
        batch.put(shape_name_key(number_, id), encode_paths(shapes_.paths(id)));
    }
    if (tree_.has_unlisted() && !saved_.paths.has_unlisted) batch.put(unlisted_key(number_), {});
}

}  // namespace orrery::partition
