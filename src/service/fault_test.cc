// Fails every write of a workload over catalog and partitions once, in each way a write can fail.
// Afterwards acknowledged writes are present, others are present entirely or not at all, and the
// workload can be finished.

#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service/test_support.h"
#include "storage/faulty_engine.h"

namespace orrery::service {
namespace fault_test {

using storage::Fault;
using testing_support::Asked;
using testing_support::ItemOutcome;
using testing_support::must;
using testing_support::Services;

// One client request, or one background round.
using Step = std::function<Status(Services&)>;

catalog::ContainerPtr container_of(Services& services, std::string_view name) {
    return must(services.resources->find({}, {.database = "d", .container = name})).container;
}

Status status_of(ItemOutcome outcome) {
    if (outcome.answer) return {};
    return std::move(outcome.answer).take_error();
}

Request keyed(std::string_view key) {
    Request request;
    request.partition_key = key;
    return request;
}

Step create_container(const std::string& name) {
    return [name](Services& services) -> Status {
        Request request;
        request.offer_throughput = "12000";  // two partitions
        TRY(services.resources->create_container(
            Asked(request),
            "d",
            model::testing_support::container_body(
                "{\"id\":\"" + name +
                R"(","defaultTtl":-1,"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}})")
                .text()));
        return {};
    };
}

Step replace_offer(const std::string& throughput) {
    return [=](Services& services) -> Status {
        const std::string rid = services.catalog->offers().front()->rid.text();
        TRY(services.offers->replace(
            Asked(), rid, "{\"content\":{\"offerThroughput\":" + throughput + "}}"));
        return {};
    };
}

Step create_item(const std::string& container, const std::string& body) {
    return [=](Services& services) {
        return status_of(services.create(container_of(services, container), body));
    };
}

Step upsert_item(const std::string& body) {
    return [=](Services& services) {
        return status_of(services.upsert(container_of(services, "c"), body));
    };
}

Step upsert_script(const std::string& container, const std::string& body) {
    return [=](Services& services) -> Status {
        const auto owner =
            TRY(services.resources->find({}, {.database = "d", .container = container}));
        TRY(services.scripts->upsert(Asked(), owner, model::ScriptKind::kStoredProcedure, body));
        return {};
    };
}

std::vector<Step> workload() {
    return {
        [](Services& services) -> Status {
            TRY(services.resources->create_database(Asked(), R"({"id":"d"})"));
            return {};
        },
        create_container("c"),
        upsert_script("c", R"({"id":"p","body":"one"})"),
        upsert_script("c", R"({"id":"p","body":"two"})"),
        create_item("c", R"({"id":"1","pk":"a","u":1,"ttl":60})"),
        create_item("c", R"({"id":"2","pk":"a","u":2})"),
        create_item("c", R"({"id":"1","pk":"b","u":1})"),
        create_item("c", R"({"id":"1","pk":"c","u":1})"),
        upsert_item(R"({"id":"2","pk":"a","u":3,"n":1})"),
        upsert_item(R"({"id":"3","pk":"a","u":2})"),
        [](Services& services) {
            return status_of(services.replace(container_of(services, "c"),
                                              "1",
                                              R"({"id":"renamed","pk":"a","u":4})",
                                              keyed(R"(["a"])")));
        },
        [](Services& services) {
            return status_of(services.remove(container_of(services, "c"), "2", keyed(R"(["a"])")));
        },
        [](Services& services) -> Status {
            TRY(services.resources->replace_container(
                Asked(),
                {.database = "d", .container = "c"},
                model::testing_support::container_body(R"({"defaultTtl":1000})").text()));
            return {};
        },
        create_container("e"),
        upsert_script("e", R"({"id":"p","body":"three"})"),
        replace_offer("50000"),
        replace_offer("500"),
        create_item("e", R"({"id":"1","pk":"a"})"),
        create_item("e", R"({"id":"1","pk":"b"})"),
        [](Services& services) {
            return services.resources->remove_container(Asked(),
                                                        {.database = "d", .container = "e"});
        },
        [](Services& services) { return services.drop_removed(); },
        create_item("c", R"({"id":"last","pk":"b","u":9})"),
    };
}

// Everything visible to a client.
std::string described(Services& services) {
    std::string out = must(services.resources->list_databases(Asked(), nullptr)).elements + "\n" +
                      must(services.offers->list(Asked(), nullptr)).elements + "\n";
    for (const catalog::ContainerPtr& container : services.catalog->all_containers()) {
        out += catalog::encode(*container) + "\n";
        for (const auto& script : container->scripts.list(model::ScriptKind::kStoredProcedure)) {
            out += catalog::encode(*script) + "\n";
        }
        out += must(services.feed->read(Asked(), *container)).elements + "\n";
        const ContainerUsage usage = must(services.items->usage(*container));
        out += std::to_string(usage.item_count) + " items\n";
    }
    return out;
}

// A server whose storage can fail.
class Machine {
public:
    Status start() {
        services_.reset();
        services_ = std::make_unique<Services>(engine, clock_);
        return services_->start();
    }
    Services& services() { return *services_; }

