#include "workload.h"

#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "auth/master_key.h"
#include "base/check.h"
#include "base/http_date.h"
#include "item.h"
#include "json/value.h"

namespace orrery::bench {

namespace {

struct RequestLine {
    std::string_view method;
    std::string path;
    std::string_view resource_type;
    std::string resource_link;
};

class RequestWriter {
public:
    explicit RequestWriter(const Target& target)
        : target_(target), key_(decode(target.key)), date_(print_http_date(target.now_seconds)) {}

    std::string write(const RequestLine& line,
                      std::string_view partition_key,
                      std::string_view body,
                      std::string_view more_headers = {}) const {
        std::string out = fmt::format(
            "{} {} HTTP/1.1\r\nhost: {}:{}\r\naccept: application/json\r\n"
            "user-agent: orrery-load/1\r\nx-ms-version: 2020-07-15\r\nx-ms-date: {}\r\n"
            "authorization: {}\r\n",
            line.method,
            line.path,
            target_.host,
            target_.port,
            date_,
            authorization(line));
        if (!partition_key.empty()) {
            out += fmt::format("x-ms-documentdb-partitionkey: [\"{}\"]\r\n", partition_key);
        }
        if (!body.empty()) {
            out += fmt::format("content-type: application/json\r\ncontent-length: {}\r\n",
                               body.size());
        }
        out += more_headers;
        return out.append("\r\n").append(body);
    }

private:
    static auth::MasterKey decode(std::string_view key) {
        auto decoded = auth::MasterKey::from_base64(key);
        CHECK(decoded.has_value());
        return *std::move(decoded);
    }

    std::string authorization(const RequestLine& line) const {
        if (!target_.authorization.empty()) return target_.authorization;
        return key_.authorization(line.method, line.resource_type, line.resource_link, date_);
    }

    const Target target_;
    const auth::MasterKey key_;
    const std::string date_;
};

std::string container_link(const Target& target) {
    return fmt::format("dbs/{}/colls/{}", target.database, target.container);
}

class FixedWorkload final : public Workload {
public:
    explicit FixedWorkload(std::vector<std::string> requests) : requests_(std::move(requests)) {}

    std::string_view next(std::string& /*buffer*/) override {
        return requests_[random_() % requests_.size()];
    }

private:
    const std::vector<std::string> requests_;
    std::mt19937_64 random_{kSeed};
};

class CreateWorkload final : public Workload {
public:
    using Body = std::string (*)(std::uint64_t number);

    CreateWorkload(const Target& target, Body body, std::uint64_t first, std::uint64_t limit)
        : body_(body), number_(first), end_(first + limit) {
        const std::string id = item_id(0);
        template_ = RequestWriter(target).write({.method = "POST",
                                                 .path = "/" + container_link(target) + "/docs",
                                                 .resource_type = "docs",
                                                 .resource_link = container_link(target)},
                                                id,
                                                body_(0));
        id_place_ = template_.find(id);  // in the partition key header
        body_place_ = template_.size() - kItemBytes;
        CHECK(template_[body_place_] == '{');
    }

    std::string_view next(std::string& buffer) override {
        if (number_ == end_) return {};
        if (buffer.empty()) buffer = template_;
        const std::string id = item_id(number_);
        const std::string body = body_(number_++);
        CHECK(body.size() == kItemBytes);
        std::memcpy(buffer.data() + id_place_, id.data(), id.size());
        std::memcpy(buffer.data() + body_place_, body.data(), body.size());
        return buffer;
    }

private:
    const Body body_;
    std::string template_;
    std::size_t id_place_;
    std::size_t body_place_;
    std::uint64_t number_;
    const std::uint64_t end_;
};

// Bulk requests, each with as many creates as one may have.
class BulkWorkload final : public Workload {
public:
    BulkWorkload(const Target& target, std::uint64_t first, std::uint64_t limit)
        : number_(first), end_(first + limit) {
        std::string body;
        for (std::size_t i = 0; i < kItems; ++i) {
            body += fmt::format(
                R"({}{{"operationType":"Create","partitionKey":"[\"{}\"]","resourceBody":{}}})",
                i == 0 ? '[' : ',',
                item_id(0),
                varied_body(0));
        }
        template_ = RequestWriter(target).write({.method = "POST",
                                                 .path = "/" + container_link(target) + "/docs",
                                                 .resource_type = "docs",
                                                 .resource_link = container_link(target)},
                                                {},
                                                body + "]",
                                                "x-ms-cosmos-is-batch-request: True\r\n"
                                                "x-ms-cosmos-batch-atomic: False\r\n"
                                                "x-ms-cosmos-batch-continue-on-error: True\r\n"
                                                "x-ms-documentdb-partitionkeyrangeid: 0\r\n"
                                                "prefer: return=minimal\r\n");
        operation_bytes_ = body.size() / kItems;
        operations_place_ = template_.size() - body.size();
        id_place_ = body.find(item_id(0)) - 1;
        body_place_ = body.find(varied_body(0)) - 1;
    }

