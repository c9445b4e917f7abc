#include "service/batches.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "model/limits.h"
#include "service/test_support.h"
#include "storage/faulty_engine.h"

namespace orrery::service {
namespace batches_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::item;
using testing_support::must;
using testing_support::ServiceTest;
using Kind = model::BatchOperation::Kind;

model::BatchOperation put(Kind kind, std::string body) {
    model::BatchOperation operation;
    operation.kind = kind;
    operation.body = std::move(body);
    return operation;
}
model::BatchOperation create(std::string body) { return put(Kind::kCreate, std::move(body)); }
model::BatchOperation upsert(std::string body) { return put(Kind::kUpsert, std::move(body)); }

model::BatchOperation on(Kind kind, std::string id, std::optional<std::string> body = {}) {
    model::BatchOperation operation;
    operation.kind = kind;
    operation.id = std::move(id);
    operation.body = std::move(body);
    return operation;
}
model::BatchOperation read(std::string id) { return on(Kind::kRead, std::move(id)); }
model::BatchOperation remove(std::string id) { return on(Kind::kDelete, std::move(id)); }

model::BatchOperation with_key(model::BatchOperation operation, std::string key) {
    operation.partition_key = std::move(key);
    return operation;
}

std::vector<std::string> codes_of(const BatchOutcome& outcome) {
    if (!outcome) return {code_of(outcome)};
    std::vector<std::string> out;
    for (const BatchResult& result : *outcome) {
        out.push_back(code_of(result.answer));
    }
    return out;
}

std::string json_of(const Result<ItemAnswer>& answer) {
    return answer ? answer->record.substr(answer->json_offset) : answer.error().message();
}

class BatchesTest : public ServiceTest {
protected:
    BatchOutcome run(const std::vector<model::BatchOperation>& operations,
                     const Request& request,
                     const BatchOptions& options) {
        Asked asked(request);
        BatchOutcome outcome = wait_for<BatchOutcome>([&](const BatchCallback& done) {
            services_.batches->run(asked, container_, operations, options, done);
        });
        receipt_ = asked.context.receipt;
        return outcome;
    }
    BatchOutcome transact(const std::vector<model::BatchOperation>& operations,
                          Request request = {}) {
        request.partition_key = R"(["a"])";
        return run(operations, request, {.atomic = true, .continue_on_error = false});
    }
    BatchOutcome bulk(const std::vector<model::BatchOperation>& operations,
                      bool continue_on_error = true) {
        Request request;
        request.range_id = "0";
        return run(operations, request, {.atomic = false, .continue_on_error = continue_on_error});
    }
    std::vector<std::string> ids() {
        return testing_support::ids_of(must(services_.feed->read(Asked(), *container_)));
    }
    partition::Lsn lsn() { return must(services_.partitions->open(*container_, 0))->lsn(); }

    Receipt receipt_;  // of the last run
    catalog::ContainerPtr container_ = services_.container(
        R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]},"defaultTtl":-1})");
};

TEST_F(BatchesTest, OperationsSeeEarlierOnes) {
    const auto outcome =
        transact({create(R"({"id":"1","pk":"a","u":1,"n":1})"),
                  read("1"),
                  on(Kind::kPatch, "1", R"([{"op":"incr","path":"/n","value":1}])"),
                  on(Kind::kReplace, "1", R"({"id":"1","pk":"a","u":2})"),
                  upsert(R"({"id":"2","pk":"a","u":1})"),
                  upsert(R"({"id":"2","pk":"a","u":3})"),
                  create(R"({"id":"3","pk":"a","u":1})"),
                  remove("3"),
                  read("2")});
    ASSERT_TRUE(outcome);
    EXPECT_THAT(codes_of(outcome),
                ElementsAre("ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok", "ok"));
    const auto& results = *outcome;
    EXPECT_EQ(results[0].answer->kind, ItemAnswer::Kind::kCreated);
    EXPECT_THAT(json_of(results[1].answer), HasSubstr(R"("n":1)"));
    EXPECT_THAT(json_of(results[2].answer), HasSubstr(R"("n":2)"));
    EXPECT_EQ(results[4].answer->kind, ItemAnswer::Kind::kCreated);
    EXPECT_EQ(results[5].answer->kind, ItemAnswer::Kind::kReplaced);
    EXPECT_EQ(results[7].answer->kind, ItemAnswer::Kind::kRemoved);
    EXPECT_THAT(json_of(results[8].answer), HasSubstr(R"("u":3)"));
    EXPECT_THAT(ids(), ElementsAre("1", "2"));
    EXPECT_EQ(services_.problems(), "");
}

