#include "service/scripts.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service/test_support.h"

namespace orrery::service {
namespace scripts_test {

using model::ScriptKind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::ids_of;
using testing_support::must;
using testing_support::parsed;
using testing_support::ServiceTest;

constexpr ScriptKind kProcedure = ScriptKind::kStoredProcedure;

std::string script(const std::string& id, const std::string& body = "function () {}") {
    return R"({"id":")" + id + R"(","body":")" + body + "\"}";
}

class ScriptsTest : public ServiceTest {
protected:
    void SetUp() override { services_.container(); }

    // Looked up afresh, as for a new request.
    FoundContainer owner(bool by_rid = false) {
        const ContainerAddress address =
            by_rid ? ContainerAddress{.database = "AQAAAA==", .container = "AQAAAIAAAAE="}
                   : ContainerAddress{.database = "d", .container = "c"};
        return must(services_.resources->find({}, address));
    }
    json::Value create(const std::string& id, ScriptKind kind = kProcedure) {
        return *must(scripts_.create(Asked(), owner(), kind, script(id))).body;
    }
    Result<ResourceAnswer> read(const std::string& segment,
                                bool by_rid = false,
                                ScriptKind kind = kProcedure,
                                const Request& request = {}) {
        const FoundContainer found = owner(by_rid);
        return scripts_.read(Asked(request), {.owner = found, .kind = kind, .segment = segment});
    }
    Result<ResourceAnswer> replace(const std::string& segment,
                                   const std::string& body,
                                   const Request& request = {}) {
        const FoundContainer found = owner();
        return scripts_.replace(
            Asked(request), {.owner = found, .kind = kProcedure, .segment = segment}, body);
    }
    Status remove(const std::string& segment, const Request& request = {}) {
        const FoundContainer found = owner();
        return scripts_.remove(Asked(request),
                               {.owner = found, .kind = kProcedure, .segment = segment});
    }
    Page list(const Request& request = {}, const QueryText* query = nullptr) {
        return must(scripts_.list(Asked(request), owner(), kProcedure, query));
    }

    Scripts& scripts_ = *services_.scripts;
};

TEST_F(ScriptsTest, CreateAndRead) {
    const json::Value made = create("p");
    EXPECT_EQ(made.text(),
              R"({"id":"p","body":"function () {}","_rid":"AQAAAIAAAAEEAAAAAAAAgA==",)"
              R"("_self":"dbs/AQAAAA==/colls/AQAAAIAAAAE=/sprocs/AQAAAIAAAAEEAAAAAAAAgA==/",)"
              R"("_etag":"\"00000000-0004-0000-0000-6553f1000000\"","_ts":1700000000})");
    EXPECT_EQ(must(read("p")).body->text(), made.text());
    EXPECT_EQ(code_of(scripts_.create(Asked(), owner(), kProcedure, script("p"))), "409");
    for (const char* bad : {"", "[]", "{}", R"({"id":"x"})", R"({"id":"a/b","body":""})"}) {
        EXPECT_EQ(code_of(scripts_.create(Asked(), owner(), kProcedure, bad)), "400") << bad;
    }
    const std::string large = script("x", std::string(model::limits::kRequestBodyBytesMax, 'x'));
    EXPECT_EQ(code_of(scripts_.create(Asked(), owner(), kProcedure, large)), "413");
    EXPECT_EQ(code_of(read("none")), "404");
    EXPECT_EQ(code_of(replace("none", script("none"))), "404");
    EXPECT_EQ(code_of(remove("none")), "404");
    EXPECT_EQ(code_of(read("p", false, ScriptKind::kUdf)), "404") << "another kind";
}

TEST_F(ScriptsTest, AddressedByRidOnlyIfTheContainerIs) {
    const std::string rid = create("p").find("_rid")->string();
    EXPECT_TRUE(read(rid, true));
    EXPECT_TRUE(read("p", true)) << "a segment that is not a rid is a name, as with items";
    EXPECT_EQ(code_of(read(rid)), "404");
    EXPECT_EQ(code_of(read(rid, true, ScriptKind::kTrigger)), "404");
    EXPECT_EQ(code_of(read("AQAAAIAAAAEFAAAAAAAAgA==", true)), "404");
}

