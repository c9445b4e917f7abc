// Scripts over a real partition: what they see, what they write, and how concurrent ones interact.
// The script API is tested in src/script.

#include "service/script_executor.h"

#include <future>
#include <gmock/gmock.h>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/test_support.h"

namespace orrery::service {
namespace script_executor_test {

using testing::HasSubstr;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::item;
using testing_support::must;
using testing_support::ServiceTest;

class ScriptExecutorTest : public ServiceTest {
protected:
    ScriptExecutorTest() {
        found_.container = services_.container();
        found_.database = services_.catalog->find_database("d");
        request_.partition_key = R"(["p"])";
    }

    // The response body, or the error.
    std::string run(const std::string& body, const std::string& arguments = "[]") {
        const ProcedureAnswer answer = run_whole(body, arguments);
        if (!answer.body) return code_of(answer.body);
        return answer.body->value_or("");
    }
    ProcedureAnswer run_whole(const std::string& body, const std::string& arguments) {
        const StoredScript procedure{
            .script = std::make_shared<const script::Script>(script::Script{"test", body}),
            .version = body};
        Asked asked(request_);
        return wait_for<ProcedureAnswer>([&](auto done) {
            services_.script_executor->execute(asked, found_, procedure, arguments, true, done);
        });
    }

    static StoredScript trigger(const std::string& body) {
        return {.script = std::make_shared<const script::Script>(script::Script{"trigger", body}),
                .version = body};
    }
    TriggeredAnswer create(const std::string& body,
                           std::optional<StoredScript> before,
                           std::optional<StoredScript> after) {
        TriggeredWrite write;
        write.before = std::move(before);
        write.after = std::move(after);
        write.kind = TriggeredWrite::Kind::kCreate;
        write.body = body;
        Asked asked(request_);
        return wait_for<TriggeredAnswer>([&](auto done) {
            services_.script_executor->write(asked, found_, std::move(write), done);
        });
    }

    // The ids of the existing items.
    std::string ids() {
        auto answer = services_.queries->run(Asked(request_),
                                             {},
                                             *found_.container,
                                             {.body = R"({"query":"SELECT VALUE c.id FROM c"})"});
        return must(std::move(answer)).page.elements;
    }

    FoundContainer found_;
    Request request_;
};

TEST_F(ScriptExecutorTest, WritesAreOneTransaction) {
    EXPECT_EQ(run(R"(function () {
        var c = getContext().getCollection();
        for (var i = 0; i < 3; i++)
            if (!c.createDocument(c.getSelfLink(), {id: 'i' + i, pk: 'p'})) throw new Error('no');
        getContext().getResponse().setBody('done');
    })"),
              R"("done")");
    EXPECT_EQ(ids(), R"("i0","i1","i2")");
    EXPECT_EQ(run(R"(function () {
        var c = getContext().getCollection();
        c.createDocument(c.getSelfLink(), {id: 'x', pk: 'p'}, function () { throw new Error('stop'); });
    })"),
              "400");
    EXPECT_EQ(ids(), R"("i0","i1","i2")") << "a script that throws must write nothing";
}

TEST_F(ScriptExecutorTest, StoresWhatTheScriptWasShown) {
    const std::string shown = run(R"(function () {
        var c = getContext().getCollection();
        c.createDocument(c.getSelfLink(), {id: 'a', pk: 'p', n: 1}, function (err, doc) {
            getContext().getResponse().setBody(doc);
        });
    })");
    const Result<ItemAnswer> stored = services_.items->read(
        Asked(request_), found_.container, ItemAddress{.id = "a", .rid = std::nullopt});
    const auto one = testing_support::parsed(shown);
    const auto other = testing_support::parsed(stored->record.substr(stored->json_offset));
    for (const char* name : {"id", "n", "_rid", "_self", "_etag", "_ts"}) {
        EXPECT_EQ(one.find(name)->text(), other.find(name)->text()) << name;
    }
}

TEST_F(ScriptExecutorTest, SeesItsOwnWrites) {
    services_.create(found_.container, item("old", "p", R"(,"n":5)"), request_);
    services_.create(found_.container, item("gone", "p", R"(,"n":7)"), request_);
    services_.create(found_.container, item("other", "q"));
    EXPECT_EQ(run(R"(function () {
        var c = getContext().getCollection(), self = c.getAltLink();
        var out = [];
        c.createDocument(self, {id: 'new', pk: 'p', n: 3});
        c.replaceDocument(self + '/docs/old', {id: 'old', pk: 'p', n: 6});
        c.deleteDocument(self + '/docs/gone');
        c.queryDocuments(self, 'SELECT VALUE c.n FROM c WHERE c.n > 0 ORDER BY c.n', function (e, rows) {
            out.push(rows);
            c.readDocuments(self, {}, function (e2, docs) {
                out.push(docs.map(function (d) { return d.id; }));
                c.queryDocuments(self, 'SELECT VALUE COUNT(1) FROM c', function (e3, n) {
                    out.push(n);
                    getContext().getResponse().setBody(out);
                });
            });
        });
    })"),
              R"([[3,6],["old","new"],[2]])");
}

