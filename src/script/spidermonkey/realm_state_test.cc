// Scripts cannot observe each other although they share a global object: every reachable object is
// changed in many ways, and the next script must find it as it was.

#include "script/spidermonkey/realm_state.h"

#include <fmt/format.h>

#include "script/spidermonkey/runtime.h"
#include "script/test_support.h"

namespace orrery::script {
namespace realm_state_test {

// Lists all reachable objects in a fixed order, and describes an object.
constexpr const char* kReach = R"(
    const hidden = [__, getContext(), [][Symbol.iterator](), ''[Symbol.iterator](),
        new Map().entries(), new Set().values(), ''.matchAll(/a/g), function* () {},
        async function* () {}, async () => {}, (function () { return arguments; })()];
    const {getOwnPropertyDescriptor, getPrototypeOf, isExtensible} = Object;
    const {ownKeys} = Reflect;
    function reach() {
        const all = [], seen = new Set();
        const add = (o) => {
            if (o === null || typeof o !== 'object' && typeof o !== 'function' || seen.has(o)) return;
            seen.add(o);
            all.push(o);
        };
        add(globalThis);
        for (const o of hidden) add(getPrototypeOf(o));
        for (let i = 0; i < all.length; i++) {
            add(getPrototypeOf(all[i]));
            for (const key of ownKeys(all[i])) {
                if (key === '__' || key === 'getContext') continue;
                const {value, get, set} = getOwnPropertyDescriptor(all[i], key);
                add(value); add(get); add(set);
            }
        }
        return all;
    }
    function describe(all, o) {
        const name = (v) => all.indexOf(v) >= 0 ? '#' + all.indexOf(v) : typeof v + String(v);
        return ownKeys(o).map((key) => {
            if (key === '__' || key === 'getContext') return key;
            const {value, get, set, ...flags} = getOwnPropertyDescriptor(o, key);
            return String(key) + [value, get, set].map(name) + JSON.stringify(flags);
        }).concat(name(getPrototypeOf(o)), isExtensible(o)).join();
    })";

// Changes made to the object `o`, with `key` one of its own properties.
constexpr const char* kChanges[] = {
    "o.added = 1;",
    "o[0] = 1;",
    "o[Symbol.for('added')] = 1;",
    "Object.defineProperty(o, key, {value: 'changed'});",
    "Object.defineProperty(o, key, {get() { return 1; }, configurable: true});",
    "Object.defineProperty(o, key, {enumerable: !{}.propertyIsEnumerable.call(o, key)});",
    "delete o[key];",
    "Object.setPrototypeOf(o, {});",
    "Object.preventExtensions(o);",
    "o.length = 3;",
};

class RealmStateTest : public ScriptTest {
protected:
    SpiderMonkeyRuntime& engine() { return static_cast<SpiderMonkeyRuntime&>(*runtime_); }

    // Runs it twice after a script that changes nothing; the global object must be reused.
    void expect_used_again(const std::string& body) {
        EXPECT_TRUE(run_procedure(body).status) << body;
        const std::size_t before = engine().realms_made();
        for (int i = 0; i < 5; ++i)
            run_procedure(body);
        EXPECT_EQ(engine().realms_made(), before) << body;
    }

