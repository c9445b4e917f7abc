// Reads that begin before a range is split go on after it: no row is missing or repeated.

#include <algorithm>
#include <gmock/gmock.h>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "model/resource_id.h"
#include "partition/test_split.h"
#include "service/test_support.h"

namespace orrery::service {
namespace split_test {

using testing::UnorderedElementsAreArray;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::item;
using testing_support::must;
using testing_support::parsed;
using testing_support::ServiceTest;

using Rows = std::vector<std::string>;

// A feed or a query, in one of the ways that clients read.
struct Read {
    std::string query = {};  // none: a feed
    bool merged = false;
    std::string range_id = {};
    std::string key = {};
    std::string start_epk = {};
    std::string end_epk = {};
};

struct Page {
    std::optional<std::string> token;  // that led to it
    Rows rows;
};

class SplitTest : public ServiceTest {
protected:
    void SetUp() override { add_items(*container_, 100); }

    // Values have many ties; every fifth item lacks one.
    void add_items(const catalog::Container& container, int count) {
        const auto shared = std::make_shared<const catalog::Container>(container);
        for (int i = 0; i < count; ++i, ++made_) {
            const std::string n = made_ % 5 == 0 ? "" : R"(,"n":)" + std::to_string(made_ * 7 % 4);
            const std::string more = n + R"(,"m":)" + std::to_string(made_ % 3);
            ASSERT_TRUE(services_
                            .create(shared,
                                    item("item " + std::to_string(made_),
                                         "key " + std::to_string(made_ % 30),
                                         more))
                            .answer);
        }
    }

    // Divides a range in the middle of its items: copies them to two new partitions.
    catalog::Container split(const catalog::Container& container, std::size_t index) {
        const catalog::PartitionRange parent = container.ranges[index];
        const auto store = must(engine_.open(parent.partition));
        std::vector<std::string> epks;
        const auto cursor = store->scan(partition::all_of('D'), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            epks.emplace_back(must(partition::ItemView::decode(1, cursor->value())).epk);
        }
        std::sort(epks.begin(), epks.end());
        const std::string middle = epks[epks.size() / 2];
        catalog::Container out = container;
        out.ranges.erase(out.ranges.begin() + static_cast<std::ptrdiff_t>(index));
        const model::EpkRange halves[] = {{parent.epks.min_inclusive, middle},
                                          {middle, parent.epks.max_exclusive}};
        for (std::size_t i = 0; i < 2; ++i) {
            const catalog::PartitionRange child{
                .id = next_id_, .epks = halves[i], .partition = all_->ranges[next_id_].partition};
            ++next_id_;
            partition::testing_support::copy_part(
                *store, parent.partition, child.epks, *must(engine_.open(child.partition)));
            out.ranges.insert(out.ranges.begin() + static_cast<std::ptrdiff_t>(index + i), child);
        }
        return out;
    }

    Result<std::pair<Rows, std::optional<std::string>>> page(
        const catalog::Container& container,
        const Read& read,
        const std::optional<std::string>& token) {
        Request request;
        request.max_item_count = "3";
        if (!read.range_id.empty()) request.range_id = read.range_id;
        if (!read.key.empty()) request.partition_key = read.key;
        if (!read.end_epk.empty()) {
            request.start_epk = read.start_epk;
            request.end_epk = read.end_epk;
        }
        if (token) request.continuation = *token;
        service::Page answer;
        if (read.query.empty()) {
            answer = TRY(services_.feed->read(Asked(request), container));
        } else {
            json::Value body{json::Value::Object()};
            body.set("query", read.query);
            answer =
                TRY(services_.queries->run(
                        Asked(request),
                        {.cross_partition = true, .merge = read.merged, .supported_features = {}},
                        container,
                        {.body = body.text()}))
                    .page;
        }
        Rows rows;
        const json::Value elements = parsed("[" + answer.elements + "]");
        for (const json::Value& row : elements.array()) {
            const json::Value* id = row.find("id");
            rows.push_back(id != nullptr ? id->string() : row.text());
        }
        return std::pair(std::move(rows), std::move(answer.continuation));
    }

    std::vector<Page> pages(const catalog::Container& container,
                            const Read& read,
                            std::optional<std::string> token = std::nullopt) {
        std::vector<Page> out;
        do {
            auto [rows, next] = must(page(container, read, token));
            out.push_back({token, std::move(rows)});
            token = std::move(next);
        } while (token);
        return out;
    }

    static Rows rows_from(const std::vector<Page>& pages, std::size_t first) {
        Rows rows;
        for (std::size_t i = first; i < pages.size(); ++i) {
            rows.insert(rows.end(), pages[i].rows.begin(), pages[i].rows.end());
        }
        return rows;
    }

