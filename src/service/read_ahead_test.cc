#include "service/read_ahead.h"

#include <future>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/test_support.h"

namespace orrery::service {
namespace read_ahead_test {

using testing_support::must;

// Items `first` to `last` with JSON of this size, then optionally an error.
class MadeItems : public sql::ItemCursor {
public:
    MadeItems(sql::ItemNumber first, sql::ItemNumber last, std::size_t size, bool fails)
        : next_(first), last_(last), size_(size), fails_(fails) {}

    Result<const sql::Item*> next() override {
        if (next_ > last_) {
            if (fails_) return Error(ErrorCode::kCorrupted, "no more");
            return static_cast<const sql::Item*>(nullptr);
        }
        text_ = fmt::format("{:{}}", next_, size_);
        item_ = {.number = next_++, .json = text_};
        return static_cast<const sql::Item*>(&item_);
    }

private:
    sql::ItemNumber next_;
    sql::ItemNumber last_;
    std::size_t size_;
    bool fails_;
    std::string text_;
    sql::Item item_;
};

OpenItems made(sql::ItemNumber first,
               sql::ItemNumber last,
               std::size_t size = 100,
               bool fails = false) {
    return [=] { return std::make_unique<MadeItems>(first, last, size, fails); };
}

// Reads to the end; checks that each item has its own JSON and that numbers ascend.
std::size_t take_all(sql::ItemCursor& cursor) {
    std::size_t count = 0;
    sql::ItemNumber last = 0;
    while (const sql::Item* item = must(cursor.next())) {
        if (item->is_hidden()) continue;
        EXPECT_GT(item->number, last);
        EXPECT_EQ(std::stoull(std::string(item->json)), item->number);
        last = item->number;
        ++count;
    }
    return count;
}

TEST(ReadAhead, ReturnsPartsInOrder) {
    ThreadPool readers(3);
    // More than is read ahead, in chunks and in parts.
    std::vector<OpenItems> parts;
    for (sql::ItemNumber part = 0; part < 20; ++part) {
        parts.push_back(made(part * 10'000 + 1, part * 10'000 + (part % 3) * 5'000));
    }
    const auto cursor = read_ahead(readers, std::move(parts), 0);
    EXPECT_EQ(take_all(*cursor), 7 * 5'000U + 6 * 10'000U);
    EXPECT_EQ(must(cursor->next()), nullptr);
}

TEST(ReadAhead, OneThreadIsEnough) {
    ThreadPool readers(1);
    const auto cursor = read_ahead(readers, {made(1, 3'000), made(5'000, 9'000)}, 0);
    EXPECT_EQ(take_all(*cursor), 7'001U);
}

TEST(ReadAhead, ItemsLargerThanAChunk) {
    ThreadPool readers(2);
    const auto cursor = read_ahead(readers, {made(1, 9, 300'000), made(10, 12, 300'000)}, 0);
    EXPECT_EQ(take_all(*cursor), 12U);
}

TEST(ReadAhead, ErrorFollowsTheItemsBeforeIt) {
    ThreadPool readers(2);
    const auto cursor = read_ahead(readers, {made(1, 5), made(6, 7, 100, true), made(8, 9)}, 0);
    for (int i = 0; i < 7; ++i) {
        ASSERT_NE(must(cursor->next()), nullptr);
    }
    EXPECT_EQ(cursor->next().error().code(), ErrorCode::kCorrupted);
}

TEST(ReadAhead, CanBeDestroyedAtAnyTime) {
    ThreadPool readers(2);
    for (int taken = 0; taken < 200; taken += 7) {
        const auto cursor = read_ahead(readers, {made(1, 100'000), made(200'000, 300'000)}, 0);
        for (int i = 0; i < taken; ++i) {
            ASSERT_NE(must(cursor->next()), nullptr);
        }
    }
}

TEST(ReadAhead, NoParts) {
    ThreadPool readers(1);
    EXPECT_EQ(must(read_ahead(readers, {}, 0)->next()), nullptr);
}

// An item that never comes until it is allowed to.
class HeldItem : public sql::ItemCursor {
public:
    explicit HeldItem(std::shared_future<void> released) : released_(std::move(released)) {}

    Result<const sql::Item*> next() override {
        released_.wait();
        return static_cast<const sql::Item*>(nullptr);
    }

private:
    std::shared_future<void> released_;
};

TEST(ReadAhead, ReturnsHiddenPlacesWhileItWaits) {
    ThreadPool readers(2);
    std::promise<void> release;
    const std::shared_future<void> released = release.get_future().share();
    const auto held = [released] { return std::make_unique<HeldItem>(released); };
    const auto cursor = read_ahead(readers, {made(5, 6), held}, 3);
    sql::ItemNumber last = 2;
    const sql::Item* item = nullptr;
    do {
        item = must(cursor->next());
        ASSERT_GE(item->number, item->is_hidden() ? last : last + 1);
        last = item->number;
    } while (!(item->is_hidden() && last == 7));
    release.set_value();
    while (item != nullptr) {
        item = must(cursor->next());
        if (item != nullptr) EXPECT_EQ(item->number, 7U);
    }
}

}  // namespace read_ahead_test
}  // namespace orrery::service
