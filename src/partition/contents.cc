#include "partition/contents.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "index/path_tree.h"
#include "model/index_path.h"
#include "partition/index_keys.h"
#include "partition/item_writer.h"
#include "partition/keys.h"

namespace orrery::partition {

namespace {

const char* part_of(char letter) {
    switch (letter) {
        case 'D':
            return "items";
        case 'K':
        case 'P':
            return "ids and keys";
        case 'L':
        case 'V':
            return "change log";
        case 'H':
            return "earlier versions";
        case 'U':
            return "unique keys";
        case 'A':
        case 'J':
        case 'Q':
        case 'Y':
            return "attachments";
        case 'I':
            return "index: values";
        case 'C':
            return "index: composites";
        case 'S':
        case 'N':
            return "index: shapes and names";
        default:
            return "other";
    }
}

// A path of one generation, as in the keys of its entries.
using PathKey = std::pair<GenerationNumber, std::uint64_t>;

class Measurement {
public:
    explicit Measurement(const storage::Reader& store) : store_(store) {}

    Result<Contents> run() {
        const auto cursor = store_.scan({}, storage::Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            const std::string_view key = cursor->key();
            const std::uint64_t size = key.size() + cursor->value().size();
            const char letter = key.empty() ? '\0' : key.front();
            contents_.parts[part_of(letter)].add(size);
            if (letter == 'I') add_value(key, size);
            if (letter == 'N') add_name(key, cursor->value());
        }
        TRY(cursor->status());
        name_paths();
        std::string bytes;
        if (!TRY(store_.get(state_key(), bytes))) return std::move(contents_);
        const State state = TRY(State::decode(bytes));
        contents_.items = state.item_count;
        contents_.item_bytes = state.item_bytes;
        return std::move(contents_);
    }

private:
    void add_value(std::string_view key, std::uint64_t size) {
        ByteReader reader(key.substr(1));
        const auto generation = reader.big_endian<GenerationNumber>();
        const std::uint64_t path = reader.ordered_varint();
        extents_[{generation, path}].add(size);
    }

    void add_name(std::string_view key, std::string_view value) {
        ByteReader reader(key.substr(1));
        const auto generation = reader.big_endian<GenerationNumber>();
        if (key != path_name_key(generation, key.substr(std::min(kNamePrefixBytes, key.size())))) {
            return;
        }
        const auto path = index::decode_path(key.substr(kNamePrefixBytes));
        ByteReader id(value);
        if (path) names_[{generation, id.varint()}] = model::to_text(*path);
    }

    void name_paths() {
        std::map<std::string, Extent> by_path;
        for (const auto& [key, extent] : extents_) {
            const auto name = names_.find(key);
            by_path[name != names_.end() ? name->second : "(unknown)"].add(extent);
        }
        for (auto& [path, extent] : by_path)
            contents_.paths.push_back({.path = path, .extent = extent});
        std::stable_sort(contents_.paths.begin(),
                         contents_.paths.end(),
                         [](const PathExtent& a, const PathExtent& b) {
                             return a.extent.bytes > b.extent.bytes;
                         });
    }

    const storage::Reader& store_;
    Contents contents_;
    std::map<PathKey, Extent> extents_;
    std::map<PathKey, std::string> names_;
};

}  // namespace

Extent Contents::total() const {
    Extent sum;
    for (const auto& [part, extent] : parts)
        sum.add(extent);
    return sum;
}

Result<Contents> measure(const storage::Reader& store) { return Measurement(store).run(); }

}  // namespace orrery::partition
