// Random writes, reads, feeds, expiry, index lookups, policy changes and restarts of a partition,
// checked against a small model. Set ORRERY_TEST_SEED=n for another seed.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "partition/expiry.h"
#include "partition/feed.h"
#include "partition/index_reader.h"
#include "partition/item_json.h"
#include "partition/test_model.h"
#include "partition/test_support.h"
#include "storage/engine_test_support.h"
#include "storage/rocksdb/rocks_engine.h"

namespace orrery::partition {
namespace partition_model_test {

using storage::testing_support::test_seed;
using testing_support::Address;
using testing_support::ContainerUnderTest;
using testing_support::expect_sound;
using testing_support::identity;
using testing_support::item;
using testing_support::kStartSecond;
using testing_support::Model;
using testing_support::ModelItem;
using testing_support::must;
using testing_support::run;

// Where the data is stored; reopen() keeps only the data.
struct Medium {
    virtual ~Medium() = default;
    virtual storage::Engine& engine() = 0;
    virtual void reopen() = 0;
};

struct MemoryMedium final : Medium {
    storage::Engine& engine() override { return memory; }
    void reopen() override {}
    storage::MemoryEngine memory;
};

struct RocksMedium final : Medium {
    RocksMedium() { open(true); }
    storage::Engine& engine() override { return *rocks; }
    void reopen() override {
        rocks.reset();
        open(false);
    }
    void open(bool create) {
        rocks = must(
            storage::open_shared_rocks({.path = "/model", .create = create, .file_system = files}));
    }
    decltype(storage::make_memory_file_system()) files = storage::make_memory_file_system();
    std::unique_ptr<storage::Engine> rocks;
};

class Trial {
public:
    Trial(Medium& medium, unsigned seed) : medium_(medium), random_(seed) { open(); }

    void step() {
        switch (random_() % 12) {
            case 0:
            case 1:
                return create();
            case 2:
            case 3:
                return upsert();
            case 4:
            case 5:
                return replace();
            case 6:
                return remove();
            case 7:
            case 8:
                return read();
            case 9:
                return random_() % 2 == 0 ? feed() : look_up();
            case 10:
                clock_.advance(std::chrono::seconds(random_() % 3));
                return;
            default:
                return seldom();
        }
    }
    void finish() {
        sweep();
        reopen();
        while (partition_->index_view()->work_left) {
            advance_index();
        }
        feed();
        look_up();
        expect_sound(*store_);
        EXPECT_EQ(partition_->item_count(), model_.feed(nullptr, now()).size());
        partition_->close();
    }

private:
    void open() {
        executors_ = std::make_unique<ThreadPool>(1);
        store_ = must(medium_.engine().open(identity().storage_id));
        partition_ = must(Partition::open(
            identity(), store_, {.executors = *executors_, .clock = clock_}, container_.policy()));
        EXPECT_EQ(partition_->lsn(), last_lsn_) << "after a reopen";
    }
    void reopen() {
        partition_->close();
        executors_.reset();  // holds the last reference to the partition
        partition_.reset();
        store_.reset();
        medium_.reopen();
        open();
    }
    void seldom() {
        switch (random_() % 12) {
            case 0:
                return reopen();
            case 8:
                return change_policy();
            case 9:
            case 10:
            case 11:
                return advance_index();
            case 1: {
                sweep();  // expired items must not reappear under another default
                const std::optional<std::int32_t> defaults[] = {std::nullopt, -1, 3, 30};
                model_.default_ttl = defaults[random_() % 4];
                return;
            }
            case 2:
            case 3:
                return sweep();
            default:
                return expect_sound(*store_);
        }
    }

