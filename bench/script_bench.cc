// The cost of the script engine without a database: empty procedures, short procedures, UDF calls.
// Prints one line each.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/random.h"
#include "script/engine.h"

namespace {

using orrery::Error;
using orrery::Result;
using namespace orrery::script;  // NOLINT: this program uses little else
using Timer = std::chrono::steady_clock;

// Answers every operation with the same item.
class EchoHost final : public ScriptHost {
public:
    std::string self_link() const override { return "dbs/AAAA==/colls/AAAABBBB=/"; }
    std::string alt_link() const override { return "dbs/db/colls/coll"; }
    std::string partition_key_definition() const override { return "{}"; }
    std::string quota_usage() const override { return "collectionSize=1;"; }
    std::string quota_limits() const override { return "collectionSize=10;"; }
    bool accepts_operations() const override { return true; }
    Result<Reply> execute(const Operation& /*operation*/) override {
        return Reply{.status = 201, .body = R"({"id":"a","pk":"b","n":1})", .continuation = {}};
    }
    Result<std::string> evaluate_spatial(SpatialFunction /*function*/,
                                         std::string_view /*first*/,
                                         std::string_view /*second*/) override {
        return Error(orrery::ErrorCode::kNotImplemented);
    }
};

void report(const std::string& name, int count, const std::function<void()>& work) {
    for (int i = 0; i < count / 10; ++i) {
        work();
    }
    const auto start = Timer::now();
    for (int i = 0; i < count; ++i) {
        work();
    }
    const std::chrono::duration<double> took = Timer::now() - start;
    fmt::print("{:<44} {:>10.2f} µs {:>12.0f} /s\n",
               name,
               took.count() * 1e6 / count,
               count / took.count());
}

void measure_procedures(Runtime& runtime) {
    EchoHost host;
    const auto run = [&](const char* body, bool prepared) {
        Execution execution;
        execution.script = std::make_shared<const Script>(Script{"bench", body});
        execution.arguments = R"(["x",{"id":"a"}])";
        return [&runtime, &host, execution, prepared] {
            if (prepared) runtime.prepare();
            if (!runtime.run(execution, host).status) fmt::print("failed\n");
        };
    };
    report("empty procedure, everything included", 5000, run("function () {}", false));
    report("procedure with one create",
           5000,
           run("function (p, d) { __.createDocument("
               "__.getSelfLink(), d, (e, r) => __.response.setBody(r.id)); }",
               false));
    report("procedure with 100 creates",
           500,
           run("function (p, d) { for (let i = 0; i < 100; i++) "
               "__.createDocument(__.getSelfLink(), d, (e, r) => __.response.setBody(r.id)); }",
               false));

    // The caller's latency when the thread had time to prepare.
    auto empty = run("function () {}", false);
    double total = 0;
    constexpr int kRuns = 3000;
    for (int i = 0; i < kRuns; ++i) {
        runtime.prepare();
        const auto start = Timer::now();
        empty();
        total += std::chrono::duration<double>(Timer::now() - start).count();
    }
    fmt::print("{:<44} {:>10.2f} µs\n", "empty procedure, prepared", total * 1e6 / kRuns);
}

void measure_udfs(Runtime& runtime) {
    const auto session = runtime.open_udfs(std::chrono::hours(1));
    const std::size_t tax =
        *session->add({"tax", "function (x) { return x < 1000 ? x * 0.1 : x; }"});
    const std::size_t concat = *session->add({"concat", "(a, b) => a + b"});
    const std::size_t member = *session->add({"member", "o => o.a.b"});
    const std::vector<UdfValue> number = {UdfValue::number(500)};
    const std::vector<UdfValue> strings = {UdfValue::string("some text"), UdfValue::string("more")};
    const std::vector<UdfValue> object = {UdfValue::json(R"({"id":"x","a":{"b":[1,2,3]}})")};
    const std::vector<std::string_view> json = {"500"};
    report("UDF, number in and out", 300'000, [&] { (void)session->call(tax, number); });
    report("UDF, strings in and out", 300'000, [&] { (void)session->call(concat, strings); });
    report("UDF, object in, array out", 300'000, [&] { (void)session->call(member, object); });
    report("UDF, number as JSON", 300'000, [&] { (void)session->call_json(tax, json); });
}

}  // namespace

int main() {
    const orrery::SystemClock clock;
    orrery::SecureRandom random;
    Watchdog watchdog;
    const auto start = Timer::now();
    const auto runtime = make_runtime({clock, random, watchdog});
    fmt::print("{:<44} {:>10.2f} µs\n",
               "new runtime",
               std::chrono::duration<double>(Timer::now() - start).count() * 1e6);
    measure_procedures(*runtime);
    measure_udfs(*runtime);
    return 0;
}