TEST_F(ScriptExecutorTest, QueryPagesContinue) {
    for (int i = 0; i < 25; ++i) {
        services_.create(found_.container, item(fmt::format("{:02}", i), "p"), request_);
    }
    EXPECT_EQ(run(R"(function () {
        var c = getContext().getCollection(), seen = 0, pages = 0;
        (function next(token) {
            c.queryDocuments(c.getSelfLink(), 'SELECT * FROM c', {pageSize: 10, continuation: token},
                function (err, docs, options) {
                    seen += docs.length; pages++;
                    if (options.continuation) next(options.continuation);
                    else getContext().getResponse().setBody([seen, pages]);
                });
        })();
    })"),
              "[25,3]");
}

TEST_F(ScriptExecutorTest, RefusesOtherPartitionKeys) {
    EXPECT_EQ(run(R"(function () {
        var c = getContext().getCollection();
        c.createDocument(c.getSelfLink(), {id: 'x', pk: 'another'}, function (err) {
            getContext().getResponse().setBody(err.number + ': ' + err.message.indexOf('cannot reference partition keys'));
        });
    })")
                  .substr(0, 6),
              "\"400: ");
    Request without;
    std::swap(request_, without);
    EXPECT_EQ(run("function () {}"), "400");
}

TEST_F(ScriptExecutorTest, PassesErrorsToTheCallback) {
    found_.container =
        services_.container(R"({"id":"u","uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}})");
    services_.create(found_.container, item("a", "p", R"(,"u":1)"), request_);
    EXPECT_EQ(run(R"(function () {
        var c = getContext().getCollection(), out = [];
        function note(err) { out.push(err ? err.number : 0); getContext().getResponse().setBody(out); }
        c.createDocument(c.getSelfLink(), {id: 'a', pk: 'p'}, note);
        c.createDocument(c.getSelfLink(), {id: 'b', pk: 'p', u: 1}, note);
        c.readDocument(c.getAltLink() + '/docs/none', note);
        c.replaceDocument(c.getAltLink() + '/docs/a', {id: 'a', pk: 'p'}, {etag: '"no"'}, note);
    })"),
              "[409,409,404,412]");
}

TEST_F(ScriptExecutorTest, LosesNoUpdate) {
    services_.create(found_.container, item("counter", "p", R"(,"n":0)"), request_);
    const std::string increment = R"(function () {
        var c = getContext().getCollection();
        c.readDocument(c.getAltLink() + '/docs/counter', function (err, doc) {
            doc.n++;
            c.replaceDocument(doc._self, doc);
        });
    })";
    std::atomic<int> done = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 25; ++i) {
                if (run_whole(increment, "[]").body) ++done;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_GT(done, 0);
    const Result<ItemAnswer> read = services_.items->read(
        Asked(request_), found_.container, ItemAddress{.id = "counter", .rid = std::nullopt});
    EXPECT_THAT(read->record, HasSubstr(fmt::format(R"("n":{},)", done.load())));
}

TEST_F(ScriptExecutorTest, TriggersArePartOfTheWrite) {
    const StoredScript stamps = trigger(R"(function () {
        var doc = getContext().getRequest().getBody();
        doc.stamped = true;
        getContext().getRequest().setBody(doc);
    })");
    const StoredScript counts = trigger(R"(function () {
        var c = getContext().getCollection();
        var doc = getContext().getResponse().getBody();
        if (!doc.stamped) throw new Error('not stamped');
        c.upsertDocument(c.getSelfLink(), {id: 'meta', pk: 'p', last: doc.id});
    })");
    const StoredScript refuses = trigger("function () { throw new Error('never'); }");
    services_.create(found_.container, item("elsewhere", "q"));
    const TriggeredAnswer made = create(item("a", "p"), stamps, counts);
    ASSERT_TRUE(made.item);
    const Result<ItemAnswer> read = services_.items->read(
        Asked(request_), found_.container, ItemAddress{.id = "a", .rid = std::nullopt});
    EXPECT_EQ(made.item->item_lsn, read->item_lsn);
    EXPECT_EQ(ids(), R"("a","meta")");
    EXPECT_EQ(code_of(create(item("b", "p"), std::nullopt, counts).item), "400");
    EXPECT_EQ(code_of(create(item("c", "p"), refuses, std::nullopt).item), "400");
    EXPECT_EQ(code_of(create(item("d", "p"), stamps, refuses).item), "400");
    EXPECT_EQ(ids(), R"("a","meta")") << "the failed write must change nothing";
}

TEST_F(ScriptExecutorTest, ReturnsTheLogOfAFailedScript) {
    const ProcedureAnswer answer =
        run_whole("function () { console.log('here'); throw new Error('x'); }", "[]");
    EXPECT_EQ(code_of(answer.body), "400");
    EXPECT_EQ(answer.log, "here");
}

}  // namespace script_executor_test
}  // namespace orrery::service
