#include "workload.h"

#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/check.h"
#include "base/hash.h"
#include "base/http_date.h"
#include "base/percent.h"
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
    static std::string decode(std::string_view key) {
        auto decoded = base64_decode(key);
        CHECK(decoded.has_value());
        return *std::move(decoded);
    }

    std::string authorization(const RequestLine& line) const {
        const std::string text = fmt::format("{}\n{}\n{}\n{}\n\n",
                                             lower(line.method),
                                             line.resource_type,
                                             line.resource_link,
                                             lower(date_));
        return percent_encode("type=master&ver=1.0&sig=" +
                              base64_encode(as_bytes(key_.sign(text))));
    }

    static std::string lower(std::string_view text) {
        std::string out(text);
        for (char& c : out) {
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
        }
        return out;
    }

    const Target target_;
    const HmacSha256Key key_;
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
    CreateWorkload(const Target& target, std::uint64_t first, std::uint64_t limit)
        : number_(first), end_(first + limit) {
        const std::string id = item_id(0);
        template_ = RequestWriter(target).write({.method = "POST",
                                                 .path = "/" + container_link(target) + "/docs",
                                                 .resource_type = "docs",
                                                 .resource_link = container_link(target)},
                                                id,
                                                item_body(0));
        id_place_ = template_.find(id);  // in the partition key header
        body_place_ = template_.size() - kItemBytes;
        CHECK(template_[body_place_] == '{');
    }

    std::string_view next(std::string& buffer) override {
        if (number_ == end_) return {};
        if (buffer.empty()) buffer = template_;
        const std::string id = item_id(number_);
        const std::string body = item_body(number_++);
        std::memcpy(buffer.data() + id_place_, id.data(), id.size());
        std::memcpy(buffer.data() + body_place_, body.data(), body.size());
        return buffer;
    }

private:
    std::string template_;
    std::size_t id_place_;
    std::size_t body_place_;
    std::uint64_t number_;
    const std::uint64_t end_;
};

// Properties of high and low cardinality, a list, and letters as padding.
std::string varied_body(std::uint64_t number, std::string_view letters) {
    const std::uint64_t mixed = number * 0x9E3779B97F4A7C15;
    constexpr std::string_view kTypes[] = {"book", "review", "author", "order"};
    std::string body = fmt::format(
        R"({{"id":"{0}","pk":"{0}","n":{1},"city":"city-{2}","type":"{3}","price":{4}.25,)"
        R"("rank":{5},"tags":["t{6}","t{7}"],"address":{{"street":"s{8}","zip":{9}}},"payload":")",
        item_id(number),
        number,
        mixed >> 40 & 1023,
        kTypes[mixed >> 20 & 3],
        mixed >> 30 & 0xfff,
        mixed >> 24,
        mixed >> 10 & 63,
        mixed >> 16 & 63,
        mixed >> 5 & 0xffff,
        mixed >> 7 & 0x3fff);
    body.append(letters.substr(0, kItemBytes - 2 - std::min(body.size(), kItemBytes - 2)));
    return body + "\"}";
}

class FillWorkload final : public Workload {
public:
    FillWorkload(const Target& target, std::uint64_t first, std::uint64_t limit)
        : writer_(target), link_(container_link(target)), number_(first), end_(first + limit) {
        std::mt19937_64 random(kSeed);
        while (letters_.size() < kItemBytes) {
            letters_ += static_cast<char>('a' + random() % 26);
        }
    }

    std::string_view next(std::string& buffer) override {
        if (number_ == end_) return {};
        const std::string id = item_id(number_);
        buffer = writer_.write({.method = "POST",
                                .path = "/" + link_ + "/docs",
                                .resource_type = "docs",
                                .resource_link = link_},
                               id,
                               varied_body(number_, letters_));
        ++number_;
        return buffer;
    }

private:
    RequestWriter writer_;
    std::string link_;
    std::string letters_;
    std::uint64_t number_;
    const std::uint64_t end_;
};

std::string with_number(std::string text, std::size_t number) {
    constexpr std::string_view kPlace = "$N";
    const std::string digits = std::to_string(number);
    for (std::size_t at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace, at)) {
        text.replace(at, kPlace.size(), digits);
    }
    return text;
}

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
    const auto variations = static_cast<std::size_t>(value.find("variations")->number());
    for (std::size_t number = 0; number < variations; ++number) {
        const auto text = [&](const char* name) {
            return with_number(value.find(name)->string(), number);
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
    return std::make_unique<CreateWorkload>(target, first, limit);
}

std::unique_ptr<Workload> make_fill_workload(const Target& target,
                                             std::uint64_t first,
                                             std::uint64_t limit) {
    return std::make_unique<FillWorkload>(target, first, limit);
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
