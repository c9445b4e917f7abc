#include "partition/verify.h"

#include <gmock/gmock.h>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "index/path_tree.h"
#include "partition/index_keys.h"
#include "partition/test_support.h"
#include "storage/engine_test_support.h"

namespace orrery::partition {
namespace verify_test {

using storage::testing_support::put;
using storage::testing_support::test_seed;
using storage::testing_support::value_of;
using testing::HasSubstr;
using testing_support::expect_sound;
using testing_support::item;
using testing_support::joined;
using testing_support::must;
using testing_support::PartitionBench;

class Verify : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(bench_.create(item("1", "a", R"(,"ttl":60,"u":1)")));
        ASSERT_TRUE(bench_.create(item("2", "a", R"(,"u":2)")));
        expect_sound(bench_.store());
        first_ = must(bench_.partition->read(bench_.container.ref({"a"}, "1"), 1));
    }
    void put_entry(const std::string& key, const std::string& value) {
        put(bench_.store(), key, value);
    }
    void remove_entry(const std::string& key) {
        ASSERT_TRUE(value_of(bench_.store(), key)) << "the damaged key must exist";
        storage::WriteBatch batch;
        batch.remove(key);
        ASSERT_TRUE(bench_.store().commit(batch));
    }
    std::string problems() { return joined(must(verify(bench_.store())).problems); }

    State state() { return must(State::decode(*value_of(bench_.store(), state_key()))); }

    const std::string epk_ = testing_support::ContainerUnderTest().epk({"a"});
    PartitionBench bench_{
        R"({"defaultTtl":-1,"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}})"};
    std::optional<StoredItem> first_;
};

TEST_F(Verify, AnEmptyStoreIsSound) {
    const auto result = must(verify(*must(bench_.engine.open(99))));
    EXPECT_EQ(result.items, 0U);
    EXPECT_TRUE(result.problems.empty());
}

TEST_F(Verify, CountsTheItems) { EXPECT_EQ(must(verify(bench_.store())).items, 2U); }

TEST_F(Verify, FindsAMissingIdEntry) {
    remove_entry(id_key(epk_, "1"));
    EXPECT_THAT(problems(), HasSubstr("its id entry is missing"));
}

TEST_F(Verify, FindsAnIdEntryOfAnotherItem) {
    put_entry(id_key(epk_, "1"), docnum_value(first_->docnum() + 1));
    EXPECT_THAT(problems(), HasSubstr("its id entry is missing or wrong"));
}

TEST_F(Verify, FindsAMissingMemberEntry) {
    remove_entry(member_key(epk_, first_->docnum()));
    EXPECT_THAT(problems(), HasSubstr("its member entry is missing"));
}

TEST_F(Verify, FindsAMissingLogEntry) {
    remove_entry(log_key_of(first_->header(), first_->docnum()));
    EXPECT_THAT(problems(), HasSubstr("its log entry is missing"));
}

TEST_F(Verify, FindsAMissingExpiryEntry) {
    remove_entry(expiry_key(first_->header().timestamp + 60, first_->docnum()));
    EXPECT_THAT(problems(), HasSubstr("its expiry entry is missing"));
}

TEST_F(Verify, FindsAMissingUniqueEntry) {
    remove_entry(unique_key(epk_, 0, first_->unique_digest(0)));
    EXPECT_THAT(problems(), HasSubstr("its unique key entry is missing"));
}

TEST_F(Verify, FindsStrayEntries) {
    put_entry(id_key(epk_, "ghost"), docnum_value(first_->docnum()));
    EXPECT_THAT(problems(), HasSubstr("3 entries 'K'"));
    EXPECT_THAT(problems(), HasSubstr("it has no such entry '4B"));
    put_entry(member_key(epk_, 99), "");
    EXPECT_THAT(problems(), HasSubstr("3 entries 'P'"));
    put_entry(log_key({.lsn = 99, .ordinal = 0, .docnum = 99}), "");
    EXPECT_THAT(problems(), HasSubstr("3 entries 'L'"));
    put_entry(expiry_key(99, 99), "");
    EXPECT_THAT(problems(), HasSubstr("2 entries 'T'"));
    put_entry(unique_key(epk_, 0, std::string(16, 'x')), docnum_value(first_->docnum()));
    EXPECT_THAT(problems(), HasSubstr("3 entries 'U'"));
}

TEST_F(Verify, FindsAMissingItem) {
    remove_entry(item_key(first_->docnum()));
    const std::string found = problems();
    for (const char* what : {"'K'", "'P'", "'L'", "'T'", "'U'", "the counters say 2 items"}) {
        EXPECT_THAT(found, HasSubstr(what));
    }
}

