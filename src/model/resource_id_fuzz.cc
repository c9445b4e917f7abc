// Text that parses as a rid must print as the same text, and parse as one kind only.

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "model/resource_id.h"

namespace {

template <typename Rid>
int count_parsed(std::string_view text) {
    const auto rid = Rid::parse(text);
    CHECK(!rid || rid->text() == text);
    return rid ? 1 : 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
    using namespace orrery::model;  // NOLINT: the whole point is to name every kind
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const int kinds = count_parsed<DatabaseRid>(text) + count_parsed<ContainerRid>(text) +
                      count_parsed<UserRid>(text) + count_parsed<PermissionRid>(text) +
                      count_parsed<OfferRid>(text) + count_parsed<ItemRid>(text) +
                      count_parsed<ConflictRid>(text) + count_parsed<PartitionKeyRangeRid>(text) +
                      count_parsed<UdfRid>(text) + count_parsed<TriggerRid>(text) +
                      count_parsed<StoredProcedureRid>(text);
    CHECK(kinds <= 1);
    return 0;
}
