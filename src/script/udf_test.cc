#include <bit>

#include "script/test_support.h"

namespace orrery::script {
namespace udf_test {

using testing::HasSubstr;

class UdfTest : public ScriptTest {
protected:
    UdfTest() : session_(runtime_->open_udfs(std::chrono::seconds(5))) {}

    std::string call(const std::string& body, std::vector<std::string_view> arguments) {
        const auto udf = session_->add({"f", body});
        if (!udf) return "error: " + udf.error().message();
        const auto result = session_->call_json(*udf, arguments);
        if (!result) return "error: " + result.error().message();
        return std::string(result->value_or("undefined"));
    }

    std::unique_ptr<UdfSession> session_;
};

TEST_F(UdfTest, PassesJson) {
    EXPECT_EQ(call("function (a, b) { return a + b; }", {"1", "2"}), "3");
    EXPECT_EQ(call("(o) => o.a[1]", {R"({"a":[1,"ü"]})"}), "\"ü\"");
    EXPECT_EQ(call("(o) => ({...o, b: [true, null]})", {R"({"a":1})"}),
              R"({"a":1,"b":[true,null]})");
    EXPECT_EQ(call("(o) => undefined", {}), "undefined");
    EXPECT_EQ(call("(o) => () => 1", {}), "undefined");
    EXPECT_EQ(call("() => 0.1", {}), "0.1");
    EXPECT_EQ(call("() => 1e21", {}), "1e+21");
    EXPECT_EQ(call("() => NaN", {}), "null");
    EXPECT_EQ(call("() => 'a\"b'", {}), R"("a\"b")");
    EXPECT_EQ(call("() => new Date(0)", {}), "\"1970-01-01T00:00:00.000Z\"");
}

TEST_F(UdfTest, PassesTypedValues) {
    const auto show = session_->add({"show", "(...a) => a.map(x => x === undefined ? 'u' : x)"});
    const std::vector<UdfValue> arguments = {UdfValue::undefined(),
                                             UdfValue::null(),
                                             UdfValue::boolean(true),
                                             UdfValue::number(2.5),
                                             UdfValue::string("t\0\"😀"),
                                             UdfValue::json("[1]")};
    EXPECT_EQ(session_->call(*show, arguments)->text(), R"(["u",null,true,2.5,"t",[1]])");
    const auto same = session_->add({"same", "x => x"});
    for (const UdfValue& argument : arguments) {
        const auto result = session_->call(*same, {&argument, 1});
        ASSERT_TRUE(result);
        EXPECT_EQ(result->kind(), argument.kind());
        EXPECT_EQ(result->text(), argument.text());
        EXPECT_EQ(result->number(), argument.number());
    }
}

TEST_F(UdfTest, AnyNanIsANumber) {
    const auto same = session_->add({"same", "x => typeof x"});
    for (const std::uint64_t bits :
         {0x7FF8000000000000U, 0xFFF8000000000000U, 0xFFFFFFFFFFFFFFFFU}) {
        const UdfValue argument = UdfValue::number(std::bit_cast<double>(bits));
        EXPECT_EQ(session_->call(*same, {&argument, 1})->text(), "number");
    }
}

TEST_F(UdfTest, HasNoContext) {
    EXPECT_EQ(
        call("() => [typeof getContext, typeof __, typeof ErrorCodes, typeof console.log]", {}),
        R"(["undefined","undefined","object","function"])");
}

TEST_F(UdfTest, FailsWithTheThrownNumber) {
    const auto udf = session_->add({"f", "() => { throw new Error(32766, 'mine'); }"});
    const auto result = session_->call(*udf, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::kBadRequest);
    EXPECT_EQ(result.error().sub_status(), 32766U);
    EXPECT_THAT(result.error().message(), HasSubstr("mine"));
    EXPECT_EQ(session_->add({"f", "not a function"}).error().sub_status(), kCompileErrorSubStatus);
}

TEST_F(UdfTest, ManyUdfsShareASession) {
    const auto one = session_->add({"one", "() => 1"});
    const auto next = session_->add({"next", "x => x + 1"});
    for (int i = 0; i < 1000; ++i) {
        const UdfValue argument = UdfValue::number(i);
        EXPECT_EQ(session_->call(*next, {&argument, 1})->number(), i + 1);
        EXPECT_EQ(session_->call(*one, {})->number(), 1);
    }
}

TEST_F(UdfTest, TimesOut) {
    const auto session = runtime_->open_udfs(std::chrono::milliseconds(50));
    const auto udf = session->add({"f", "() => { while (true); }"});
    EXPECT_EQ(session->call(*udf, {}).error().code(), ErrorCode::kTimeout);
    EXPECT_EQ(call("() => 1", {}), "1");
}

TEST_F(UdfTest, PromisesNeverRun) {
    EXPECT_EQ(call("async () => { await 1; return 1; }", {}), "{}");
    EXPECT_EQ(value("'still works'"), "\"still works\"");
}

TEST_F(UdfTest, RunInsideAScriptsQuery) {
    host_.on_query = [this](const Operation&) -> Result<Reply> {
        const auto inner = runtime_->open_udfs(std::chrono::seconds(1));
        const std::size_t twice =
            TRY(inner->add({"twice", "x => { Promise.resolve(); return 2 * x; }"}));
        const UdfValue argument = UdfValue::number(4);
        const UdfValue result = TRY(inner->call(twice, {&argument, 1}));
        return Reply{.status = 200,
                     .body = "[" + std::to_string(static_cast<int>(result.number())) + "]",
                     .continuation = {}};
    };
    EXPECT_EQ(result("() => { Promise.resolve().then(() => __.response.appendBody('p')); "
                     "__.queryDocuments(__.getSelfLink(), 'q', (e, r) => "
                     "__.response.appendBody(r[0])); }"),
              "\"p8\"");
}

TEST_F(UdfTest, TimeoutInsideAScriptsQueryEndsTheScript) {
    host_.on_query = [this](const Operation&) -> Result<Reply> {
        const auto inner = runtime_->open_udfs(std::chrono::milliseconds(30));
        const std::size_t udf = TRY(inner->add({"f", "() => { while (true); }"}));
        TRY(inner->call(udf, {}));
        return Reply{};
    };
    const Outcome outcome =
        run_procedure("() => { __.queryDocuments(__.getSelfLink(), 'q', () => {}); }");
    EXPECT_EQ(outcome.status.error().code(), ErrorCode::kTimeout);
}

}  // namespace udf_test
}  // namespace orrery::script