TEST_F(Verify, FindsADamagedRecord) {
    put_entry(item_key(first_->docnum()), "nonsense");
    EXPECT_THAT(problems(), HasSubstr("has an invalid record header"));
}

TEST_F(Verify, FindsAnItemWithoutANumber) {
    put_entry("Dshort", first_->record());
    EXPECT_THAT(problems(), HasSubstr("a key is too short"));
}

TEST_F(Verify, FindsDamagedJson) {
    std::string record = first_->record();
    record.back() = ']';
    put_entry(item_key(first_->docnum()), record);
    EXPECT_THAT(problems(), HasSubstr("its JSON is damaged"));
}

TEST_F(Verify, FindsJsonOfAnotherItem) {
    std::string record = first_->record();
    record[first_->json_offset() + std::string_view(R"({"id":")").size()] = '7';
    put_entry(item_key(first_->docnum()), record);
    EXPECT_THAT(problems(), HasSubstr("another id"));
}

TEST_F(Verify, FindsWrongCounters) {
    State wrong = state();
    ++wrong.item_count;
    put_entry(state_key(), wrong.encode());
    EXPECT_THAT(problems(), HasSubstr("the counters say 3 items"));
    wrong = state();
    --wrong.item_count;
    --wrong.item_bytes;
    put_entry(state_key(), wrong.encode());
    EXPECT_THAT(problems(), HasSubstr("the counters say"));
}

TEST_F(Verify, FindsCountersThatDecreased) {
    State wrong = state();
    wrong.lsn = 1;
    put_entry(state_key(), wrong.encode());
    EXPECT_THAT(problems(), HasSubstr("newer than the partition's counters"));
    wrong.lsn = 2;
    --wrong.last_timestamp;
    put_entry(state_key(), wrong.encode());
    EXPECT_THAT(problems(), HasSubstr("newer than the partition's counters"));
}

TEST_F(Verify, FindsMissingAndDamagedCounters) {
    remove_entry(state_key());
    EXPECT_THAT(problems(), HasSubstr("the counters say 0 items"));
    put_entry(state_key(), "short");
    EXPECT_THAT(problems(), HasSubstr("counters of a partition are damaged"));
}

TEST_F(Verify, FindsMissingAndStrayIndexEntries) {
    std::vector<std::string> entries;
    for (const char letter : {'I', 'S'}) {
        for (const auto& [key, value] : storage::testing_support::entries(
                 bench_.store(), all_of(letter), storage::Direction::kForward)) {
            entries.push_back(key);
        }
    }
    ASSERT_EQ(entries.size(), 11U);  // id pk u _ts and a shape each, and one ttl
    for (const std::string& key : entries) {
        remove_entry(key);
        EXPECT_THAT(problems(), HasSubstr("index entries are missing"));
        put_entry(key, "");
        expect_sound(bench_.store());
        std::string stray = key;
        stray.back() = static_cast<char>(stray.back() + 60);
        put_entry(stray, "");
        EXPECT_THAT(problems(), HasSubstr("but the items account for"));
        remove_entry(stray);
    }
    put_entry("I\x07x", "");
    EXPECT_THAT(problems(), HasSubstr("of an unknown generation"));
}

TEST_F(Verify, FindsADictionaryThatLacksAPath) {
    remove_entry(path_name_key(1, index::encode_path({{"ttl", false}})));
    EXPECT_THAT(problems(), HasSubstr("index cannot be read"));
}

TEST_F(Verify, ItemsNeedAnIndex) {
    remove_entry(index_state_key());
    EXPECT_THAT(problems(), HasSubstr("there is no index"));
}

TEST_F(Verify, LimitsTheNumberOfProblems) {
    for (Docnum docnum = 1000; docnum < 1200; ++docnum) {
        put_entry(item_key(docnum), "nonsense");
    }
    EXPECT_EQ(must(verify(bench_.store())).problems.size(), 100U);
}

TEST_F(Verify, IsSoundAfterRandomWrites) {
    std::mt19937 random(test_seed());
    for (int i = 0; i < 500; ++i) {
        const std::string id = std::to_string(random() % 8);
        const std::string key(1, static_cast<char>('a' + random() % 2));
        std::string rest = ",\"u\":" + std::to_string(random() % 6);
        if (random() % 3 == 0) rest += ",\"ttl\":" + std::to_string(1 + random() % 20);
        switch (random() % 4) {
            case 0:
                (void)static_cast<bool>(bench_.create(item(id, key, rest)));
                break;
            case 1:
                (void)static_cast<bool>(bench_.remove({key}, id));
                break;
            default:
                (void)static_cast<bool>(bench_.upsert(item(id, key, rest)));
        }
        bench_.clock.advance(std::chrono::seconds(random() % 3));
    }
    expect_sound(bench_.store());
}

}  // namespace verify_test
}  // namespace orrery::partition
