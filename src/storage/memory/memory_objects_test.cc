#include "storage/memory/memory_objects.h"

#include "storage/shared_objects_conformance.h"

namespace orrery::storage {
namespace memory_objects_test {

class Maker {
public:
    SharedObjects& objects() { return objects_; }

private:
    MemoryObjects objects_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, SharedObjectsConformance, Maker);

}  // namespace memory_objects_test
}  // namespace orrery::storage
