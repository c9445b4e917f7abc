// What an operation may use, and what its receipt says afterwards.

#include "service/context.h"

#include <gmock/gmock.h>
#include <utility>

#include <gtest/gtest.h>

#include "service/metering.h"
#include "service/test_support.h"
#include "throughput/charges.h"

namespace orrery::service {
namespace context_test {

using testing::IsEmpty;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::ids_of;
using testing_support::item;
using testing_support::must;
using testing_support::ServiceTest;

constexpr QueryText kAll{.body = R"({"query":"SELECT * FROM c"})", .plain_text = false};

class ContextTest : public ServiceTest {
protected:
    ContextTest() { asked_.context.request.partition_key = R"(["a"])"; }

    Result<ItemAnswer> create(const std::string& body) {
        return wait_for<Result<ItemAnswer>>([&](const ItemCallback& done) {
            services_.items->create(asked_, container_, body, done);
        });
    }
    Result<ItemAnswer> read(const std::string& id) {
        return services_.items->read(asked_, container_, {.id = id, .rid = {}});
    }
    BatchOutcome run(std::vector<model::BatchOperation> operations, bool atomic) {
        return wait_for<BatchOutcome>([&](const BatchCallback& done) {
            services_.batches->run(asked_,
                                   container_,
                                   operations,
                                   {.atomic = atomic, .continue_on_error = true},
                                   done);
        });
    }
    static model::BatchOperation creation(const std::string& body) {
        model::BatchOperation operation;
        operation.kind = model::BatchOperation::Kind::kCreate;
        operation.body = body;
        return operation;
    }

    const catalog::ContainerPtr container_ = services_.container();
    Asked asked_;
    Receipt& receipt_ = asked_.context.receipt;
};

TEST_F(ContextTest, NothingIsBegunWithoutRequestUnits) {
    asked_.context.allowance.claim.emplace();
    spend(asked_.context, *must(services_.partitions->open(*container_, 0)), {}, 1e9);
    EXPECT_EQ(code_of(create(item("1", "a"))), "429/3200");
    EXPECT_EQ(code_of(read("1")), "429/3200");
    EXPECT_EQ(code_of(run({creation(item("1", "a"))}, true)), "429/3200");
    EXPECT_EQ(code_of(services_.queries->run(asked_, {}, *container_, kAll)), "429/3200");
    EXPECT_EQ(code_of(services_.feed->read(asked_, *container_)), "429/3200");
    EXPECT_FALSE(receipt_.position);
    EXPECT_THAT(ids_of(must(services_.feed->read(Asked(), *container_))), IsEmpty());
}

TEST_F(ContextTest, OperationsTakeTheirChargeFromTheBudgetOfTheirPartition) {
    asked_.context.allowance.claim.emplace();
    const auto partition = must(services_.partitions->open(*container_, 0));
    double last = 0;
    const auto spent = [&] {
        const double total = partition->ledger().spent().units;
        return total - std::exchange(last, total);
    };
    ASSERT_TRUE(create(item("1", "a")));
    EXPECT_DOUBLE_EQ(spent(), receipt_.charge);
    EXPECT_EQ(code_of(create(item("1", "a"))), "409");
    EXPECT_DOUBLE_EQ(spent(), throughput::kRefusedCharge);
    ASSERT_TRUE(read("1"));
    EXPECT_DOUBLE_EQ(spent(), 1);
    EXPECT_EQ(code_of(read("2")), "404");
    EXPECT_DOUBLE_EQ(spent(), throughput::kRefusedCharge);
    ASSERT_TRUE(run({creation(item("2", "a")), creation(item("3", "a"))}, true));
    EXPECT_NEAR(spent(), receipt_.charge, 0.001);
    ASSERT_TRUE(services_.queries->run(asked_, {}, *container_, kAll));
    EXPECT_NEAR(spent(), receipt_.charge, 0.001);
    ASSERT_TRUE(services_.feed->read(asked_, *container_));
    EXPECT_NEAR(spent(), receipt_.charge, 0.001);
    asked_.context.allowance.claim.reset();
    ASSERT_TRUE(read("1"));
    EXPECT_EQ(spent(), 0) << "the server's own work is not metered";
}

TEST_F(ContextTest, ChargesWhatWasDone) {
    ASSERT_TRUE(create(item("1", "a")));
    const double created = receipt_.charge;
    EXPECT_GT(created, throughput::write_charge({.new_bytes = 1})) << "the index costs as well";
    ASSERT_TRUE(read("1"));
    EXPECT_EQ(receipt_.charge, 1);
    EXPECT_EQ(code_of(create(item("1", "a"))), "409");
    EXPECT_EQ(receipt_.charge, 1) << "what it was when the operation began";
    ASSERT_TRUE(create(item("2", "a")));
    EXPECT_EQ(receipt_.charge, created) << "the same for the same work";
    ASSERT_TRUE(services_.queries->run(asked_, {}, *container_, kAll));
    EXPECT_GT(receipt_.charge, 2.3);
    EXPECT_EQ(receipt_.metrics.counters.rows, 2U);
    EXPECT_EQ(receipt_.metrics.partitions, 1U);
}

TEST_F(ContextTest, ABatchCostsTheSumOfItsOperations) {
    const auto some = must(run({creation(item("1", "a")), creation(item("1", "a"))}, false));
    EXPECT_GT(some[0].charge, throughput::write_charge({.new_bytes = 1}));
    EXPECT_EQ(some[1].charge, throughput::kRefusedCharge);
    EXPECT_EQ(receipt_.charge, some[0].charge + some[1].charge);
    const auto none = must(run({creation(item("2", "a")), creation(item("1", "a"))}, true));
    EXPECT_EQ(none[0].charge, 0) << "undone";
    EXPECT_EQ(none[1].charge, throughput::kRefusedCharge);
    EXPECT_EQ(receipt_.charge, throughput::kRefusedCharge);
}

TEST_F(ContextTest, FailuresAfterTheRoutingHaveAPosition) {
    ASSERT_TRUE(create(item("1", "a")));
    EXPECT_EQ(receipt_.position->lsn, 1);
    for (const char* id : {"1", "nobody"}) {
        receipt_ = {};
        EXPECT_EQ(static_cast<bool>(read(id)), std::string_view(id) == "1");
        ASSERT_TRUE(receipt_.position) << id;
        EXPECT_EQ(receipt_.position->lsn, 1) << id;
    }
    receipt_ = {};
    EXPECT_EQ(code_of(create("nonsense")), "400");
    EXPECT_FALSE(receipt_.position) << "the partition is not known";
}

TEST_F(ContextTest, QueriesStopAtTheDeadline) {
    ASSERT_TRUE(create(item("1", "a")));
    asked_.context.allowance.deadline =
        std::chrono::steady_clock::now() - std::chrono::milliseconds(1);
    EXPECT_TRUE(asked_.context.is_late());
    std::string text = "SELECT VALUE COUNT(1) FROM c";
    for (const char* name : {"p", "q", "r", "s"}) {
        text += std::string(" JOIN ") + name + " IN (SELECT VALUE [1,2,3,4,5,6,7,8,9,10])";
    }
    EXPECT_EQ(code_of(services_.queries->run(
                  asked_, {}, *container_, {.body = text, .plain_text = true})),
              "408");
}

}  // namespace context_test
}  // namespace orrery::service
