#include "partition/split_point.h"

#include <algorithm>
#include <vector>

#include "partition/attachment_directory.h"

namespace orrery::partition {

namespace {

// Enough to come within a few per cent of the middle.
constexpr std::uint64_t kSamples = 4096;

// EPKs of items, sorted; each stands for the same number of bytes.
Result<std::vector<std::string>> sample_of(const Partition& partition) {
    const std::uint64_t step = std::max<std::uint64_t>(partition.stored_bytes() / kSamples, 1);
    std::vector<std::string> out;
    std::uint64_t passed = 0;  // bytes
    const bool has_attachments = partition.stored_bytes() > partition.item_bytes();
    std::string directory;
    const auto reader = partition.view().reader;
    const auto items = reader->scan(all_of('D'), storage::Direction::kForward);
    for (; items->valid(); items->next()) {
        const Docnum docnum = TRY(docnum_of_key(items->key()));
        const ItemView item = TRY(ItemView::decode(docnum, items->value()));
        const std::uint64_t before = passed / step;
        passed += item.json.size();
        if (has_attachments && TRY(reader->get(attachments_key(docnum), directory))) {
            passed += TRY(AttachmentDirectory::decode(directory)).bytes();
        }
        // A large item counts several times.
        const std::uint64_t times = std::min(passed / step - before, kSamples);
        out.insert(out.end(), times, std::string(item.epk));
    }
    TRY(items->status());
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

Result<std::optional<std::string>> split_point(const Partition& partition) {
    const std::vector<std::string> sample = TRY(sample_of(partition));
    std::optional<std::string> best;
    std::size_t best_distance = sample.size();
    for (std::size_t i = 1; i < sample.size(); ++i) {
        if (sample[i] == sample[i - 1]) continue;
        const std::size_t half = sample.size() / 2;
        const std::size_t distance = i > half ? i - half : half - i;
        if (best && distance >= best_distance) continue;
        best = sample[i];
        best_distance = distance;
    }
    return best;
}

}  // namespace orrery::partition