    std::string_view next(std::string& buffer) override {
        if (number_ + kItems > end_) return {};
        if (buffer.empty()) buffer = template_;
        for (std::size_t i = 0; i < kItems; ++i, ++number_) {
            char* const operation = buffer.data() + operations_place_ + i * operation_bytes_;
            const std::string id = item_id(number_);
            const std::string body = varied_body(number_);
            std::memcpy(operation + id_place_, id.data(), id.size());
            std::memcpy(operation + body_place_, body.data(), body.size());
        }
        return buffer;
    }

private:
    static constexpr std::size_t kItems = kBulkItems;

    std::string template_;
    std::size_t operation_bytes_ = 0;   // with the comma after it
    std::size_t operations_place_ = 0;  // of the first brace
    std::size_t id_place_ = 0;          // in an operation
    std::size_t body_place_ = 0;
    std::uint64_t number_;
    const std::uint64_t end_;
};

}  // namespace

std::unique_ptr<Workload> make_echo_workload(const Target& target) {
    // The headers of a point read, so that http_echo processes the same bytes as the server.
    return make_read_workload(target, 1);
}

std::unique_ptr<Workload> make_read_workload(const Target& target, std::size_t items) {
    const RequestWriter writer(target);
    std::vector<std::string> requests;
    requests.reserve(items);
    for (std::size_t i = 0; i < items; ++i) {
        const std::string id = item_id(i);
        const std::string link = container_link(target) + "/docs/" + id;
        requests.push_back(writer.write(
            {.method = "GET", .path = "/" + link, .resource_type = "docs", .resource_link = link},
            id,
            {}));
    }
    return std::make_unique<FixedWorkload>(std::move(requests));
}

Result<std::unique_ptr<Workload>> make_described_workload(const Target& target,
                                                          std::string_view description) {
    const json::Value value = TRY(json::Value::parse(description));
    const RequestWriter writer(target);
    std::vector<std::string> requests;
    const auto variations = static_cast<std::uint64_t>(value.find("variations")->number());
    const json::Value* step = value.find("step");
    for (std::uint64_t i = 0; i < variations; ++i) {
        const std::uint64_t number =
            i * (step == nullptr ? 1 : static_cast<std::uint64_t>(step->number()));
        const auto text = [&](const char* name) {
            return filled_in(value.find(name)->string(), number);
        };
        std::string headers;
        for (const auto& [name, header] : value.find("headers")->object()) {
            headers += fmt::format("{}: {}\r\n", name, header.string());
        }
        const std::string method = text("method");
        const std::string type = text("type");
        requests.push_back(writer.write({.method = method,
                                         .path = text("path"),
                                         .resource_type = type,
                                         .resource_link = text("link")},
                                        text("partitionKey"),
                                        text("body"),
                                        headers));
    }
    return std::unique_ptr<Workload>(std::make_unique<FixedWorkload>(std::move(requests)));
}

std::unique_ptr<Workload> make_create_workload(const Target& target,
                                               std::uint64_t first,
                                               std::uint64_t limit) {
    return std::make_unique<CreateWorkload>(target, item_body, first, limit);
}

std::unique_ptr<Workload> make_fill_workload(const Target& target,
                                             std::uint64_t first,
                                             std::uint64_t limit) {
    const auto body = [](std::uint64_t number) { return varied_body(number); };
    return std::make_unique<CreateWorkload>(target, body, first, limit);
}

std::unique_ptr<Workload> make_bulk_workload(const Target& target,
                                             std::uint64_t first,
                                             std::uint64_t limit) {
    return std::make_unique<BulkWorkload>(target, first, limit);
}

std::string database_request(const Target& target) {
    return RequestWriter(target).write(
        {.method = "POST", .path = "/dbs", .resource_type = "dbs", .resource_link = ""},
        {},
        fmt::format(R"({{"id":"{}"}})", target.database));
}

std::string container_request(const Target& target) {
    const std::string database = "dbs/" + target.database;
    return RequestWriter(target).write(
        {.method = "POST",
         .path = "/" + database + "/colls",
         .resource_type = "colls",
         .resource_link = database},
        {},
        fmt::format(R"({{"id":"{}","partitionKey":{{"paths":["/pk"],"kind":"Hash","version":2}}}})",
                    target.container));
}

}  // namespace orrery::bench