    std::int64_t now() const { return clock_.now_seconds(); }
    Address random_address() {
        return {.key = std::string(1, static_cast<char>('a' + random_() % 3)),
                .id = std::to_string(random_() % 6)};
    }
    ModelItem random_item() {
        ModelItem out;
        out.unique = static_cast<int>(random_() % 12);
        out.value = static_cast<int>(random_() % 1'000'000);
        if (random_() % 4 == 0)
            out.ttl = random_() % 4 == 0 ? -1 : static_cast<int>(random_() % 9) + 1;
        const char* more[] = {"",
                              R"(,"s":"text")",
                              R"(,"s":null,"a":[1,[2,{"x":true}],"text",1])",
                              R"(,"o":{"p":{"q":[]},"r":-1.5e300},"s":"other")",
                              R"(,"o":{"p":9007199254740993,"\u0072":"\ud83d\ude00"})"};
        out.more = more[random_() % std::size(more)];
        if (random_() % 8 == 0) out.more += ",\"k" + std::to_string(random_() % 50) + "\":1";
        constexpr IndexingDirective kDirectives[] = {IndexingDirective::kDefault,
                                                     IndexingDirective::kDefault,
                                                     IndexingDirective::kDefault,
                                                     IndexingDirective::kInclude,
                                                     IndexingDirective::kExclude};
        out.directive = kDirectives[random_() % std::size(kDirectives)];
        return out;
    }
    std::string json(const Address& address, const ModelItem& wanted) const {
        std::string rest =
            ",\"u\":" + std::to_string(wanted.unique) + ",\"n\":" + std::to_string(wanted.value);
        if (wanted.ttl != 0) rest += ",\"ttl\":" + std::to_string(wanted.ttl);
        rest += wanted.more;
        return item(address.id, address.key, rest);
    }
    // Nothing, the item's etag, or an outdated or wrong one.
    std::optional<std::string> random_etag(const ModelItem* existing) {
        switch (random_() % 4) {
            case 0:
                return existing != nullptr ? existing->etag : "\"none\"";
            case 1:
                return "\"00000000-0001-0007-0000-000000000000\"";
            default:
                return std::nullopt;
        }
    }
    WriteRules rules(const ModelItem& wanted,
                     const std::optional<std::string>& etag = std::nullopt) const {
        return {.default_ttl = model_.default_ttl, .if_match = etag, .indexing = wanted.directive};
    }

    // The service's answer according to the model.
    ErrorCode expected_write(const ModelItem* existing,
                             const Address& to,
                             const ModelItem& wanted,
                             const std::optional<std::string>& etag) {
        if (existing != nullptr && etag && *etag != existing->etag) {
            return ErrorCode::kPreconditionFailed;
        }
        return model_.unique_taken(to, wanted.unique, now()) ? ErrorCode::kConflict : kDone;
    }
    // Runs the write, compares the outcome and updates the model.
    void write(
        const Address& from,
        const Address& to,
        ModelItem wanted,
        ErrorCode expected,
        const std::function<Result<WrittenItem>(ItemWriter&, const model::ItemBody&)>& apply) {
        const model::ItemBody body = container_.body(json(to, wanted));
        const bool existed = model_.find(from, now()) != nullptr;
        std::optional<WrittenItem> written;
        const Status outcome = run(*partition_, [&](ItemWriter& writer) -> Status {
            written = TRY(apply(writer, body));
            return {};
        });
        ASSERT_EQ(outcome ? kDone : outcome.error().code(), expected);
        check_lsn(static_cast<bool>(outcome));
        if (!outcome) return;
        EXPECT_EQ(written->created, !existed);
        wanted.etag = item_etag(identity(), written->item.header());
        model_.write(from, to, std::move(wanted), now());
    }
    void check_lsn(bool changed) {
        if (changed) {
            EXPECT_GT(partition_->lsn(), last_lsn_);
        } else {
            EXPECT_EQ(partition_->lsn(), last_lsn_);
        }
        last_lsn_ = partition_->lsn();
    }

