// getContext(): request, response, triggers, logging.

#include "script/test_support.h"

namespace orrery::script {
namespace context_test {

using testing::HasSubstr;

constexpr const char* kTry =
    "const attempt = f => { try { return f(); } catch (e) { return [e.number, e.message]; } };";

class ContextTest : public ScriptTest {
protected:
    // An expression in which attempt(f) returns the error's number and message.
    std::string attempt(const std::string& expression) {
        return result(std::string("() => { ") + kTry + " __.response.setBody(attempt(() => " +
                      expression + ")); }");
    }
};

TEST_F(ContextTest, HasTheGlobalNames) {
    EXPECT_EQ(value("[typeof getContext, typeof __, typeof ErrorCodes, typeof console, typeof "
                    "console.log, typeof getContext().getCollection]"),
              R"(["function","object","object","function","function","function"])");
    EXPECT_EQ(value("Object.getPrototypeOf(__) === getContext().getCollection()"), "true");
    EXPECT_EQ(value("[__.request === getContext().getRequest(), __.response === "
                    "getContext().getResponse(), __.hasOwnProperty('request')]"),
              "[true,true,true]");
    EXPECT_EQ(value("Object.keys(globalThis)"), "[]");
}

TEST_F(ContextTest, ResponseBodyStartsEmpty) {
    EXPECT_EQ(result("() => { for (var i = 0; i < 10; i++) getContext().getResponse()"
                     ".appendValue('Body', i); }"),
              "\"0123456789\"");
    EXPECT_EQ(value("getContext().getResponse().getBody() === ''"), "true");
}

TEST_F(ContextTest, AppendDependsOnTheCurrentValue) {
    EXPECT_EQ(result("() => { __.response.setBody(1); __.response.appendBody(2); }"), "3");
    EXPECT_EQ(result("() => { __.response.setBody(null); __.response.appendBody({a: 1}); }"),
              R"({"a":1})");
    EXPECT_EQ(result("() => { __.response.setBody(undefined); __.response.appendBody(2); }"), "2");
    EXPECT_EQ(result("() => { __.response.setBody({}); __.response.appendBody('x'); }"),
              R"("[object Object]x")");
    EXPECT_EQ(result("() => { __.response.setBody('a'); __.response.appendBody(null); }"),
              "\"anull\"");
    EXPECT_EQ(result("() => { __.response.setValue('Body', 5); __.response.setValue(); "
                     "__.response.appendValue(); }"),
              "5");
}

TEST_F(ContextTest, KeysCannotBeAdded) {
    EXPECT_EQ(attempt("__.response.setValue('Test', 1)"), R"([400,"Cannot set new values: Test"])");
    EXPECT_EQ(attempt("__.response.appendValue('Test', 1)"),
              R"([400,"Cannot set new values: Test"])");
    EXPECT_THAT(value("__.response.getValue('Test')"), HasSubstr("TypeError"));
    EXPECT_EQ(value("[__.response.getValue() === undefined, typeof __.request.setValue, typeof "
                    "__.request.setBody]"),
              R"([true,"undefined","undefined"])");
}

TEST_F(ContextTest, ShowsWhetherLoggingIsOn) {
    const std::string shown =
        "() => { __.response.setBody("
        "__.request.getValue('x-ms-documentdb-script-enable-logging')); }";
    EXPECT_EQ(run_procedure(shown, "", false).body, R"("false")");
    EXPECT_EQ(run_procedure(shown, "", true).body, R"("true")");
}

TEST_F(ContextTest, LogsOnlyWhenEnabled) {
    const std::string log =
        "() => { console.log('a'); console.log(1); console.log('%s is %s%%', "
        "'x', 5); console.log({toString: () => 'o'}); }";
    EXPECT_EQ(run_procedure(log, "", true).log, "a1x is 5%o");
    EXPECT_EQ(run_procedure(log, "", false).log, "");
    EXPECT_TRUE(run_procedure("() => console.log()", "", false).status);
}

TEST_F(ContextTest, ChecksLogArguments) {
    const std::string check = std::string("() => { ") + kTry +
                              "__.response.setBody([attempt(() => console.log())[0], attempt(() => "
                              "console.log(1, 2))[0]]); }";
    EXPECT_EQ(run_procedure(check, "", true).body, "[400,400]");
}

TEST_F(ContextTest, KeepsTheLogOfAFailedScript) {
    const Outcome thrown = run_procedure("() => { console.log('before'); throw 1; }", "", true);
    EXPECT_FALSE(thrown.status);
    EXPECT_EQ(thrown.log, "before");
    Execution execution;
    execution.script = script("() => { console.log('before'); while (true); }");
    execution.logging = true;
    execution.time_limit = std::chrono::milliseconds(50);
    EXPECT_EQ(runtime_->run(execution, host_).log, "before");
}

TEST_F(ContextTest, PreTriggerChangesTheItem) {
    const Outcome outcome = run_trigger(
        ScriptKind::kPreTrigger,
        "function () { var r = getContext().getRequest(); var d = r.getBody(); d.id = 'def'; "
        "d.type = r.getOperationType(); }",
        R"({"id":"abc"})");
    EXPECT_EQ(outcome.body, R"({"id":"def","type":"Create"})");
    EXPECT_FALSE(outcome.body_was_set);
}

TEST_F(ContextTest, ReadsThePreTriggerBodyAtTheEnd) {
    host_.on_query = [](const Operation&) {
        return Reply{.status = 200, .body = "[7]", .continuation = {}};
    };
    const Outcome outcome =
        run_trigger(ScriptKind::kPreTrigger,
                    "function () { var d = {id: 'x'}; getContext().getRequest().setBody(d); "
                    "__.queryDocuments(__.getSelfLink(), 'SELECT VALUE MAX(r.x) FROM r', {}, "
                    "(e, feed) => { d.max = feed[0]; }); }",
                    R"({"id":"abc"})",
                    "Upsert");
    EXPECT_EQ(outcome.body, R"({"id":"x","max":7})");
    EXPECT_TRUE(outcome.body_was_set);
}

TEST_F(ContextTest, PreTriggerMaySetTextAndHasNoResponse) {
    EXPECT_EQ(
        run_trigger(
            ScriptKind::kPreTrigger, "() => __.request.setBody('{\"id\":\"t\"}')", R"({"id":"a"})")
            .body,
        R"({"id":"t"})");
    const Outcome outcome =
        run_trigger(ScriptKind::kPreTrigger, "() => getContext().getResponse()", "{}");
    ASSERT_FALSE(outcome.status);
    EXPECT_THAT(outcome.status.error().message(), HasSubstr("TypeError"));
    EXPECT_FALSE(run_trigger(ScriptKind::kPreTrigger, "() => __.filter(x => true)", "{}").status);
}

TEST_F(ContextTest, PostTriggerChangesTheResponseOnly) {
    const Outcome outcome =
        run_trigger(ScriptKind::kPostTrigger,
                    "() => { var b = __.response.getBody(); b.seen = [typeof __.request.setBody, "
                    "__.request.getBody().id, __.response.getResourceQuotaCurrentUsage(), "
                    "__.response.getMaxResourceQuota(), __.request.getOperationType()]; }",
                    R"({"id":"a"})",
                    "Replace");
    EXPECT_EQ(outcome.body,
              R"({"id":"a","seen":["undefined","a","collectionSize=1;documentsCount=2;",)"
              R"("collectionSize=10;","Replace"]})");
}

TEST_F(ContextTest, PostTriggerSeesAndDeletesTheWrittenItem) {
    host_.add(R"({"id":"new"})");
    const Outcome outcome =
        run_trigger(ScriptKind::kPostTrigger,
                    "() => { __.readDocuments(__.getSelfLink(), (e, docs) => { docs.forEach(d => "
                    "__.deleteDocument(d._self)); }); }",
                    R"({"id":"new"})");
    EXPECT_TRUE(outcome.status);
    EXPECT_TRUE(host_.items.empty());
}

TEST_F(ContextTest, ThrowingTriggerFailsTheOperation) {
    const Outcome outcome =
        run_trigger(ScriptKind::kPostTrigger, "() => { throw new Error(409, 'no'); }", "{}");
    EXPECT_EQ(outcome.status.error().sub_status(), 409U);
    EXPECT_EQ(outcome.status.error().code(), ErrorCode::kBadRequest);
}

}  // namespace context_test
}  // namespace orrery::script