    void expect_no_trace(const std::string& body, const std::string& look) {
        const std::string clean = value(look);
        run_procedure(body);
        EXPECT_EQ(value(look), clean) << body;
    }
};

TEST_F(RealmStateTest, ScriptsThatChangeNothingShareOne) {
    expect_used_again("function () {}");
    expect_used_again("async () => { await 1; __.response.setBody(new Date(0).getTime()); }");
    expect_used_again(
        "() => { for (const x of [1, 'a', /b(.)/.exec('bc')[1]]) __.response.appendBody(x); }");
    expect_used_again(
        "() => { __.createDocument(__.getSelfLink(), {n: 1}, (e, d) => { if (e) throw e; }); }");
    expect_used_again("() => { __.chain().sortBy(x => x.n).map(x => x.id).value(); }");
    expect_used_again(
        "() => { class A extends Array { size() { return this.length; } }"
        " __.response.setBody(new A(3).size()); }");
    run_procedure("() => { throw new Error(1, 'x'); }");
    const std::size_t before = engine().realms_made();
    run_procedure("() => { throw new Error(1, 'x'); }");
    EXPECT_EQ(engine().realms_made(), before);
}

TEST_F(RealmStateTest, IdleRuntimeStaysReady) {
    run_procedure("() => {}");
    runtime_->prepare();
    runtime_->rest();
    expect_used_again("() => {}");
}

TEST_F(RealmStateTest, WatchesEveryObject) {
    const auto all = json::Value::parse(result(fmt::format(
        "() => {{{}const all = reach(); __.response.setBody(all.map(o => describe(all, o))); }}",
        kReach)));
    ASSERT_TRUE(all);
    const std::size_t count = all->array().size();
    ASSERT_GT(count, 500U);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string describe = fmt::format(
            "() => {{{}const all = reach(); __.response.setBody(describe(all, all[{}])); }}",
            kReach,
            i);
        const char* change = kChanges[i * 7 % std::size(kChanges)];
        run_procedure(fmt::format(
            "() => {{{}const o = reach()[{}], keys = ownKeys(o), key = keys[{} % keys.length];"
            "try {{ {} }} catch (e) {{}} }}",
            kReach,
            i,
            i,
            change));
        ASSERT_EQ(result(describe), all->array()[i].text()) << "object " << i << ": " << change;
    }
    EXPECT_GT(engine().realms_made(), count / 2) << "most changes must cause a new global object";
}

TEST_F(RealmStateTest, ClearsOtherStateOfScripts) {
    expect_no_trace("() => { leak = 1; }", "typeof leak");
    expect_no_trace("() => {}; let leak = 1;", "typeof leak");
    expect_no_trace("() => {}; class Leak {}", "typeof Leak");
    expect_no_trace("() => {}; function leak() {}", "typeof leak");
    expect_no_trace("() => { /(s)ecret/.exec('secret'); }",
                    "[RegExp.$1, RegExp.lastMatch, RegExp.leftContext, RegExp.input]");
    expect_no_trace("() => { RegExp.input = 'secret'; }", "RegExp.input");
    expect_no_trace("() => { console.log = 1; }", "typeof console.log");
    expect_no_trace("() => { console = 1; }", "typeof console");
    expect_no_trace("() => { getContext = null; __ = null; }", "[typeof getContext, typeof __]");
    expect_no_trace("() => { __.leak = 1; getContext().leak = 1; __.request.leak = 1; }",
                    "[__.leak, getContext().leak, __.request.leak]");
    expect_no_trace("() => { getContext().getCollection().leak = 1; }", "__.leak");
    expect_no_trace("() => { __.createDocument.leak = 1; }", "__.createDocument.leak");
    expect_no_trace("() => { Object.getPrototypeOf(function* () {}).leak = 1; }",
                    "Object.getPrototypeOf(function* () {}).leak");
}

// A script replaces a built-in function that the prelude uses, captures one of the prelude's own
// objects, and restores the function.
TEST_F(RealmStateTest, PreludeObjectsCannotBeCaptured) {
    host_.add(R"({"id":"a","n":1})");
    const std::string sort =
        "() => { __.sortBy(function (x) { return x.n; }, (e, r) => __.response.setBody(r.length)); "
        "}";
    const std::string before = result(sort);
    run_procedure(R"(() => {
        const exec = RegExp.prototype.exec;
        RegExp.prototype.exec = function (s) { this.compile('.*'); return exec.call(this, s); };
        try { __.sortBy(function (x) { return x.n; }, () => {}); } finally { RegExp.prototype.exec = exec; }
    })");
    EXPECT_EQ(result(sort), before);

    const std::string chain = "() => { __.response.setBody(Object.keys(__.chain()).length); }";
    const std::string names = result(chain);
    run_procedure(R"(() => {
        const original = Array.prototype[Symbol.iterator];
        Array.prototype[Symbol.iterator] = function () {
            if (this.includes('unwind')) this.push('caught');
            return original.call(this);
        };
        try { __.chain(); } finally { Array.prototype[Symbol.iterator] = original; }
    })");
    EXPECT_EQ(result(chain), names);
}

TEST_F(RealmStateTest, LoggingDoesNotCarryOver) {
    EXPECT_EQ(run_procedure("() => { console.log('a'); }", {}, true).log, "a");
    EXPECT_EQ(run_procedure("() => { console.log('b'); }", {}, false).log, "");
    EXPECT_EQ(run_procedure("() => { console.log('c'); }", {}, true).log, "c");
}

}  // namespace realm_state_test
}  // namespace orrery::script
