// An index that can be read only in part without waiting. What could not be read must not pass for
// nothing: the query has to run again where it may wait.

#include <string>

#include <gtest/gtest.h>

#include "index/index_source.h"
#include "index/test_support.h"
#include "sql/test_support.h"

namespace orrery::sql {
namespace unreadable_index_test {

using index::Docnum;

// One entry, whatever is looked for: item 1 has the lowest value within the bounds.
class OneEntry final : public index::TermCursor {
public:
    explicit OneEntry(std::string value) : value_(std::move(value)) {}

    bool valid() const override { return valid_; }
    std::string_view value() const override { return value_; }
    Docnum docnum() const override { return 1; }
    void next() override { valid_ = false; }
    void seek(std::string_view /*value*/, Docnum /*docnum*/) override {}
    Status status() const override { return {}; }

private:
    const std::string value_;
    bool valid_ = true;
};

class NotInMemory final : public index::DocnumCursor {
public:
    bool valid() const override { return false; }
    Docnum docnum() const override { return 0; }
    bool to_be_checked() const override { return true; }
    void next() override {}
    void seek(Docnum /*docnum*/) override {}
    Status status() const override { return Error(ErrorCode::kWouldBlock, "not in memory"); }
};

class Index final : public IndexSource {
public:
    Result<Path> find(const model::IndexPath& /*path*/) const override {
        return Path{.state = PathState::kListed, .id = 1};
    }
    std::unique_ptr<index::TermCursor> terms(index::PathId /*path*/,
                                             const index::ValueBounds& bounds,
                                             bool /*backward*/) const override {
        return std::make_unique<OneEntry>(bounds.from);
    }
    Result<std::size_t> count(index::PathId /*path*/,
                              const index::ValueBounds& /*bounds*/,
                              std::size_t /*limit*/) const override {
        return std::size_t{1};
    }
    std::optional<std::size_t> find_composite(
        std::span<const index::CompositePart> /*parts*/) const override {
        return std::nullopt;
    }
    std::unique_ptr<index::TermCursor> composite(std::size_t /*number*/,
                                                 const index::ValueBounds& bounds,
                                                 bool /*backward*/) const override {
        return std::make_unique<OneEntry>(bounds.from);
    }
    Result<std::unique_ptr<index::DocnumCursor>> items_lacking(const Path& /*path*/,
                                                               bool /*backward*/) const override {
        return std::unique_ptr<index::DocnumCursor>(std::make_unique<NotInMemory>());
    }
    std::unique_ptr<index::DocnumCursor> unindexed() const override {
        return std::make_unique<NotInMemory>();
    }
};

class Items final : public testing_support::ListedItems {
public:
    Items() : ListedItems({R"({"id":"a","n":5})", R"({"id":"not indexed","n":5})"}) {}

    const index::PathPolicy* policy() const override { return policy_.get(); }
    const IndexSource* index() const override { return &index_; }

private:
    const Index index_;
    const std::shared_ptr<const index::PathPolicy> policy_ = index::testing_support::policy();
};

TEST(UnreadableIndexTest, LeavesOutNoItems) {
    for (const char* query : {"SELECT VALUE c.id FROM c WHERE c.n = 5",
                              "SELECT VALUE c.id FROM c WHERE c.n > 5 ORDER BY c.n",
                              "SELECT VALUE COUNT(1) FROM c WHERE c.n = 5",
                              "SELECT c.n FROM c GROUP BY c.n"}) {
        Items items;
        EXPECT_EQ(testing_support::run(query, items), "error: not in memory") << query;
    }
}

}  // namespace unreadable_index_test
}  // namespace orrery::sql
