// Hostile scripts get an error, and nothing else is affected.

#include <thread>

#include "script/test_support.h"

namespace orrery::script {
namespace limits_test {

using testing::HasSubstr;
using testing::StartsWith;

class LimitsTest : public ScriptTest {
protected:
    Outcome run_for(std::string body, std::chrono::milliseconds limit) {
        Execution execution;
        execution.script = script(std::move(body));
        execution.time_limit = limit;
        if (runtime_->is_exhausted()) renew_runtime();
        return runtime_->run(execution, host_);
    }

    void expect_timeout(const std::string& body) {
        const Outcome outcome = run_for(body, std::chrono::milliseconds(100));
        ASSERT_FALSE(outcome.status) << body;
        EXPECT_EQ(outcome.status.error().code(), ErrorCode::kTimeout)
            << body << outcome.status.error().message();
        EXPECT_THAT(outcome.status.error().message(),
                    StartsWith("The requested operation exceeded maximum alloted time."));
        expect_alive();
    }

    // Must end soon, with success or failure.
    void expect_survives(const std::string& body) {
        const Outcome outcome = run_for(body, std::chrono::milliseconds(1000));
        if (outcome.status) {
            ADD_FAILURE() << body << " gave " << outcome.body.value_or("nothing");
        }
        expect_alive();
    }