    void create() {
        const Address to = random_address();
        const ModelItem wanted = random_item();
        const ErrorCode expected = model_.find(to, now()) != nullptr
                                       ? ErrorCode::kConflict
                                       : expected_write(nullptr, to, wanted, std::nullopt);
        write(to, to, wanted, expected, [&](ItemWriter& writer, const model::ItemBody& body) {
            return writer.create(body, container_.epk({to.key}), rules(wanted));
        });
    }
    void upsert() {
        const Address to = random_address();
        const ModelItem wanted = random_item();
        const ModelItem* existing = model_.find(to, now());
        const auto etag = random_etag(existing);
        write(to,
              to,
              wanted,
              expected_write(existing, to, wanted, etag),
              [&](ItemWriter& writer, const model::ItemBody& body) {
                  return writer.upsert(body, container_.epk({to.key}), rules(wanted, etag));
              });
    }
    void replace() {
        const Address from = random_address();
        Address to = from;
        if (random_() % 3 == 0) to.id = random_address().id;
        const ModelItem wanted = random_item();
        const ModelItem* existing = model_.find(from, now());
        const auto etag = random_etag(existing);
        write(from,
              to,
              wanted,
              expected_replace(from, to, wanted, etag),
              [&](ItemWriter& writer, const model::ItemBody& body) {
                  return writer.replace(
                      container_.ref({from.key}, from.id), body, rules(wanted, etag));
              });
    }
    ErrorCode expected_replace(const Address& from,
                               const Address& to,
                               const ModelItem& wanted,
                               const std::optional<std::string>& etag) {
        const ModelItem* existing = model_.find(from, now());
        if (existing == nullptr) return ErrorCode::kNotFound;
        if (etag && *etag != existing->etag) return ErrorCode::kPreconditionFailed;
        if (from.id != to.id && model_.find(to, now()) != nullptr) return ErrorCode::kConflict;
        return model_.unique_taken(from, wanted.unique, now()) ? ErrorCode::kConflict : kDone;
    }
    void remove() {
        const Address address = random_address();
        const ModelItem* existing = model_.find(address, now());
        const auto etag = random_etag(existing);
        const Status outcome = run(*partition_, [&](ItemWriter& writer) -> Status {
            TRY(writer.remove(container_.ref({address.key}, address.id), rules({}, etag)));
            return {};
        });
        const bool wrong_etag = existing != nullptr && etag && *etag != existing->etag;
        ASSERT_EQ(outcome ? kDone : outcome.error().code(),
                  existing == nullptr ? ErrorCode::kNotFound
                  : wrong_etag        ? ErrorCode::kPreconditionFailed
                                      : kDone);
        check_lsn(static_cast<bool>(outcome));
        if (outcome) model_.erase(address);
    }