TEST_F(ScriptsTest, ChecksEtags) {
    create("p");
    const std::string etag = must(read("p")).etag;
    Request request;
    request.if_none_match = etag;
    EXPECT_FALSE(must(read("p", false, kProcedure, request)).body);
    Request matching;
    matching.if_match = etag;
    EXPECT_TRUE(replace("p", script("p", "new"), matching));
    EXPECT_EQ(code_of(replace("p", script("p"), matching)), "412");
    EXPECT_EQ(code_of(remove("p", matching)), "412");
    EXPECT_EQ(code_of(scripts_.upsert(Asked(matching), owner(), kProcedure, script("p"))), "412");
    EXPECT_TRUE(must(read("p", false, kProcedure, request)).body);
    EXPECT_EQ(must(read("p")).body->find("body")->string(), "new");
    EXPECT_TRUE(remove("p"));
    EXPECT_EQ(code_of(read("p")), "404");
}

TEST_F(ScriptsTest, UpsertReportsWhetherItCreated) {
    EXPECT_TRUE(must(scripts_.upsert(Asked(), owner(), kProcedure, script("p"))).created);
    const auto again = must(scripts_.upsert(Asked(), owner(), kProcedure, script("p", "new")));
    EXPECT_FALSE(again.created);
    EXPECT_EQ(again.answer.body->find("body")->string(), "new");
    EXPECT_THAT(ids_of(list()), ElementsAre("p"));
}

TEST_F(ScriptsTest, PagesLists) {
    for (const char* name : {"a", "b", "c"}) {
        create(name);
    }
    create("u", ScriptKind::kUdf);
    Request request;
    request.max_item_count = "2";
    const Page first = list(request);
    EXPECT_THAT(ids_of(first), ElementsAre("a", "b"));
    request.continuation = *first.continuation;
    EXPECT_THAT(ids_of(list(request)), ElementsAre("c"));
    EXPECT_EQ(code_of(scripts_.list(Asked(request), owner(), ScriptKind::kUdf, nullptr)), "400")
        << "token of another list";
    const QueryText query{.body = R"({"query":"SELECT * FROM r WHERE r.id = 'b'"})"};
    EXPECT_THAT(ids_of(list({}, &query)), ElementsAre("b"));
}

// Without a size limit, a page of a hundred scripts could take two hundred megabytes.
TEST_F(ScriptsTest, PagesHaveASizeLimit) {
    const std::string megabyte(1024 * 1024, 'x');
    std::vector<std::string> names;
    for (int i = 0; i < 9; ++i) {
        names.push_back("p" + std::to_string(i));
        must(scripts_.create(Asked(), owner(), kProcedure, script(names.back(), megabyte)));
    }
    std::vector<std::string> found;
    Request request;
    request.max_item_count = "-1";
    std::string token;
    for (;;) {
        const Page page = list(request);
        EXPECT_LE(page.elements.size(), model::limits::kPageBytesMax);
        for (const std::string& id : ids_of(page)) {
            found.push_back(id);
        }
        if (!page.continuation) break;
        token = *page.continuation;
        request.continuation = token;
    }
    EXPECT_EQ(found, names);
}

TEST_F(ScriptsTest, AreRemovedWithTheirContainer) {
    create("p");
    const FoundContainer before = owner();
    ASSERT_TRUE(
        services_.resources->remove_container(Asked(), {.database = "d", .container = "c"}));
    EXPECT_EQ(code_of(scripts_.create(Asked(), before, kProcedure, script("q"))), "404");
    services_.container();
    EXPECT_THAT(ids_of(list()), IsEmpty());
}

}  // namespace scripts_test
}  // namespace orrery::service