    // Tokens of the read go on in the other container.
    void expect_continued(const catalog::Container& before,
                          const catalog::Container& after,
                          const Read& read,
                          bool same_order) {
        SCOPED_TRACE(read.query + (read.merged ? " merged" : "") + read.key + read.end_epk);
        const std::vector<Page> old = pages(before, read);
        EXPECT_GT(old.size(), 1U);
        for (std::size_t i = 1; i < old.size(); i += 1 + old.size() / 8) {
            const Rows expected = rows_from(old, i);
            const Rows rows = rows_from(pages(after, read, old[i].token), 0);
            if (same_order) {
                ASSERT_EQ(rows, expected) << i;
            } else {
                ASSERT_THAT(rows, UnorderedElementsAreArray(expected)) << i;
            }
        }
    }

    void expect_all_continued(const catalog::Container& before, const catalog::Container& after) {
        expect_continued(before, after, {}, false);
        expect_continued(before, after, {.key = R"(["key 3"])"}, true);
        expect_continued(before, after, {.start_epk = "08", .end_epk = "38"}, false);
        expect_continued(before, after, {.query = "SELECT * FROM c"}, false);
        expect_continued(before, after, {.query = "SELECT * FROM c WHERE c.n > 0"}, false);
        for (const char* query : {"SELECT * FROM c",
                                  "SELECT * FROM c WHERE c.n = 2",
                                  "SELECT * FROM c WHERE c.n > 0",
                                  "SELECT VALUE c.n FROM c WHERE c.n > 0",
                                  "SELECT * FROM c ORDER BY c.n",
                                  "SELECT * FROM c ORDER BY c.n DESC",
                                  "SELECT * FROM c WHERE c.m = 1 ORDER BY c.n DESC",
                                  "SELECT * FROM c ORDER BY c.m, c.n DESC",
                                  "SELECT * FROM c ORDER BY c.m DESC, c.n",
                                  "SELECT DISTINCT VALUE [c.n, c.m] FROM c",
                                  "SELECT DISTINCT c.id FROM c ORDER BY c.id DESC",
                                  "SELECT c.pk AS id, COUNT(1) AS k FROM c GROUP BY c.pk"}) {
            expect_continued(before, after, {.query = query, .merged = true}, true);
        }
        for (const char* query : {"SELECT * FROM c", "SELECT * FROM c ORDER BY c.n DESC"}) {
            expect_continued(before, after, {.query = query, .key = R"(["key 3"])"}, true);
        }
    }

    // The container as it was before, with three ranges.
    catalog::ContainerPtr three_ranges() const {
        auto out = std::make_shared<catalog::Container>(*all_);
        out->ranges.resize(3);
        const auto bounds = model::initial_boundaries(out->definition.partition_key.kind,
                                                      static_cast<unsigned>(out->ranges.size()));
        for (std::size_t i = 0; i < out->ranges.size(); ++i) {
            out->ranges[i].epks = {i == 0 ? "" : bounds[i - 1],
                                   i < bounds.size() ? bounds[i] : std::string(model::kEpkEnd)};
        }
        return out;
    }

