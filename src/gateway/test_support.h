// A gateway over an in-memory service, with requests that bypass the network. Tests only.

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "auth/account_keys.h"
#include "auth/authenticator.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/hash.h"
#include "base/http_date.h"
#include "base/percent.h"
#include "gateway/gateway.h"
#include "http/message.h"
#include "service/test_support.h"

namespace orrery::gateway::testing_support {

using model::testing_support::item;
using model::testing_support::parsed;
using Headers = std::map<std::string, std::string>;

class FakeExchange final : public http::Exchange {
public:
    FakeExchange(std::string method, std::string target, Headers headers, std::string body)
        : method_(std::move(method)),
          target_(std::move(target)),
          headers_(std::move(headers)),
          body_(std::move(body)) {}

    std::string_view method() const override { return method_; }
    std::string_view target() const override { return target_; }
    std::optional<std::string_view> header(std::string_view name) const override {
        for (const auto& [given, value] : headers_) {
            if (same_word(given, name)) return value;
        }
        return std::nullopt;
    }
    void for_each_header(const HeaderVisitor& visit) const override {
        for (const auto& [name, value] : headers_)
            visit(name, value);
    }
    std::string& body() override {
        if (body_throws) throw std::bad_alloc();
        return body_;
    }
    bool body_too_large() const override { return too_large; }
    bool secure() const override { return over_tls; }
    bool from_loopback() const override { return local; }
    std::string client_address() const override { return address; }
    void respond(http::Response response) override { response_.set_value(std::move(response)); }
    void respond_with(std::function<http::Response()> make_response) override {
        respond(make_response());
    }

    std::future<http::Response> response() { return response_.get_future(); }

    bool too_large = false;
    bool body_throws = false;
    bool over_tls = false;
    bool local = true;
    std::string address = "127.0.0.1";

private:
    const std::string method_;
    const std::string target_;
    const Headers headers_;
    std::string body_;
    std::promise<http::Response> response_;
};

// A parsed response.
class Reply {
public:
    explicit Reply(const http::Response& response)
        : status(response.status),
          body(response.body_begin + response.body.substr(response.body_offset)),
          delay(response.delay) {
        std::string_view rest = response.headers;
        while (!rest.empty()) {
            const std::string_view line = rest.substr(0, rest.find("\r\n"));
            rest.remove_prefix(line.size() + 2);
            const std::size_t colon = line.find(": ");
            EXPECT_NE(colon, std::string_view::npos) << line;
            const auto [at, added] =
                headers_.emplace(lower(line.substr(0, colon)), line.substr(colon + 2));
            EXPECT_TRUE(added) << "duplicate header: " << line;
        }
    }

    // nullopt if it is missing.
    std::optional<std::string> header(std::string_view name) const {
        const auto found = headers_.find(lower(name));
        if (found == headers_.end()) return std::nullopt;
        return found->second;
    }
    json::Value json() const { return parsed(body); }
    // "404/1003": status and sub-status.
    std::string outcome() const {
        const auto sub = header("x-ms-substatus");
        return std::to_string(status) + (sub ? "/" + *sub : "");
    }

