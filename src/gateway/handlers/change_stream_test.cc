// Changes as server-sent events.

#include <chrono>
#include <future>
#include <gmock/gmock.h>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "gateway/test_support.h"

namespace orrery::gateway {
namespace change_stream_test {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::FakeExchange;
using testing_support::GatewayTest;
using testing_support::Headers;
using testing_support::kKey;
using testing_support::Reply;

using Stream = std::shared_ptr<http::BodyStream>;

class ChangeStreamTest : public GatewayTest {
protected:
    void SetUp() override { make_container(); }

    http::Response ask(Headers headers = {}) {
        headers["Accept"] = "text/event-stream";
        const auto exchange = make_exchange("GET", "/dbs/d/colls/c/docs", headers, "");
        auto response = exchange->response();
        if (const auto admitted = gateway_.admit(exchange)) admitted->handle();
        return response.get();
    }
    auth::ResourceGrant grant_for_a_minute() {
        auth::ResourceGrant grant;
        grant.database = "d";
        grant.container = "c";
        grant.issued = clock_.now_seconds();
        grant.expires = clock_.now_seconds() + 60;
        return grant;
    }
    static std::string next(const Stream& stream) {
        const auto piece = std::make_shared<std::promise<std::string>>();
        stream->next([piece](std::string text) { piece->set_value(std::move(text)); });
        return piece->get_future().get();
    }
    // The next events; skips what only shows that the stream is alive.
    static std::string events(const Stream& stream) {
        for (;;) {
            std::string piece = next(stream);
            if (piece != ": keep-alive\n\n") return piece;
        }
    }
};

TEST_F(ChangeStreamTest, SendsChangesAsTheyCome) {
    ASSERT_EQ(create("{\"id\":\"1\",\n\"pk\":\"a\"}").status, 201U);
    ASSERT_EQ(create(R"({"id":"2","pk":"a"})").status, 201U);
    const http::Response response = ask();
    EXPECT_EQ(Reply(response).header("content-type"), "text/event-stream");
    ASSERT_TRUE(response.stream);
    std::string first = events(response.stream);
    EXPECT_THAT(first, StartsWith("retry: 1000\n\ndata: {\"id\":\"1\",\"pk\":\"a\","));
    EXPECT_THAT(first, HasSubstr("\"_lsn\":1}\n\nid: 2\ndata: {\"id\":\"2\""));
    EXPECT_EQ(next(response.stream), ": keep-alive\n\n");
    ASSERT_EQ(create(R"({"id":"3","pk":"a"})").status, 201U);
    EXPECT_THAT(events(response.stream), StartsWith("id: 3\ndata: {\"id\":\"3\""));
    // Goes on after an event.
    const http::Response resumed = ask({{"Last-Event-ID", "2"}});
    EXPECT_THAT(events(resumed.stream), StartsWith("retry: 1000\n\nid: 3\ndata: {\"id\":\"3\""));
}

TEST_F(ChangeStreamTest, StartsNow) {
    ASSERT_EQ(create(R"({"id":"1","pk":"a"})").status, 201U);
    const http::Response response = ask({{"If-None-Match", "*"}});
    EXPECT_EQ(events(response.stream), "retry: 1000\n\n");
    ASSERT_EQ(create(R"({"id":"2","pk":"a"})").status, 201U);
    EXPECT_THAT(events(response.stream), StartsWith("id: 2\ndata: {\"id\":\"2\""));
}

TEST_F(ChangeStreamTest, RefusesWhatItCannotSend) {
    EXPECT_EQ(ask({{"Last-Event-ID", "nonsense"}}).status, 400U);
    EXPECT_EQ(ask({{"A-IM", "Full-Fidelity Feed"}, {"If-None-Match", "*"}}).status, 400U);
    EXPECT_EQ(ask({{"x-ms-documentdb-partitionkeyrangeid", "77"}}).status, 410U);
    EXPECT_EQ(change_streams_.stats().streams, 0U);
}

TEST_F(ChangeStreamTest, LimitsTheNumberOfStreams) {
    const http::Response first = ask();
    std::optional<http::Response> second = ask();
    EXPECT_EQ(change_streams_.stats().streams, 2U);
    const http::Response third = ask();
    EXPECT_EQ(third.status, 429U);
    EXPECT_EQ(change_streams_.stats().refused, 1U);
    EXPECT_EQ(Reply(third).header("x-ms-retry-after-ms"), "5000");
    second.reset();
    EXPECT_EQ(ask().status, 200U);
}

TEST_F(ChangeStreamTest, KnowsHowFarItIsBehind) {
    for (int i = 0; i < 5; ++i)
        ASSERT_EQ(create(R"({"id":")" + std::to_string(i) + R"(","pk":"a"})").status, 201U);
    const http::Response response = ask({{"x-ms-max-item-count", "2"}});
    EXPECT_EQ(change_streams_.stats().behind_max, 3U);
    for (int page = 0; page < 3; ++page)
        events(response.stream);
    EXPECT_EQ(change_streams_.stats().behind_max, 0U);
}

TEST_F(ChangeStreamTest, EndsWhenTheContainerIsRemoved) {
    const http::Response response = ask();
    EXPECT_EQ(events(response.stream), "retry: 1000\n\n");
    ASSERT_EQ(send("DELETE", "/dbs/d/colls/c").status, 204U);
    EXPECT_THAT(events(response.stream), StartsWith("event: error\ndata: {\"message\":"));
    EXPECT_EQ(next(response.stream), "");
}

TEST_F(ChangeStreamTest, EndsWhenItsTokenExpires) {
    const auth::ResourceGrant grant = grant_for_a_minute();
    const http::Response response = ask({{"authorization", services_.tokens->issue(grant)}});
    EXPECT_EQ(events(response.stream), "retry: 1000\n\n");
    ASSERT_EQ(create(R"({"id":"1","pk":"a"})").status, 201U);
    EXPECT_THAT(events(response.stream), StartsWith("id: 1\n"));
    clock_.advance(std::chrono::seconds(60));
    ASSERT_EQ(create(R"({"id":"2","pk":"a"})").status, 201U);
    EXPECT_THAT(events(response.stream), HasSubstr("not valid at the current time"));
    EXPECT_EQ(next(response.stream), "");
}

TEST_F(ChangeStreamTest, EndsWhenItsKeyIsReplaced) {
    const http::Response response = ask();
    EXPECT_EQ(events(response.stream), "retry: 1000\n\n");
    ASSERT_TRUE(keys_.set(auth::KeySlot::kPrimary, kKey));  // the same one
    ASSERT_EQ(create(R"({"id":"1","pk":"a"})").status, 201U);
    EXPECT_THAT(events(response.stream), StartsWith("id: 1\n"));
    ASSERT_TRUE(keys_.set(auth::KeySlot::kPrimary, base64_encode(std::string(64, 'k'))));
    EXPECT_THAT(events(response.stream), StartsWith("event: error\ndata: {\"message\":"));
    EXPECT_EQ(next(response.stream), "");
}

// The EventSource of a browser can send no headers.
TEST_F(ChangeStreamTest, TakesHeadersFromTheQueryString) {
    ASSERT_EQ(create(R"({"id":"1","pk":"a"})").status, 201U);
    auth::ResourceGrant grant = grant_for_a_minute();
    grant.partition_key = model::PartitionKeyValue{std::string("a")};
    const auto listen = [&](const std::string& more) {
        const auto exchange = std::make_shared<FakeExchange>(
            "GET",
            "/dbs/d/colls/c/docs?authorization=" + percent_encode(services_.tokens->issue(grant)) +
                more,
            Headers{{"Accept", "text/event-stream"}},
            "");
        auto response = exchange->response();
        if (const auto admitted = gateway_.admit(exchange)) admitted->handle();
        return response.get();
    };
    const http::Response from_now =
        listen("&If-None-Match=*&x-ms-documentdb-partitionkey=%5B%22a%22%5D&other=1");
    EXPECT_EQ(events(from_now.stream), "retry: 1000\n\n");
    ASSERT_EQ(create(R"({"id":"2","pk":"a"})").status, 201U);
    EXPECT_THAT(events(from_now.stream), StartsWith("id: 2\ndata: {\"id\":\"2\""));
    EXPECT_EQ(listen("").status, 403U);
    EXPECT_EQ(listen("&x-ms-documentdb-partitionkey=%5B%22b%22%5D").status, 403U);
    EXPECT_EQ(listen("&if-none-match=%zz").status, 400U);
}

}  // namespace change_stream_test
}  // namespace orrery::gateway