    void read() {
        const Address address = random_address();
        const ModelItem* expected = model_.find(address, now());
        const auto found =
            must(partition_->read(container_.ref({address.key}, address.id), model_.default_ttl));
        ASSERT_EQ(found.has_value(), expected != nullptr);
        if (!found) return;
        EXPECT_EQ(item_etag(identity(), found->header()), expected->etag);
        const json::Value json = model::testing_support::parsed(found->json());
        EXPECT_EQ(json.find("n")->integer(), expected->value);
        EXPECT_EQ(json.find("_ts")->integer(), expected->timestamp);
    }
    void feed() {
        const std::string key(1, static_cast<char>('a' + random_() % 3));
        FeedRequest wanted{.scope = {},
                           .resume = {},
                           .items_max = 1 + random_() % 5,
                           .bytes_max = random_() % 4 == 0 ? 1U : 1'000'000U,
                           .at_least_one = true,
                           .default_ttl = model_.default_ttl};
        const bool one_key = random_() % 2 == 0;
        if (one_key) wanted.scope.partition_key = container_.ref({key}, "");
        std::vector<std::string> found;
        for (;;) {
            const FeedPage page = must(read_feed(*partition_, wanted));
            const json::Value items = model::testing_support::parsed("[" + page.items + "]");
            for (const json::Value& one : items.array()) {
                found.push_back(one.find("id")->string() + "=" + one.find("n")->text());
            }
            if (!page.resume) break;
            wanted.resume = *page.resume;
        }
        EXPECT_EQ(found, model_.feed(one_key ? &key : nullptr, now()));
    }
    void look_up() {
        const int limit = static_cast<int>(random_() % 1'000'000);
        const auto view = partition_->index_view();
        const auto snapshot = partition_->store().snapshot();
        const IndexReader index = must(IndexReader::open(*partition_, view, snapshot));
        const IndexReader::Path path = must(index.find({{.name = "n", .element = false}}));
        if (path.state == IndexReader::PathState::kUnusable) return;
        std::vector<std::string> found;
        const auto add = [&](Docnum docnum) {
            std::string record;
            ASSERT_TRUE(must(snapshot->get(item_key(docnum), record))) << "no item " << docnum;
            const StoredItem item = must(StoredItem::decode(docnum, std::move(record)));
            if (Expiry{model_.default_ttl, now()}.expired(item.header())) return;
            const json::Value value = model::testing_support::parsed(item.json());
            if (value.find("n")->integer() <= limit) found.emplace_back(item.id());
        };
        std::string encoded;
        index::encode_number(encoded, limit);
        if (path.state == IndexReader::PathState::kListed) {
            const auto terms = index.terms(path.id, index::at_most(encoded), false);
            for (; terms->valid(); terms->next()) {
                add(terms->docnum());
            }
        }
        const auto others = index.unindexed();
        for (; others->valid(); others->next()) {
            add(others->docnum());
        }
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, model_.with_at_most(limit, now()));
    }
    void change_policy() {
        const char* policies[] = {
            "{}",
            R"({"indexingMode":"none"})",
            R"({"automatic":false})",
            R"({"includedPaths":[{"path":"/n/?"}],"excludedPaths":[{"path":"/*"}]})",
            R"({"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/o/*"}],
                "compositeIndexes":[[{"path":"/n"},{"path":"/s","order":"descending"}]]})"};
        container_ = ContainerUnderTest(
            std::string(
                R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]},"indexingPolicy":)") +
            policies[random_() % std::size(policies)] + "}");
        // Sometimes the partition learns of it only when it is next opened.
        if (random_() % 4 == 0) return reopen();
        ASSERT_TRUE(run(*partition_, [&](ItemWriter& writer) {
            return writer.adopt_policy(container_.policy());
        }));
    }
    void advance_index() {
        const IndexStep step{.items = 1 + random_() % 3, .bytes = 1'000'000, .keys_removed = 20};
        const Status done =
            run(*partition_, [&](ItemWriter& writer) { return writer.advance_index(step); });
        ASSERT_TRUE(done) << done.error().message();
    }
    void sweep() {
        if (model_.default_ttl) {
            for (int round = 0;; ++round) {
                ASSERT_LT(round, 100) << "found items were not removed";
                auto found = must(find_expired(*partition_, *model_.default_ttl, 3, position_));
                if (found.empty()) break;
                std::promise<void> done;
                partition_->submit(make_expire_task(
                    std::move(found), *model_.default_ttl, [&](bool) { done.set_value(); }));
                done.get_future().wait();
            }
        }
        model_.forget_expired(now());
        last_lsn_ = partition_->lsn();
        EXPECT_EQ(partition_->item_count(), model_.feed(nullptr, now()).size());
    }

    // Means "no error", so that outcomes can be compared as codes.
    static constexpr ErrorCode kDone = static_cast<ErrorCode>(255);

    Medium& medium_;
    std::mt19937 random_;
    ManualClock clock_{std::chrono::seconds(kStartSecond)};
    ContainerUnderTest container_{R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}})"};
    Model model_;
    SweepPosition position_;
    Lsn last_lsn_ = 0;
    std::unique_ptr<ThreadPool> executors_;
    std::shared_ptr<storage::PartitionStore> store_;
    std::shared_ptr<Partition> partition_;
};

template <typename MediumType>
void try_seeds(int seeds, int steps) {
    for (int i = 0; i < seeds; ++i) {
        const unsigned seed = test_seed() + static_cast<unsigned>(i);
        SCOPED_TRACE("ORRERY_TEST_SEED=" + std::to_string(seed));
        MediumType medium;
        Trial trial(medium, seed);
        for (int step = 0; step < steps; ++step) {
            trial.step();
            if (testing::Test::HasFailure()) FAIL() << "at step " << step;
        }
        trial.finish();
        if (testing::Test::HasFailure()) return;
    }
}

TEST(PartitionModel, OnMemory) { try_seeds<MemoryMedium>(3, 2000); }

TEST(PartitionModel, OnRocks) { try_seeds<RocksMedium>(2, 1500); }

}  // namespace partition_model_test
}  // namespace orrery::partition