TEST_F(BatchesTest, TransactionHasOneLsnAndManyEtags) {
    const auto outcome = transact({create(item("1", "a", R"(,"u":1)")),
                                   create(item("2", "a", R"(,"u":2)")),
                                   upsert(item("1", "a", R"(,"u":3)"))});
    ASSERT_TRUE(outcome);
    const auto& results = *outcome;
    EXPECT_EQ(receipt_.position->lsn, 1);
    EXPECT_EQ(results[2].answer->item_lsn, 1);
    EXPECT_NE(results[0].answer->etag, results[1].answer->etag);
    EXPECT_NE(results[0].answer->etag, results[2].answer->etag);
    EXPECT_EQ(services_.create(container_, item("3", "a", R"(,"u":4)")).answer->item_lsn, 2);
    EXPECT_EQ(services_.problems(), "");
}

TEST_F(BatchesTest, OneFailureRollsBackATransaction) {
    ASSERT_TRUE(services_.create(container_, item("taken", "a")).answer);
    const auto outcome = transact({create(item("1", "a", R"(,"u":1)")),
                                   remove("taken"),
                                   create(item("2", "a", R"(,"u":1)")),
                                   create("not even JSON")});
    EXPECT_THAT(codes_of(outcome), ElementsAre("424", "424", "409/3301", "424"));
    EXPECT_THAT(ids(), ElementsAre("taken"));
    EXPECT_EQ(lsn(), 1);
    EXPECT_EQ(services_.problems(), "");
    // Nothing of it affects later writes.
    EXPECT_THAT(codes_of(transact({create(item("1", "a", R"(,"u":1)"))})), ElementsAre("ok"));
}

TEST_F(BatchesTest, EveryKindOfFailure) {
    ASSERT_TRUE(services_.create(container_, item("1", "a")).answer);
    const auto failure = [&](model::BatchOperation operation) {
        return codes_of(transact({std::move(operation)})).front();
    };
    EXPECT_EQ(failure(create(item("1", "a"))), "409");
    EXPECT_EQ(failure(read("none")), "404");
    EXPECT_EQ(failure(remove("none")), "404");
    EXPECT_EQ(failure(on(Kind::kReplace, "none", item("none", "a"))), "404");
    EXPECT_EQ(failure(create(item("2", "b"))), "400/1001");
    EXPECT_EQ(failure(with_key(read("1"), R"(["b"])")), "400");
    EXPECT_EQ(failure(with_key(read("1"), R"([ "a" ])")), "ok");
    EXPECT_EQ(failure(put(Kind::kRead, "")), "400");
    EXPECT_EQ(failure(create("")), "400");
    model::BatchOperation stale = remove("1");
    stale.if_match = "\"other\"";
    EXPECT_EQ(failure(stale), "412");
    model::BatchOperation strange = create(item("2", "a"));
    strange.indexing_directive = "Perhaps";
    EXPECT_EQ(failure(strange), "400");
}

TEST_F(BatchesTest, ReadsMayBeConditional) {
    const auto created = services_.create(container_, item("1", "a"));
    model::BatchOperation known = read("1");
    known.if_none_match = created.answer->etag;
    const auto outcome = transact({known, read("1")});
    EXPECT_EQ((*outcome)[0].answer->kind, ItemAnswer::Kind::kNotModified);
    EXPECT_EQ(json_of((*outcome)[0].answer), "");
    EXPECT_EQ((*outcome)[1].answer->kind, ItemAnswer::Kind::kRead);
}

TEST_F(BatchesTest, MinimalReturnOmitsBodies) {
    model::BatchOperation quiet = create(item("1", "a"));
    quiet.minimal_return = true;
    const auto outcome = transact({quiet});
    EXPECT_EQ(json_of((*outcome)[0].answer), "");
    EXPECT_FALSE((*outcome)[0].answer->etag.empty());
}

TEST_F(BatchesTest, RefusedAsAWhole) {
    const std::vector<model::BatchOperation> many(model::limits::kBatchOperationsMax + 1,
                                                  read("1"));
    EXPECT_THAT(codes_of(transact(many)), ElementsAre("400"));
    EXPECT_THAT(codes_of(transact({})), ElementsAre("400"));
    EXPECT_THAT(codes_of(run({read("1")}, {}, {})), ElementsAre("400"));
    EXPECT_THAT(codes_of(run({read("1")}, {}, {.atomic = false, .continue_on_error = true})),
                ElementsAre("400"));
    Request gone;
    gone.range_id = "7";
    EXPECT_THAT(codes_of(run({read("1")}, gone, {.atomic = false, .continue_on_error = true})),
                ElementsAre("410/1002"));
    Request ahead;
    ahead.session_token = "0:-1#99";
    EXPECT_THAT(codes_of(transact({read("1")}, ahead)), ElementsAre("404/1002"));
    Request other;
    other.intended_container_rid = "AAAA";
    EXPECT_THAT(codes_of(transact({read("1")}, other)), ElementsAre("400/1024"));
}

