// The collection object: arguments, links, operations and their callbacks.

#include "script/test_support.h"

namespace orrery::script {
namespace collection_test {

using testing::HasSubstr;
using testing::MatchesRegex;

class CollectionTest : public ScriptTest {
protected:
    // The number of the error that a call throws, 0 if none.
    std::string thrown(const std::string& call) {
        return result("() => { var n = 0; try { " + call +
                      "; } catch (e) { n = e.number || e.name; } __.response.setBody(n); }");
    }
    std::string message(const std::string& call) {
        return result("() => { try { " + call +
                      "; } catch (e) { __.response.setBody(e.message); } }");
    }
    // The arguments passed to the callback of an operation; `c` and `d` are links.
    std::string called(const std::string& call) {
        return result(
            "() => { var c = __.getSelfLink(), d = __.getAltLink() + '/docs/'; "
            "var done = (...a) => __.response.setBody(a.map(x => x instanceof Error ? "
            "['error', x.number, x.message, x.body, String(x)] : x === undefined ? "
            "'undefined' : x)); " +
            call + "; }");
    }
};

constexpr const char* kOptions =
    R"("currentCollectionSizeInMB":"collectionSize=1;documentsCount=2;",)"
    R"("maxCollectionSizeInMB":"collectionSize=10;")";

TEST_F(CollectionTest, KnowsItsLinks) {
    EXPECT_EQ(value("[__.getSelfLink(), getContext().getCollection().getAltLink()]"),
              R"(["dbs/AAAA==/colls/AAAABBBB=/","dbs/db/colls/coll"])");
    EXPECT_EQ(
        value("[__.getPartitionKeyDefinition().paths, "
              "Object.keys(getContext().getCollection()).includes('getPartitionKeyDefinition')]"),
        R"([["/pk"],false])");
}

TEST_F(CollectionTest, RefusesForeignLinks) {
    EXPECT_EQ(thrown("__.readDocuments('dbs/AAAA==/colls/AAAABBBB=/')"), "0");
    EXPECT_EQ(thrown("__.readDocuments('dbs/db/colls/coll')"), "0");
    for (const char* link : {"5",
                             "'x'",
                             "'dbs/db'",
                             "'dbs/db/coll/coll'",
                             "'dbs/a/colls/b/docs/c'",
                             "'dbs/db/colls/other'",
                             "'dbs/db/colls/coll/'",
                             "'DBS/db/colls/coll'"}) {
        EXPECT_EQ(thrown(std::string("__.readDocuments(") + link + ")"), "400") << link;
    }
    for (const char* link : {"5",
                             "'dbs/db/colls/coll'",
                             "'dbs/db/colls/coll2/docs/x'",
                             "'dbs/db/colls/coll/doc/x'",
                             "'dbs/db/colls/coll/docs/x/y'",
                             "'dbs/db/colls/coll/docs/x/y/z'"}) {
        EXPECT_EQ(thrown(std::string("__.readDocument(") + link + ", () => {})"), "400") << link;
    }
    EXPECT_THAT(message("__.readDocuments('dbs/db/colls/other')"),
                HasSubstr("outside current collection"));
    EXPECT_THAT(message("__.readDocuments('x')"), HasSubstr("Invalid collection link"));
    EXPECT_THAT(message("__.deleteDocument('x')"), HasSubstr("Invalid document link"));
}

TEST_F(CollectionTest, FindsDocumentsByBothLinks) {
    host_.add(R"({"id":"a"})");
    for (const char* link : {"dbs/db/colls/coll/docs/a",
                             "dbs/db/colls/coll/docs/a/",
                             "dbs/AAAA==/colls/AAAABBBB=/docs/rid1",
                             "dbs/AAAA==/colls/AAAABBBB=/docs/rid1/"}) {
        EXPECT_THAT(called(std::string("__.readDocument('") + link + "', done)"),
                    HasSubstr("\"id\":\"a\""))
            << link;
    }
}

TEST_F(CollectionTest, CountsArguments) {
    EXPECT_EQ(
        message("__.createDocument()"),
        "\"The function \\\"createDocument\\\" requires at least 2 argument(s) but was called "
        "with 0 argument(s).\"");
    for (const char* name : {"readDocument",
                             "readDocuments",
                             "queryDocuments",
                             "createDocument",
                             "upsertDocument",
                             "replaceDocument",
                             "deleteDocument",
                             "patchDocument",
                             "readAttachment",
                             "readAttachments",
                             "queryAttachments",
                             "createAttachment",
                             "upsertAttachment",
                             "replaceAttachment",
                             "deleteAttachment"}) {
        EXPECT_EQ(thrown(std::string("__.") + name + "()"), "400") << name;
    }
}

TEST_F(CollectionTest, ChecksOptionsAndCallback) {
    const std::string call = "__.readDocuments(__.getSelfLink(), ";
    EXPECT_EQ(thrown(call + "() => {})"), "0");
    EXPECT_EQ(thrown(call + "undefined, () => {})"), "0");
    EXPECT_EQ(thrown(call + "null, () => {})"), "0");
    EXPECT_EQ(thrown(call + "5)"), "400");
    EXPECT_EQ(thrown(call + "{}, 5)"), "400");
    EXPECT_EQ(thrown(call + "{pageSize: 'many'})"), "400");
    EXPECT_EQ(thrown(call + "{pageSize: '10'})"), "0");
    EXPECT_EQ(thrown(call + "{pageSize: -1})"), "0");
}

TEST_F(CollectionTest, MethodsNeedNoThis) {
    EXPECT_EQ(result("() => { var create = getContext().getCollection().createDocument; "
                     "__.response.setBody(create(__.getSelfLink(), {id: 'x'})); }"),
              "true");
    EXPECT_TRUE(host_.has("x"));
}

TEST_F(CollectionTest, PassesADocumentToTheCallback) {
    host_.add(R"({"id":"a"})");
    EXPECT_EQ(called("__.readDocument(d + 'a', done)"),
              std::string(R"(["undefined",{"id":"a","_rid":"rid1",)"
                          R"("_self":"dbs/AAAA==/colls/AAAABBBB=/docs/rid1/","_etag":"etag1"},)"
                          R"({"statusCode":200,)") +
                  kOptions + "}]");
    EXPECT_THAT(called("__.readDocument(d + 'a', {ifNoneMatch: 'etag1'}, done)"),
                HasSubstr(R"("undefined","undefined",{"statusCode":304)"));
    EXPECT_THAT(called("__.readDocument(d + 'a', {ifNoneMatch: 'etag1'}, done)"),
                HasSubstr(R"("notModified":true)"));
    EXPECT_THAT(called("__.createDocument(c, {id: 'b'}, done)"), HasSubstr("\"statusCode\":201"));
    EXPECT_EQ(called("__.deleteDocument(d + 'b', done)"),
              std::string(R"(["undefined",{"statusCode":204,)") + kOptions + "}]");
}

TEST_F(CollectionTest, PassesAnErrorToTheCallback) {
    host_.add(R"({"id":"a"})");
    EXPECT_EQ(called("__.createDocument(c, {id: 'a'}, done)"),
              R"([["error",409,"the id exists","the id exists","Error: the id exists"]])");
    EXPECT_EQ(called("__.deleteDocument(d + 'a', {etag: 'old'}, done)"),
              R"([["error",412,"the etag differs","the etag differs","Error: the etag differs"]])");
}

TEST_F(CollectionTest, ErrorWithoutCallbackFailsTheScript) {
    const Outcome outcome = run_procedure(
        "() => { __.readDocument(__.getAltLink() + '/docs/none'); __.response.setBody(1); }");
    ASSERT_FALSE(outcome.status);
    EXPECT_EQ(outcome.status.error().sub_status(), 404U);
    EXPECT_THAT(outcome.status.error().message(), HasSubstr("no such item"));
}

TEST_F(CollectionTest, CallbacksRunAfterTheCallerInCallOrder) {
    EXPECT_EQ(result("() => { var log = []; var op = (n, then) => __.createDocument("
                     "__.getSelfLink(), {id: n}, () => { log.push(n); if (then) then(); });"
                     "op('1', () => { op('3'); Promise.resolve().then(() => log.push('job')); });"
                     "op('2'); Promise.resolve().then(() => log.push('first'));"
                     "log.push('main'); __.response.setBody(log); }"),
              R"(["main","first","1","job","2","3"])");
}

TEST_F(CollectionTest, ExceptionInACallbackFailsTheScript) {
    const Outcome outcome = run_procedure(
        "() => { __.createDocument(__.getSelfLink(), {}, () => { throw new Error(5, 'late'); }); "
        "__.createDocument(__.getSelfLink(), {}, () => { __.response.setBody('not reached'); }); "
        "}");
    ASSERT_FALSE(outcome.status);
    EXPECT_EQ(outcome.status.error().sub_status(), 5U);
    EXPECT_FALSE(outcome.body.has_value());
}

TEST_F(CollectionTest, ReadsFeedsPageByPage) {
    for (int i = 0; i < 5; ++i) {
        host_.add("{\"id\":\"" + std::to_string(i) + "\"}");
    }
    EXPECT_EQ(result("() => { var pages = []; var read = t => __.readDocuments(__.getSelfLink(), "
                     "{pageSize: 2, continuation: t}, (e, docs, o) => { pages.push(docs.length); "
                     "if (o.continuation) read(o.continuation); }); read(); "
                     "__.response.setBody(pages); }"),
              "[2,2,1]");
    EXPECT_EQ(host_.operations[0].page_size, 2);
    static_cast<void>(value("__.readDocuments(__.getSelfLink())"));
    EXPECT_EQ(host_.operations.back().page_size, 100);
}

TEST_F(CollectionTest, PassesQueriesToTheHost) {
    static_cast<void>(
        value("__.queryDocuments(__.getSelfLink(), 'SELECT 1', {enableScan: true, pageSize: 7})"));
    EXPECT_EQ(host_.operations.back().text, R"({"query":"SELECT 1"})");
    EXPECT_TRUE(host_.operations.back().enable_scan);
    EXPECT_EQ(host_.operations.back().page_size, 7);
    static_cast<void>(
        value("__.queryDocuments(__.getSelfLink(), {query: 'SELECT @a', parameters: "
              "[{name: '@a', value: 1}]}, {enableScan: 1})"));
    EXPECT_EQ(host_.operations.back().text,
              R"({"query":"SELECT @a","parameters":[{"name":"@a","value":1}]})");
    EXPECT_FALSE(host_.operations.back().enable_scan);
    EXPECT_EQ(thrown("__.queryDocuments(__.getSelfLink(), 5)"), "400");
}

TEST_F(CollectionTest, GeneratesIdsInACopy) {
    EXPECT_EQ(result("() => { var d = {a: 1}; __.createDocument(__.getSelfLink(), d); "
                     "__.response.setBody(d); }"),
              R"({"a":1})");
    const std::string guid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
    EXPECT_THAT(host_.items.back().find("id")->string(), MatchesRegex(guid));
    for (const char* body : {"{id: ''}", "{id: null}", "'{\"b\":1}'"}) {
        static_cast<void>(value(std::string("__.upsertDocument(__.getSelfLink(), ") + body + ")"));
        EXPECT_THAT(host_.items.back().find("id")->string(), MatchesRegex(guid));
    }
    static_cast<void>(value("__.createDocument(__.getSelfLink(), '{ \"id\" : \"t\" }')"));
    EXPECT_EQ(host_.operations.back().text, "{ \"id\" : \"t\" }");
    host_.on_execute = [](const Operation& operation) {
        EXPECT_EQ(operation.text, "{\"id\":\"z\"}");
    };
    static_cast<void>(
        value("__.createDocument(__.getSelfLink(), {id: 'z'}, "
              "{disableAutomaticIdGeneration: true})"));
}

TEST_F(CollectionTest, RefusesInvalidBodies) {
    for (const char* body : {"null", "5", "true", "undefined", "() => {}"}) {
        EXPECT_EQ(thrown(std::string("__.createDocument(__.getSelfLink(), ") + body + ")"), "400");
        EXPECT_EQ(
            thrown(std::string("__.replaceDocument(__.getAltLink() + '/docs/a', ") + body + ")"),
            "400");
    }
    EXPECT_EQ(thrown("__.createDocument(__.getSelfLink(), 'no json')"), "\"SyntaxError\"");
}

TEST_F(CollectionTest, PassesWriteOptionsToTheHost) {
    host_.add(R"({"id":"a"})");
    EXPECT_THAT(called("__.replaceDocument(d + 'a', {id: 'a', n: 2}, {etag: 'etag1', indexAction: "
                       "'exclude'}, done)"),
                HasSubstr("\"n\":2"));
    EXPECT_EQ(host_.operations.back().etag, "etag1");
    EXPECT_EQ(host_.operations.back().index_action, IndexAction::kExclude);
    EXPECT_THAT(called("__.patchDocument(d + 'a', [{op: 'add', path: '/x', value: 1}], done)"),
                HasSubstr("\"statusCode\":200"));
    EXPECT_EQ(host_.operations.back().text,
              R"({"operations":[{"op":"add","path":"/x","value":1}]})");
    static_cast<void>(called("__.patchDocument(d + 'a', {operations: [], condition: 'c'}, done)"));
    EXPECT_EQ(host_.operations.back().text, R"({"operations":[],"condition":"c"})");
    EXPECT_EQ(thrown("__.createDocument(__.getSelfLink(), {}, {indexAction: 'maybe'})"), "400");
}

TEST_F(CollectionTest, HandledFailureDoesNotFailTheScript) {
    host_.add(R"({"id":"a"})");
    EXPECT_EQ(
        result("() => { __.createDocument(__.getSelfLink(), {id: 'a'}, e => { if (e.number == "
               "ErrorCodes.Conflict) __.response.setBody('handled'); }); }"),
        "\"handled\"");
}

TEST_F(CollectionTest, RefusesAttachments) {
    EXPECT_EQ(called("__.readAttachments(d + 'a', done)"),
              R"([["error",400,"Attachments are not supported in scripts.",)"
              R"("Attachments are not supported in scripts.",)"
              R"("Error: Attachments are not supported in scripts."]])");
    EXPECT_EQ(thrown("__.readAttachment('dbs/db/colls/coll/docs/a')"), "400");
    EXPECT_THAT(called("__.deleteAttachment(d + 'a/attachments/b', {}, done)"),
                HasSubstr("not supported"));
    EXPECT_TRUE(host_.operations.empty());
}

}  // namespace collection_test
}  // namespace orrery::script