    unsigned status;
    std::string body;
    std::chrono::milliseconds delay;

private:
    std::map<std::string, std::string> headers_;
};

inline constexpr const char* kKey =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

// The header an SDK would send.
inline std::string signature(std::string_view method,
                             std::string_view type,
                             std::string_view link,
                             std::string_view date) {
    std::string text =
        lower(method) + "\n" + lower(type) + "\n" + std::string(link) + "\n" + lower(date) + "\n\n";
    const HmacSha256Key key(*base64_decode(kKey));
    const Sha256Digest digest = key.sign(text);
    return percent_encode("type=master&ver=1.0&sig=" + base64_encode(as_bytes(digest)));
}

class GatewayTest : public service::testing_support::ServiceTest {
protected:
    // A request signed as a client would sign it; `headers` are added to or replace the standard
    // ones.
    std::shared_ptr<FakeExchange> make_exchange(const std::string& method,
                                                const std::string& target,
                                                Headers headers = {},
                                                std::string body = {}) {
        const std::string date = print_http_date(clock_.now_seconds());
        headers.emplace("x-ms-date", date);
        if (const auto path = parse_resource_path(target)) {
            headers.emplace("authorization",
                            signature(method, path->type_name, path->signed_links[0], date));
        }
        return std::make_shared<FakeExchange>(method, target, std::move(headers), std::move(body));
    }
    Reply answer_to(const std::shared_ptr<FakeExchange>& exchange) {
        return answer_of(gateway_, exchange);
    }
    static Reply answer_of(Gateway& gateway, const std::shared_ptr<FakeExchange>& exchange) {
        auto response = exchange->response();
        if (const auto admitted = gateway.admit(exchange)) admitted->handle();
        return Reply(response.get());
    }
    Reply send(const std::string& method,
               const std::string& target,
               Headers headers = {},
               std::string body = {}) {
        return answer_to(make_exchange(method, target, std::move(headers), std::move(body)));
    }
    // Creates /dbs/d/colls/c with partition key /pk and this many partitions.
    void make_container(unsigned partitions = 1) {
        ASSERT_EQ(send("POST", "/dbs", {}, R"({"id":"d"})").status, 201U);
        ASSERT_EQ(send("POST",
                       "/dbs/d/colls",
                       {{"x-ms-offer-throughput", std::to_string(partitions * 6'000)}},
                       R"({"id":"c","partitionKey":{"paths":["/pk"],"version":2}})")
                      .status,
                  201U);
    }
    Reply create(const std::string& body, Headers headers = {}) {
        return send("POST", "/dbs/d/colls/c/docs", std::move(headers), body);
    }
    static Headers keyed(const std::string& key) { return {{"x-ms-documentdb-partitionkey", key}}; }

    SecureRandom random_;
    auth::AccountKeys keys_;
    const bool has_key_ = keys_.set(auth::KeySlot::kPrimary, kKey);
    auth::BearerTokens bearers_{{}, keys_};
    auth::Authenticator authenticator_{keys_, *services_.tokens, bearers_};
    auth::FailedLogins failed_logins_;
    service::Roles roles_{*services_.catalog};
    service::Access access_{*services_.catalog};
    std::atomic<bool> draining_ = false;
    bool healthy_ = true;
    bool requires_tls_ = false;
    std::string metrics_token_;
    std::vector<IpNetwork> allowed_networks_;
    // Large, so not a part of this object.
    const std::unique_ptr<RequestMonitor> monitor_ = std::make_unique<RequestMonitor>();
    service::Lanes lanes_{service::LaneOptions{}};
    ChangeStreams change_streams_{{.streams_max = 2,
                                   .interval = std::chrono::milliseconds(1),
                                   .keep_alive = std::chrono::seconds(0)}};
    MemoryPool query_memory_{std::size_t{512} << 20};
    Backend make_backend(const std::string& advertised_endpoint) {
        return Backend{.resources = *services_.resources,
                       .offers = *services_.offers,
                       .scripts = *services_.scripts,
                       .users = *services_.users,
                       .client_keys = *services_.client_keys,
                       .roles = roles_,
                       .access = access_,
                       .script_executor = *services_.script_executor,
                       .items = *services_.items,
                       .attachments = *services_.attachments,
                       .batches = *services_.batches,
                       .item_feed = *services_.feed,
                       .change_feed = *services_.changes,
                       .change_streams = change_streams_,
                       .queries = *services_.queries,
                       .indexing = *services_.indexing,
                       .budgets = *services_.budgets,
                       .repartitioning = *services_.repartitioning,
                       .lanes = lanes_,
                       .query_memory = query_memory_,
                       .monitor = *monitor_,
                       .authenticator = authenticator_,
                       .failed_logins = failed_logins_,
                       .keys = keys_,
                       .regenerate_key = [](auth::KeySlot) { return Status(); },
                       .begin_backup = [](std::string_view) { return Status(); },
                       .backups = [] { return Result<std::string>("{}"); },
                       .clock = clock_,
                       .random = random_,
                       .certificate_pem = "-----BEGIN CERTIFICATE-----",
                       .advertised_endpoint = advertised_endpoint,
                       .consistency = model::ConsistencyLevel::kSession,
                       .default_host = "127.0.0.1:8081",
                       .slow_query = std::nullopt,
                       .metrics_page = [] { return std::string("orrery_up 1\n"); },
                       .allowed_networks = allowed_networks_,
                       .allowed_origins = {},
                       .requires_tls = requires_tls_,
                       .metrics_token = metrics_token_,
                       .healthy = [this] { return healthy_; },
                       .draining = draining_};
    }
    Gateway make_gateway(const std::string& advertised_endpoint) {
        return Gateway{make_backend(advertised_endpoint)};
    }
    Gateway gateway_ = make_gateway("");
};

}  // namespace orrery::gateway::testing_support
