// An in-memory container for tests of scripts, and a runtime to run them in.

#pragma once

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/random.h"
#include "json/value.h"
#include "script/engine.h"

namespace orrery::script {

// Items in creation order. A query returns all items, sorted if it ends in ORDER BY r["a"] ASC or
// DESC; tests that need more answer it themselves.
class FakeHost final : public ScriptHost {
public:
    std::string self_link() const override { return "dbs/AAAA==/colls/AAAABBBB=/"; }
    std::string alt_link() const override { return "dbs/db/colls/coll"; }
    std::string partition_key_definition() const override {
        return R"({"paths":["/pk"],"kind":"Hash"})";
    }
    // Asked for with every callback.
    std::string quota_usage() const override {
        if (on_deliver) on_deliver();
        return "collectionSize=1;documentsCount=2;";
    }
    std::string quota_limits() const override { return "collectionSize=10;"; }
    bool accepts_operations() const override { return operations.size() < operations_max; }

    Result<Reply> execute(const Operation& operation) override {
        operations.push_back(operation);
        if (on_execute) on_execute(operation);
        switch (operation.kind) {
            case OperationKind::kRead:
                return read(operation);
            case OperationKind::kReadFeed:
                return page(operation, items);
            case OperationKind::kQuery:
                return on_query ? on_query(operation) : page(operation, sorted(operation.text));
            case OperationKind::kCreate:
            case OperationKind::kUpsert:
                return insert(operation);
            case OperationKind::kReplace:
            case OperationKind::kPatch:
                return replace(operation);
            case OperationKind::kDelete:
                return remove(operation);
            case OperationKind::kAttachment:
                break;
        }
        return Error(ErrorCode::kInternal, "unexpected");
    }

    Result<std::string> evaluate_spatial(SpatialFunction function,
                                         std::string_view first,
                                         std::string_view second) override {
        if (function == SpatialFunction::kDistance) return std::string("12.5");
        if (function == SpatialFunction::kIsValid) return std::string("true");
        return Error(ErrorCode::kBadRequest, std::string(first) + std::string(second));
    }

    // Adds an item without an operation.
    void add(std::string_view text) {
        json::Value item = json::Value::parse(text).take();
        store(item);
    }
    bool has(std::string_view id) { return find(std::string(id), false) != items.end(); }

    std::list<json::Value> items;
    std::vector<Operation> operations;
    std::size_t operations_max = 1'000'000;
    std::function<void(const Operation&)> on_execute;
    std::function<void()> on_deliver;
    std::function<Result<Reply>(const Operation&)> on_query;

private:
    using Items = std::list<json::Value>;

    Items::iterator find(const std::string& name, bool is_rid) {
        return std::find_if(items.begin(), items.end(), [&](const json::Value& item) {
            return item.find(is_rid ? "_rid" : "id")->string() == name;
        });
    }

    std::string store(json::Value& item) {
        const std::string number = std::to_string(++writes_);
        if (item.find("_rid") == nullptr) item.set("_rid", "rid" + number);
        item.set("_self", self_link() + "docs/" + item.find("_rid")->string() + "/");
        item.set("_etag", "etag" + number);
        items.push_back(item);
        return item.text();
    }

    Result<Reply> read(const Operation& operation) {
        const auto item = find(operation.item, operation.item_is_rid);
        if (item == items.end()) return Error(ErrorCode::kNotFound, "no such item");
        if (!operation.etag.empty() && item->find("_etag")->string() == operation.etag) {
            return Reply{.status = 304, .body = {}, .continuation = {}, .not_modified = true};
        }
        return Reply{.status = 200, .body = item->text(), .continuation = {}};
    }

    Result<Reply> insert(const Operation& operation) {
        json::Value item = TRY(json::Value::parse(operation.text));
        const auto existing = find(item.find("id")->string(), false);
        if (existing != items.end()) {
            if (operation.kind == OperationKind::kCreate) {
                return Error(ErrorCode::kConflict, "the id exists");
            }
            items.erase(existing);
        }
        return Reply{.status = 201, .body = store(item), .continuation = {}};
    }

