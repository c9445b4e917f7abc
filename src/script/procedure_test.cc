#include "script/system_scripts.h"
#include "script/test_support.h"

namespace orrery::script {
namespace procedure_test {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ProcedureTest : public ScriptTest {};

TEST_F(ProcedureTest, AcceptsEveryFormOfFunctionExpression) {
    const std::string set = "{ getContext().getResponse().setBody(1); }";
    EXPECT_EQ(result("function () " + set), "1");
    EXPECT_EQ(result("function named() " + set), "1");
    EXPECT_EQ(result("() => " + set), "1");
    EXPECT_EQ(result("async () => " + set), "1");
    EXPECT_EQ(result("async function f() " + set), "1");
    EXPECT_EQ(result("function f() " + set + ";"), "1");
    EXPECT_EQ(result("\n\t function f() " + set + "; // end"), "1");
    EXPECT_EQ(result("\xEF\xBB\xBF/* begin */ function f() " + set), "1");
    EXPECT_EQ(result("(function () " + set + ")"), "1");
    EXPECT_EQ(result("function f() { g(); }\nfunction g() " + set), "1");
}

TEST_F(ProcedureTest, ReportsCompileErrorsAtExecution) {
    for (const char* body : {"foo() { return 1; }", "function (", "", "var x = 1;", "5", "{}"}) {
        const Outcome outcome = run_procedure(body);
        ASSERT_FALSE(outcome.status) << body;
        EXPECT_EQ(outcome.status.error().code(), ErrorCode::kBadRequest);
        EXPECT_EQ(outcome.status.error().sub_status(), 65535U) << body;
        EXPECT_THAT(outcome.status.error().message(),
                    StartsWith("Encountered exception while compiling Javascript."));
    }
}

TEST_F(ProcedureTest, ChecksAScriptWithoutRunningItsFunction) {
    EXPECT_TRUE(runtime_->check({"a", "function () { throw 1; }"}));
    EXPECT_EQ(runtime_->check({"a", "nothing("}).error().sub_status(), kCompileErrorSubStatus);
}

TEST_F(ProcedureTest, RunsInSloppyMode) {
    EXPECT_EQ(result("function () { a = 5; getContext().getResponse().setBody(a); }"), "5");
    EXPECT_EQ(result("function () { __.response.setBody(this === globalThis); }"), "true");
    EXPECT_EQ(result("function () { 'use strict'; __.response.setBody(typeof this); }"),
              "\"undefined\"");
}

TEST_F(ProcedureTest, LeaksNothingToTheNextExecution) {
    EXPECT_EQ(result("function () { leak = 1; Array.prototype.map = null; JSON.parse = null;"
                     " Object.prototype.x = 1; getContext = null; }"),
              "\"\"");
    EXPECT_EQ(value("[typeof leak, typeof [].map, typeof JSON.parse, typeof ({}).x]"),
              R"(["undefined","function","function","undefined"])");
}

TEST_F(ProcedureTest, SupportsModernJavaScript) {
    EXPECT_EQ(value("`${[1, 2].map(x => x * 2)}`"), "\"2,4\"");
    EXPECT_EQ(value("(() => { class A { constructor() { this.x = 1; } } let {x} = new A(); const "
                    "y = x ?? 2; return y ** 2; })()"),
              "1");
    EXPECT_EQ(value("typeof Date.now()"), "\"number\"");
    EXPECT_EQ(value("[...new Set([1, 1])].concat([...new Map([[1, 2]]).values()])"), "[1,2]");
}

TEST_F(ProcedureTest, HasNoWayOutOfTheSandbox) {
    for (const char* name : {"setTimeout",
                             "setInterval",
                             "require",
                             "process",
                             "fetch",
                             "SharedArrayBuffer",
                             "Atomics",
                             "WebAssembly",
                             "WeakRef",
                             "FinalizationRegistry",
                             "Debugger",
                             "native",
                             "load",
                             "print",
                             "uneval"}) {
        EXPECT_EQ(value(std::string("typeof ") + name), "\"undefined\"") << name;
    }
    for (const char* code : {"eval('1')",
                             "(0, eval)('1')",
                             "Function('return 1')",
                             "new (async () => {}).constructor('return 1')",
                             "(function* () {}).constructor('return 1')"}) {
        EXPECT_THAT(value(code), HasSubstr("EvalError")) << code;
    }
    EXPECT_THAT(result("function () { import('fs'); __.response.setBody('x'); }"), "\"x\"");
}

TEST_F(ProcedureTest, AcceptsAnyArrayLikeArguments) {
    const std::string show =
        "function () { __.response.setBody([arguments.length, "
        "arguments[0], arguments[1]]); }";
    EXPECT_EQ(result(show, ""), "[0,null,null]");
    EXPECT_EQ(result(show, "null"), "[0,null,null]");
    EXPECT_EQ(result(show, "{}"), "[0,null,null]");
    EXPECT_EQ(result(show, "[]"), "[0,null,null]");
    EXPECT_EQ(result(show, R"({"0":4})"), "[0,null,null]");
    EXPECT_EQ(result(show, R"(["a",{"b":[1]}])"), R"([2,"a",{"b":[1]}])");
    EXPECT_EQ(result(show, R"({"1":"b","0":"a","length":2})"), R"([2,"a","b"])");
    EXPECT_EQ(result(show, R"({"1":"b","length":"2"})"), R"([2,null,"b"])");
    EXPECT_EQ(result(show, R"({"0":"a","1":"b","length":1.5})"), R"([1,"a",null])");
    EXPECT_EQ(result(show, R"({"0":"a","5":"b","length":1})"), R"([1,"a",null])");
    EXPECT_EQ(result(show, R"({"0":1,"length":10000})"), "[10000,1,null]");
}

TEST_F(ProcedureTest, RefusesInvalidArguments) {
    for (const char* arguments :
         {"5", "\"text\"", "true", "[1", "nonsense", R"({"length":600000})", R"({"length":1e9})"}) {
        const Outcome outcome = run_procedure("function () {}", arguments);
        ASSERT_FALSE(outcome.status) << arguments;
        EXPECT_EQ(outcome.status.error().code(), ErrorCode::kBadRequest) << arguments;
    }
}

TEST_F(ProcedureTest, SerialisesTheBodyAtTheEnd) {
    const Outcome never = run_procedure("function () {}");
    EXPECT_EQ(never.body, "\"\"");
    EXPECT_FALSE(never.body_was_set);
    EXPECT_EQ(value("'text'"), "\"text\"");
    EXPECT_EQ(value("null"), "null");
    EXPECT_EQ(value("{a: [1, 'ü\\u{1F600}']}"), "{\"a\":[1,\"ü😀\"]}");
    EXPECT_EQ(value("undefined"), "undefined");
    EXPECT_EQ(result("function () { var o = {}; getContext().getResponse().setBody(o); o.a = 1; }"),
              R"({"a":1})");
}

TEST_F(ProcedureTest, FailsWithTheThrownNumber) {
    const Outcome outcome = run_procedure(
        "function outer() {\n  function inner() { throw new Error(4444, 'mine'); }\n"
        "  inner();\n}");
    ASSERT_FALSE(outcome.status);
    const Error& error = outcome.status.error();
    EXPECT_EQ(error.code(), ErrorCode::kBadRequest);
    EXPECT_EQ(error.sub_status(), 4444U);
    EXPECT_THAT(error.message(),
                StartsWith("Encountered exception while executing function. Exception = Error: "
                           "mine\r\nStack trace: Error: mine\n   at inner (script.js:2:"));
    EXPECT_THAT(error.message(), HasSubstr("\n   at outer (script.js:3:"));
    EXPECT_THAT(error.message(), Not(HasSubstr("orrery")));
    EXPECT_THAT(error.message(), HasSubstr("__docDbMain"));
    EXPECT_THAT(error.message(), HasSubstr("Global code"));
}

TEST_F(ProcedureTest, FailsWithAnyThrownValue) {
    EXPECT_THAT(result("() => { throw 'only text'; }"), HasSubstr("Exception = only text\r\n"));
    EXPECT_THAT(result("() => { throw {code: 5}; }"), HasSubstr("Exception = {\"code\":5}"));
    EXPECT_THAT(result("() => { throw undefined; }"), HasSubstr("Exception = undefined"));
    EXPECT_THAT(result("() => { undefined.x; }"), HasSubstr("TypeError"));
    EXPECT_THAT(result("() => { throw {toJSON() { throw 1; }}; }"), HasSubstr("unknown"));
    EXPECT_EQ(run_procedure("() => { throw new Error('x'); }").status.error().sub_status(), 0U);
    EXPECT_EQ(run_procedure("() => { throw new Error(-1, 'x'); }").status.error().sub_status(), 0U);
    EXPECT_EQ(run_procedure("() => { throw {number: 409}; }").status.error().sub_status(), 409U);
}

TEST_F(ProcedureTest, ErrorAcceptsANumberAndStaysAStandardError) {
    EXPECT_EQ(value("(e => [e.number, e.message, String(e), e instanceof Error])(new Error(409, "
                    "'m'))"),
              R"([409,"m","Error: m",true])");
    EXPECT_EQ(value("(e => [e.number, e.message])(Error(1234, 'm'))"), R"([1234,"m"])");
    EXPECT_EQ(value("(e => [e.number, e.message])(new Error('only'))"), R"([null,"only"])");
    EXPECT_EQ(value("new Error(5).message"), "\"5\"");
    EXPECT_EQ(value("new Error('m', {cause: 1}).cause"), "1");
    EXPECT_EQ(value("(() => { class E extends Error { constructor() { super(7, 'sub'); } } const e "
                    "= new E(); return [e.number, e.message, e instanceof E, e.constructor === E]; "
                    "})()"),
              R"([7,"sub",true,true])");
    EXPECT_EQ(value("[new TypeError('x') instanceof "
                    "Error, Error.prototype.constructor === Error]"),
              "[true,true]");
}

TEST_F(ProcedureTest, ErrorCodesAreFrozen) {
    EXPECT_EQ(value("(ErrorCodes.BadRequest = 1, ErrorCodes)"),
              R"({"BadRequest":400,"Forbidden":403,"NotFound":404,"Conflict":409,)"
              R"("PreconditionFailed":412,"RequestEntityTooLarge":413,"RetryWith":449,)"
              R"("InternalServerError":500})");
}

TEST_F(ProcedureTest, AbortEndsTheScriptAndCannotBeCaught) {
    const Outcome outcome = run_procedure(
        "() => { try { getContext().abort(new Error(77, 'stop here')); } catch (e) {} finally {} "
        "__.createDocument(__.getSelfLink(), {}); }");
    ASSERT_FALSE(outcome.status);
    EXPECT_EQ(outcome.status.error().sub_status(), 77U);
    EXPECT_THAT(outcome.status.error().message(), HasSubstr("stop here"));
    EXPECT_TRUE(host_.operations.empty());
    EXPECT_TRUE(run_procedure("() => {}").status);
}

TEST_F(ProcedureTest, IgnoresRejectedPromisesUnlessTheyAbort) {
    EXPECT_EQ(result("async () => { __.response.setBody(1); throw new Error('lost'); }"), "1");
    EXPECT_EQ(result("() => { Promise.reject(1); __.response.setBody(2); }"), "2");
    EXPECT_THAT(result("async () => { try { await Promise.reject(new Error('found')); } catch (e) "
                       "{ getContext().abort(e); } }"),
                HasSubstr("found"));
}

TEST_F(ProcedureTest, AwaitsOperations) {
    host_.add(R"({"id":"a","n":1})");
    EXPECT_EQ(
        result("async () => {"
               "  const read = id => new Promise((resolve, reject) => {"
               "    const ok = __.readDocument(__.getAltLink() + '/docs/' + id, (e, d) => e ? "
               "reject(e) : resolve(d));"
               "    if (!ok) reject(new Error('refused')); });"
               "  try { const a = await read('a'); await read('b'); __.response.setBody(0); }"
               "  catch (e) { __.response.setBody([e.number, e.message, e.body]); } }"),
        R"([404,"no such item","no such item"])");
}

TEST_F(ProcedureTest, SystemProceduresExist) {
    EXPECT_EQ(system_procedure("__.sys.other"), nullptr);
    Execution execution;
    execution.script = system_procedure("__.sys.echo");
    execution.arguments = R"([{"a":1},2])";
    EXPECT_EQ(runtime_->run(execution, host_).body, R"({"a":1})");
}

TEST_F(ProcedureTest, IgnoresTheResultOfTheMainFunction) { EXPECT_EQ(result("() => 42"), "\"\""); }

}  // namespace procedure_test
}  // namespace orrery::script
