#include "storage/rados/rados_test_support.h"
#include "storage/shared_objects_conformance.h"

namespace orrery::storage {
namespace rados_objects_cluster_test {

using namespace testing_support;  // NOLINT: a test

class Maker {
public:
    SharedObjects& objects() { return *objects_; }

private:
    SecureRandom random_;
    std::unique_ptr<SharedObjects> objects_ =
        make_rados_objects(connect(rados_options(new_name_space())), random_);
};

INSTANTIATE_TYPED_TEST_SUITE_P(Rados, SharedObjectsConformance, Maker);

}  // namespace rados_objects_cluster_test
}  // namespace orrery::storage