    Result<Reply> replace(const Operation& operation) {
        const auto existing = find(operation.item, operation.item_is_rid);
        if (existing == items.end()) return Error(ErrorCode::kNotFound, "no such item");
        if (!operation.etag.empty() && existing->find("_etag")->string() != operation.etag) {
            return Error(ErrorCode::kPreconditionFailed, "the etag differs");
        }
        const bool is_patch = operation.kind == OperationKind::kPatch;
        json::Value item = is_patch ? *existing : TRY(json::Value::parse(operation.text));
        item.set("_rid", *existing->find("_rid"));
        items.erase(existing);
        return Reply{.status = 200, .body = store(item), .continuation = {}};
    }

    Result<Reply> remove(const Operation& operation) {
        const auto existing = find(operation.item, operation.item_is_rid);
        if (existing == items.end()) return Error(ErrorCode::kNotFound, "no such item");
        if (!operation.etag.empty() && existing->find("_etag")->string() != operation.etag) {
            return Error(ErrorCode::kPreconditionFailed, "the etag differs");
        }
        items.erase(existing);
        return Reply{.status = 204, .body = {}, .continuation = {}};
    }

    // The continuation is the number of the next item.
    static Result<Reply> page(const Operation& operation, const Items& all) {
        std::size_t from = 0;
        if (!operation.continuation.empty()) from = std::stoul(operation.continuation);
        const auto count =
            operation.page_size < 0 ? all.size() : static_cast<std::size_t>(operation.page_size);
        json::Value::Array rows;
        auto next = all.begin();
        std::advance(next, static_cast<std::ptrdiff_t>(std::min(from, all.size())));
        for (; next != all.end() && rows.size() < count; ++next) {
            rows.push_back(*next);
        }
        const std::string end = next == all.end() ? "" : std::to_string(from + rows.size());
        return Reply{.status = 200, .body = json::Value(rows).text(), .continuation = end};
    }

    Items sorted(const std::string& specification) {
        Items copy = items;
        const std::string text = json::Value::parse(specification).take().find("query")->string();
        const std::size_t order = text.find("ORDER BY r[\"");
        if (order == std::string::npos) return copy;
        const std::size_t name = order + 12;
        const std::string path = text.substr(name, text.find('"', name) - name);
        copy.sort([&](const json::Value& a, const json::Value& b) {
            return a.find(path)->number() < b.find(path)->number();
        });
        if (text.ends_with("DESC")) copy.reverse();
        return copy;
    }

    int writes_ = 0;
};

class ScriptTest : public testing::Test {
protected:
    ScriptTest() { renew_runtime(); }

    // A small heap fills up sooner.
    void renew_runtime() {
        runtime_.reset();
        runtime_ = make_runtime({clock_, random_, watchdog_}, {.heap_bytes_max = 48U << 20});
    }

    static std::shared_ptr<const Script> script(std::string body) {
        return std::make_shared<const Script>(Script{"script", std::move(body)});
    }

    Outcome run_procedure(std::string body, std::string arguments = {}, bool logging = false) {
        Execution execution;
        execution.script = script(std::move(body));
        execution.arguments = std::move(arguments);
        execution.logging = logging;
        return runtime_->run(execution, host_);
    }

    // The body that a stored procedure sets, as JSON, or its error.
    std::string result(const std::string& body, const std::string& arguments = {}) {
        const Outcome outcome = run_procedure(body, arguments);
        if (!outcome.status) return "error: " + outcome.status.error().message();
        return outcome.body.value_or("undefined");
    }

    // The same for an expression.
    std::string value(const std::string& expression) {
        return result("function () { getContext().getResponse().setBody(" + expression + "); }");
    }

    Outcome run_trigger(ScriptKind kind,
                        std::string body,
                        std::string item,
                        std::string operation_type = "Create") {
        Execution execution;
        execution.kind = kind;
        execution.script = script(std::move(body));
        execution.operation_type = std::move(operation_type);
        execution.request_body = item;
        if (kind == ScriptKind::kPostTrigger) execution.response_body = std::move(item);
        return runtime_->run(execution, host_);
    }

    SystemClock clock_;
    SeededRandom random_{1};
    Watchdog watchdog_{std::chrono::milliseconds(10)};
    FakeHost host_;
    std::unique_ptr<Runtime> runtime_;
};

}  // namespace orrery::script