    void expect_alive() {
        const Outcome outcome =
            run_for("() => { __.response.setBody([1].map(x => x + 1)); }", std::chrono::seconds(5));
        ASSERT_TRUE(outcome.status);
        EXPECT_EQ(outcome.body, "[2]");
    }
};

TEST_F(LimitsTest, EndlessCodeTimesOut) {
    expect_timeout("() => { while (true); }");
    expect_timeout("() => { try { while (true); } catch (e) {} finally { while (true); } }");
    expect_timeout("() => { for (;;) { try { for (;;) ; } finally { continue; } } }");
    expect_timeout("() => { const f = () => Promise.resolve().then(f); f(); }");
    expect_timeout(
        "() => { const f = () => { Promise.resolve().then(f); Promise.resolve().then(f);"
        " }; f(); }");
    expect_timeout("async () => { while (true) await 1; }");
    expect_timeout("() => { [3, 2, 1].sort(() => { while (true); }); }");
    expect_timeout("() => { __.response.setBody({toJSON() { while (true); }}); }");
    expect_timeout("() => { throw {toString() { while (true); }, toJSON() { while (true); }}; }");
    expect_timeout("() => { Array.prototype.every.call({length: 2 ** 50}, () => true); }");
    expect_timeout(
        "() => { let o = {}; for (let i = 0; i < 40; i++) o = {a: o, b: o};"
        " JSON.stringify(o); }");
}

// Reserves time for the callbacks of accepted operations. An operation takes at least as long in
// fact, which is what the estimate is made of, as by the clock of the deadline.
TEST_F(LimitsTest, AcceptedOperationsCanFinish) {
    constexpr std::chrono::milliseconds kOperation(10);
    ManualClock clock{std::chrono::hours(1)};
    runtime_.reset();  // a thread can have one
    const auto runtime = make_runtime({clock, random_, watchdog_}, {});
    host_.on_execute = [&](const Operation&) {
        std::this_thread::sleep_for(kOperation);
        clock.advance(kOperation);
    };
    host_.on_deliver = [&] { clock.advance(kOperation); };
    Execution execution;
    execution.script = script(R"(() => {
        let accepted = 0, done = 0;
        const note = () => { __.response.setBody(++done === accepted); };
        while (__.createDocument(__.getSelfLink(), {n: 1}, note)) accepted++;
    })");
    execution.time_limit = std::chrono::milliseconds(1000);
    const Outcome outcome = runtime->run(execution, host_);
    ASSERT_TRUE(outcome.status) << outcome.status.error().message();
    EXPECT_EQ(outcome.body, "true");
}

TEST_F(LimitsTest, TopLevelCodeTimesOut) {
    expect_timeout("function () {}; while (true);");
    EXPECT_EQ(runtime_->check({"a", "function () {}"}).operator bool(), true);
}

TEST_F(LimitsTest, RegularExpressionsAreInterrupted) {
    expect_survives("() => { __.response.setBody(/(x+x+)+y/.test('x'.repeat(5000))); }");
    expect_survives(
        "() => { __.response.setBody(/^(([a-z])+.)+[A-Z]([a-z])+$/.test("
        "'a'.repeat(60))); }");
}

TEST_F(LimitsTest, DeepRecursionIsAnError) {
    EXPECT_THAT(result("function f() { f(); }"), HasSubstr("InternalError"));
    expect_timeout("() => { const g = () => { try { g(); } catch (e) { g(); } }; g(); }");
    EXPECT_THAT(result("() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; "
                       "__.response.setBody(a); }"),
                HasSubstr("InternalError"));
    expect_alive();
}

TEST_F(LimitsTest, MemoryBombsAreErrors) {
    expect_survives("() => { const a = []; while (true) a.push({x: a.length}); }");
    expect_survives("() => { const a = []; while (true) a.push(new Array(10000).fill(1)); }");
    expect_survives("() => { const m = new Map(); while (true) m.set({}, 'x' + Math.random()); }");
    expect_survives(
        "() => { const a = []; while (true) a.push(new Uint8Array(1 << 24).fill(1)); }");
    expect_survives(
        "() => { let s = 'x'; while (true) { s += s + Math.random(); s.charCodeAt(1); } }");
    // Property keys are stored apart from other strings; memory held by young objects is counted
    // late.
    expect_survives("() => { const o = {}; for (let i = 0;; i++) o['x'.repeat(1e6) + i] = 1; }");
    expect_survives("() => { const a = []; for (;;) a.push(1); }");
    // Memory cannot be measured when no stack is left.
    expect_survives(
        "() => { const a = []; const f = () => { try { f(); } catch (e) {} "
        "for (let i = 0; i < 1e6; i++) a.push(i); }; f(); }");
    expect_survives("() => { const a = []; a.length = 2 ** 32 - 1; a.fill(1); }");
    expect_survives(
        "() => { const f = () => { for (let i = 0; i < 10; i++) "
        "Promise.resolve(new Array(1000).fill(1)).then(f); }; f(); }");
}

TEST_F(LimitsTest, RefusesExpensiveSearches) {
    const std::string text =
        "() => { const t = 'a'.repeat(2 ** 24), p = 'a'.repeat(2 ** 20) + 'b';";
    expect_survives(text + " __.response.setBody(t.indexOf(p)); }");
    expect_survives(text + " __.response.setBody(t.lastIndexOf(p)); }");
    expect_survives(text + " __.response.setBody(t.includes({toString: () => p})); }");
    expect_survives(text + " __.response.setBody(t.split(p)); }");
    expect_survives(text + " __.response.setBody(t.replace(p, '')); }");
    expect_survives(text + " __.response.setBody(t.replaceAll(p, '')); }");
    expect_survives(text +
                    " __.response.setBody(new Array(1e6).fill(p + 'c').indexOf(p + 'd')); }");
}

TEST_F(LimitsTest, RefusesToParseLongText) {
    expect_survives(
        "() => { __.response.setBody(JSON.parse('[' + '1,'.repeat(3e7) + '1]').length); }");
    EXPECT_EQ(value("JSON.parse('[1, {\"a\": 2}]', (k, v) => k === 'a' ? v + 1 : v)"),
              R"([1,{"a":3}])");
    EXPECT_THAT(value("JSON.parse()"), HasSubstr("SyntaxError"));
}

TEST_F(LimitsTest, RefusesToTransformLongStrings) {
    for (const char* call : {"normalize('NFKD')", "toUpperCase()", "toLocaleLowerCase('tr')"}) {
        expect_survives("() => { __.response.setBody('\\u1E9B'.repeat(2 ** 25)." +
                        std::string(call) + ".length); }");
    }
    EXPECT_EQ(value("['aß'.toUpperCase(), 'A'.toLowerCase(), '\\u0041\\u030A'.normalize()]"),
              "[\"ASS\",\"a\",\"Å\"]");
}

TEST_F(LimitsTest, AllowsOrdinarySearches) {
    EXPECT_EQ(value("['a,b'.split(','), 'abc'.split(''), 'abc'.split(), 'a1b2'.split(/\\d/)]"),
              R"([["a","b"],["a","b","c"],["abc"],["a","b",""]])");
    EXPECT_EQ(value("['aXbX'.replace('X', '-'), 'aXbX'.replaceAll('X', m => m + m), "
                    "'ab'.replace(/b/, 'c')]"),
              R"(["a-bX","aXXbXX","ac"])");
    EXPECT_EQ(value("['abcb'.indexOf('b', 2), 'abcb'.lastIndexOf('b'), 'abc'.includes('c'), "
                    "'xundefined'.indexOf()]"),
              "[3,3,true,1]");
    EXPECT_EQ(value("[[1, 'a'].indexOf('a'), [1, 'a', 1].lastIndexOf(1), [NaN].includes(NaN)]"),
              "[1,2,true]");
    EXPECT_EQ(value("[String.prototype.split.length, [].indexOf.length, ''.replace.name]"),
              R"([2,1,"replace"])");
    EXPECT_THAT(value("''.indexOf.call(null, 'a')"), HasSubstr("TypeError"));
}

TEST_F(LimitsTest, ReportsThatMemoryRanOut) {
    EXPECT_FALSE(runtime_->is_exhausted());
    EXPECT_FALSE(run_procedure("() => { const a = []; while (true) a.push({}); }").status);
    EXPECT_TRUE(runtime_->is_exhausted());
}

TEST_F(LimitsTest, RefusesOperationsNearTheTimeLimit) {
    host_.add(R"({"id":"a"})");
    // The chain of callbacks ends by itself, so the script succeeds.
    const Outcome outcome = run_for(
        "() => { let n = 0; const next = () => { n++; __.response.setBody(n); "
        "return __.readDocuments(__.getSelfLink(), next); }; next(); }",
        std::chrono::milliseconds(500));
    EXPECT_TRUE(outcome.status) << outcome.status.error().message();
    EXPECT_GT(host_.operations.size(), 10U);
}

TEST_F(LimitsTest, RefusesOperationsWhenTheHostIsFull) {
    host_.operations_max = 2;
    EXPECT_EQ(value("[1, 2, 3].map(x => __.createDocument(__.getSelfLink(), {id: String(x)}))"),
              "[true,true,false]");
    EXPECT_EQ(host_.items.size(), 2U);
}

TEST_F(LimitsTest, RequestErrorsEndTheScript) {
    host_.on_query = [](const Operation&) {
        return Error(ErrorCode::kThrottled, "no throughput left");
    };
    const Outcome outcome = run_procedure(
        "() => { try { __.queryDocuments(__.getSelfLink(), 'x', () => {}); } catch (e) {} }");
    ASSERT_FALSE(outcome.status);
    EXPECT_EQ(outcome.status.error().code(), ErrorCode::kThrottled);
}

TEST_F(LimitsTest, BodiesAndLogsAreBounded) {
    EXPECT_EQ(value("(() => { try { __.response.setBody('x'.repeat(5e6)); } catch (e) { return "
                    "[e.number, e.message.includes('\"Body\"')]; } })()"),
              "[413,true]");
    EXPECT_EQ(value("(() => { try { for (;;) __.response.appendBody('x'.repeat(1e6)); } catch (e) {"
                    " return e.number; } })()"),
              "413");
    const Outcome outcome = run_procedure(
        "() => { try { for (;;) console.log('x'.repeat(1000)); } catch (e) { "
        "__.response.setBody(e.number); } }",
        "",
        true);
    EXPECT_EQ(outcome.body, "413");
    EXPECT_EQ(outcome.log.size(), 16000U);
}

TEST_F(LimitsTest, RefusesABodyThatGrew) {
    const Outcome outcome = run_procedure(
        "() => { const a = []; __.response.setBody(a); for (let i = 0; i < 14; i++) "
        "a.push('x'.repeat(1e6)); }");
    ASSERT_FALSE(outcome.status);
    EXPECT_EQ(outcome.status.error().code(), ErrorCode::kTooLarge);
}

TEST_F(LimitsTest, DeeplyNestedSourceDoesNotCompile) {
    for (const char* open : {"[", "(", "{", "-", "a?", "()=>"}) {
        std::string body = "() => ";
        for (int i = 0; i < 200'000; ++i) {
            body += open;
        }
        EXPECT_EQ(run_procedure(body).status.error().sub_status(), kCompileErrorSubStatus) << open;
    }
    expect_alive();
}

TEST_F(LimitsTest, ExhaustedRuntimeStillRuns) {
    EXPECT_FALSE(run_procedure("() => { const a = []; while (true) a.push({}); }").status);
    ASSERT_TRUE(runtime_->is_exhausted());
    runtime_->rest();
    EXPECT_EQ(value("1"), "1");
}

TEST_F(LimitsTest, LimitsPendingCallbacks) {
    EXPECT_EQ(result("() => { let n = 0; const link = __.getAltLink() + '/docs/x'; "
                     "while (__.readDocument(link, () => {})) n++; "
                     "__.response.setBody(n); }"),
              "20000");
}

}  // namespace limits_test
}  // namespace orrery::script