    // Only partitions in the catalog can be opened, so it has all that any version of the container
    // has.
    catalog::ContainerPtr all_ = services_.container(
        R"({"indexingPolicy":{"includedPaths":[{"path":"/*"}],"excludedPaths":[],"compositeIndexes":
            [[{"path":"/m","order":"ascending"},{"path":"/n","order":"descending"}]]}})",
        25);
    catalog::ContainerPtr container_ = three_ranges();
    int made_ = 0;
    std::uint32_t next_id_ = 10;
};

TEST_F(SplitTest, TokensOfTheParentAreValidInTheChildren) {
    expect_all_continued(*container_, split(*container_, 1));
}

TEST_F(SplitTest, TokensOutlastSeveralSplits) {
    catalog::Container after = split(*container_, 0);
    after = split(after, 3);  // the last one
    after = split(after, 1);
    expect_all_continued(*container_, after);
}

// Children hold numbers of the parent and their own.
TEST_F(SplitTest, PartitionsWithNumbersOfSeveralRangesAreSplitAgain) {
    const catalog::Container once = split(*container_, 1);
    add_items(once, 60);
    const catalog::Container twice = split(split(once, 2), 1);
    expect_all_continued(once, twice);
    EXPECT_EQ(services_.problems(), "");
}

// A page in a child, then a page in its sibling, then one of another range.
TEST_F(SplitTest, EveryPageOfARoutedReadMayFindAnotherSplit) {
    for (const char* query : {"", "SELECT * FROM c"}) {
        const Read read{.query = query};
        const Rows expected = rows_from(pages(*container_, read), 0);
        catalog::Container now = *container_;
        Rows rows;
        std::optional<std::string> token;
        int count = 0;
        do {
            auto [found, next] = must(page(now, read, token));
            rows.insert(rows.end(), found.begin(), found.end());
            token = std::move(next);
            if (token) {
                EXPECT_LE(token->size(), 1024U);
            }
            if (++count % 9 == 1 && count < 20) now = split(now, count < 10 ? 0 : 1);
        } while (token);
        EXPECT_THAT(rows, UnorderedElementsAreArray(expected)) << query;
    }
}

// SDKs that query range by range send the parent's token to each child.
TEST_F(SplitTest, ClientsThatKnowTheRangesContinueInTheChildren) {
    const catalog::Container after = split(*container_, 1);
    for (const char* query : {"",
                              "SELECT * FROM c",
                              "SELECT * FROM c ORDER BY c.n DESC",
                              "SELECT * FROM c ORDER BY c.n"}) {
        const std::vector<Page> old = pages(*container_, {.query = query, .range_id = "1"});
        for (std::size_t i = 1; i < old.size(); ++i) {
            Rows rows;
            for (const char* child : {"10", "11"}) {
                const Read read{.query = query, .range_id = child};
                const Rows more = rows_from(pages(after, read, old[i].token), 0);
                rows.insert(rows.end(), more.begin(), more.end());
            }
            EXPECT_THAT(rows, UnorderedElementsAreArray(rows_from(old, i))) << query << i;
            // Another range has nothing to do with it.
            EXPECT_EQ(code_of(page(after, {.query = query, .range_id = "0"}, old[i].token)), "400");
            EXPECT_EQ(code_of(page(after, {.query = query, .range_id = "1"}, old[i].token)),
                      "410/1002");
        }
    }
}

// The same items can be named in several ways; the token of one is valid for the others.
TEST_F(SplitTest, EqualSelectionsShareTokens) {
    const model::EpkRange& epks = container_->ranges[1].epks;
    const std::string min = to_hex_upper(epks.min_inclusive);
    const std::string max = to_hex_upper(epks.max_exclusive);
    const std::string epk =
        model::effective_partition_key({"key 3"}, container_->definition.partition_key.kind);
    const std::pair<Read, Read> pairs[] = {
        {{.range_id = "1"}, {.range_id = "1", .start_epk = min, .end_epk = max}},
        {{.range_id = "1"}, {.start_epk = min, .end_epk = max}},
        {{.key = R"(["key 3"])"},
         {.start_epk = to_hex_upper(epk), .end_epk = to_hex_upper(epk + '\0')}},
        {{.query = "SELECT * FROM c", .range_id = "1"},
         {.query = "SELECT * FROM c", .range_id = "1", .start_epk = min, .end_epk = max}}};
    for (const auto& [a, b] : pairs) {
        for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
            const std::vector<Page> old = pages(*container_, from);
            EXPECT_GT(old.size(), 1U);
            for (std::size_t i = 1; i < old.size(); ++i) {
                EXPECT_EQ(rows_from(pages(*container_, to, old[i].token), 0), rows_from(old, i));
            }
        }
    }
}

// SDKs resume an ORDER BY at a rid, and expect ties in the order of rids.
TEST_F(SplitTest, TiesOfAChildAreInTheOrderOfRids) {
    const catalog::Container once = split(*container_, 1);
    add_items(once, 60);
    for (const char* order : {"", " DESC"}) {
        json::Value body{json::Value::Object()};
        body.set("query", std::string("SELECT * FROM c ORDER BY c.m") + order);
        Request request;
        request.range_id = "10";
        const auto answer =
            must(services_.queries->run(Asked(request), {}, once, {.body = body.text()}));
        std::map<std::string, std::vector<std::uint64_t>> numbers;
        const json::Value elements = parsed("[" + answer.page.elements + "]");
        for (const json::Value& row : elements.array()) {
            numbers[row.find("m")->text()].push_back(
                model::ItemRid::parse(row.find("_rid")->string())->number);
        }
        EXPECT_EQ(numbers.size(), 3U);
        for (auto& [value, list] : numbers) {
            EXPECT_NE(model::range_of_number(list.front()), model::range_of_number(list.back()));
            if (*order != '\0') std::reverse(list.begin(), list.end());
            EXPECT_TRUE(std::is_sorted(list.begin(), list.end())) << order;
        }
    }
}

}  // namespace split_test
}  // namespace orrery::service