    storage::MemoryEngine medium;
    storage::FaultyEngine engine{medium};

private:
    ManualClock clock_{std::chrono::seconds(1'700'000'000)};
    std::unique_ptr<Services> services_;
};

// The state after each step when nothing fails; the first is that of an empty server.
std::vector<std::string> expected_states(std::uint64_t& writes) {
    Machine machine;
    EXPECT_TRUE(machine.start());
    std::vector<std::string> states{described(machine.services())};
    for (const Step& step : workload()) {
        EXPECT_TRUE(step(machine.services()));
        states.push_back(described(machine.services()));
    }
    writes = machine.engine.writes();
    return states;
}

class FaultTest : public testing::TestWithParam<Fault> {
protected:
    void SetUp() override { states_ = expected_states(writes_); }

    // Runs the workload with the nth write failing, restarts the server, and continues.
    void run_with_failure_at(std::uint64_t nth) {
        SCOPED_TRACE("write " + std::to_string(nth));
        Machine machine;
        machine.engine.inject(GetParam(), nth);
        int failures = 0;
        while (!machine.start()) {
            ASSERT_EQ(++failures, 1);
            machine.engine.reopen();
        }
        const std::vector<Step> steps = workload();
        for (std::size_t i = 0; i < steps.size();) {
            const Status done = steps[i](machine.services());
            if (done) {
                ++i;
                continue;
            }
            ASSERT_EQ(done.error().code(), ErrorCode::kUnavailable) << done.error().message();
            ASSERT_EQ(++failures, 1);
            if (GetParam() == Fault::kFail) {
                EXPECT_EQ(described(machine.services()), states_[i]) << "without a restart";
            }
            ASSERT_NO_FATAL_FAILURE(restart(machine));
            i = check_state(described(machine.services()), i);
        }
        EXPECT_EQ(failures, 1);
        EXPECT_EQ(described(machine.services()), states_.back());
        ASSERT_NO_FATAL_FAILURE(restart(machine));
        EXPECT_EQ(described(machine.services()), states_.back());
        ASSERT_TRUE(machine.services().drop_removed());
        EXPECT_TRUE(machine.services().catalog->partitions_to_drop().empty());
    }

    void restart(Machine& machine) {
        if (machine.engine.crashed()) machine.engine.reopen();
        ASSERT_TRUE(machine.start());
        EXPECT_EQ(machine.services().problems(), "");
    }

    // The failed step must be undone or done entirely; returns the step to continue with.
    std::size_t check_state(const std::string& state, std::size_t failed) {
        // Dropping partitions is invisible to clients, so both states are equal there.
        const bool repeat =
            GetParam() != Fault::kCrashAfter || states_[failed] == states_[failed + 1];
        const std::size_t expected = repeat ? failed : failed + 1;
        EXPECT_EQ(state, states_[expected]) << "after step " << failed;
        return expected;
    }

    std::uint64_t writes_ = 0;
    std::vector<std::string> states_;
};

INSTANTIATE_TEST_SUITE_P(Faults,
                         FaultTest,
                         testing::Values(Fault::kFail, Fault::kCrashBefore, Fault::kCrashAfter));

TEST_P(FaultTest, EveryWriteOfTheWorkload) {
    ASSERT_GE(writes_, workload().size());
    for (std::uint64_t nth = 1; nth <= writes_; ++nth) {
        ASSERT_NO_FATAL_FAILURE(run_with_failure_at(nth));
        if (HasFailure()) return;
    }
}

}  // namespace fault_test
}  // namespace orrery::service