TEST_F(BatchesTest, BulkOperationsFailIndependently) {
    const auto outcome = bulk({create(item("1", "a")),
                               with_key(read("none"), R"(["a"])"),
                               create(item("1", "a")),
                               with_key(create(item("2", "b")), R"(["c"])"),
                               create(item("3", "c")),
                               read("1")});
    EXPECT_THAT(codes_of(outcome), ElementsAre("ok", "404", "409", "400/1001", "ok", "400"));
    EXPECT_THAT(ids(), ElementsAre("1", "3"));
    EXPECT_EQ(lsn(), 2);
    EXPECT_EQ(services_.problems(), "");
}

TEST_F(BatchesTest, BulkMayStopAtAFailure) {
    const auto outcome =
        bulk({create(item("1", "a")), create(item("1", "a")), create(item("2", "b"))}, false);
    EXPECT_THAT(codes_of(outcome), ElementsAre("ok", "409", "424"));
    EXPECT_THAT(ids(), ElementsAre("1"));
}

TEST_F(BatchesTest, OperationOnAnotherRangeIsGone) {
    container_ = services_.container(R"({"id":"wide"})", 7);
    std::vector<model::BatchOperation> operations;
    for (int i = 0; i < 50; ++i) {
        operations.push_back(create(item("1", "key " + std::to_string(i))));
    }
    const auto outcome = bulk(operations);
    const auto codes = codes_of(outcome);
    const auto done = static_cast<std::size_t>(std::count(codes.begin(), codes.end(), "ok"));
    EXPECT_GT(done, 0u);
    EXPECT_EQ(std::count(codes.begin(), codes.end(), "410/1002"),
              static_cast<std::ptrdiff_t>(50 - done));
    EXPECT_EQ(ids().size(), done);
}

TEST_F(BatchesTest, ResultsThatDoNotFit) {
    const std::string mega = R"(,"u":1,"s":")" + std::string(1'500'000, 'x') + "\"";
    ASSERT_TRUE(services_.create(container_, item("1", "a", mega)).answer);
    const auto read_a = with_key(read("1"), R"(["a"])");
    const auto parts =
        bulk({read_a, read_a, read_a, with_key(remove("1"), R"(["a"])"), create(item("2", "b"))});
    EXPECT_THAT(codes_of(parts), ElementsAre("ok", "ok", "413/3402", "413/3402", "413/3402"));
    EXPECT_THAT(ids(), ElementsAre("1"));

    const auto whole = transact({create(item("2", "a")), read("1"), read("1"), read("1")});
    EXPECT_THAT(codes_of(whole), ElementsAre("424", "424", "424", "413/3402"));
    EXPECT_THAT(ids(), ElementsAre("1"));
}

TEST_F(BatchesTest, FailedCommitFailsTheWholeRequest) {
    storage::FaultyEngine faulty(engine_);
    testing_support::Services services(faulty, clock_);
    ASSERT_TRUE(services.start());
    const auto container = services.container(R"({"id":"faulty"})");
    ASSERT_TRUE(services.create(container, item("0", "a")).answer);
    for (const bool atomic : {true, false}) {
        faulty.inject(storage::Fault::kFail, 1);
        Request request;
        request.partition_key = R"(["a"])";
        Asked asked(request);
        const auto given = wait_for<BatchOutcome>([&](const BatchCallback& done) {
            services.batches->run(asked,
                                  container,
                                  {create(item("1", "a")), create(item("1", "a"))},
                                  {.atomic = atomic, .continue_on_error = true},
                                  done);
        });
        // A refused transaction writes nothing, so nothing can fail.
        EXPECT_EQ(
            codes_of(given),
            atomic ? std::vector<std::string>({"424", "409"}) : std::vector<std::string>({"503"}));
        faulty.clear();
    }
    EXPECT_EQ(must(services.feed->read(Asked(), *container)).count, 1U);
    EXPECT_EQ(services.problems(), "");
}

}  // namespace batches_test
}  // namespace orrery::service
