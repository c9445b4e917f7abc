#include "gateway/slow_queries.h"

#include <vector>

#include "base/http_status.h"
#include "base/log.h"
#include "base/utf8.h"
#include "gateway/handlers/handlers.h"

namespace orrery::gateway {

namespace {

double milliseconds_of(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

// Valid UTF-8 whatever the client has sent.
std::string shortened(std::string_view text) {
    std::string out;
    while (!text.empty() && out.size() < kLoggedQueryBytesMax) {
        append_utf8(out, take_code_point(text).value_or(kReplacementCharacter));
    }
    if (!text.empty()) out += "...";
    return out;
}

// Only what is known to be the text: a body that cannot be read may contain anything.
std::string logged_text(Call& call) {
    const auto spec = service::parse_spec(handlers::query_text_of(call));
    return spec ? shortened(spec->text) : std::string();
}

}  // namespace

std::string plan_summary(const sql::Access& access) {
    std::string out(sql::name_of(access.kind));
    const char* separator = " on ";
    const auto append = [&](const std::string& index) {
        out.append(separator).append(index);
        separator = ", ";
    };
    for (const std::string& path : access.used.paths) {
        append(path);
    }
    for (const std::vector<std::string>& parts : access.used.composites) {
        std::string composite;
        for (const std::string& part : parts) {
            composite.append(composite.empty() ? "(" : ", ").append(part);
        }
        append(composite + ")");
    }
    if (access.covered) out += "; covered";
    return out;
}

void log_if_slow(const Backend& backend,
                 Call& call,
                 const service::FoundContainer& found,
                 const Result<service::QueryAnswer>& result) {
    if (!backend.slow_query) return;
    const std::chrono::nanoseconds took = call.elapsed();
    if (took < *backend.slow_query) return;
    const service::Metrics& metrics = call.context.receipt.metrics;
    const std::string container = found.database->name + "/" + found.container->definition.id;
    const std::string text = logged_text(call);
    const std::string plan = result ? plan_summary(result->access) : std::string();
    std::vector<log::Field> fields = {
        {"activity_id", call.activity_id()},
        {"container", container},
        {"status", result ? 200U : http_status(result.error().code())},
        {"ms", milliseconds_of(took)},
        {"run_ms", milliseconds_of(metrics.compile + metrics.run)},
        {"ru", call.context.receipt.charge},
        {"rows", result ? result->page.count : 0},
        {"items_read", metrics.counters.items_read},
        {"index_entries_read", metrics.counters.index_entries_read},
        {"item_bytes_read", metrics.counters.item_bytes_read},
        {"row_bytes", metrics.counters.row_bytes},
        {"plan", plan},
        {"query", text}};
    if (const auto trace = call.trace()) {
        fields.emplace_back("trace_id", trace->trace_id);
        fields.emplace_back("parent_id", trace->parent_id);
    }
    log::write(log::Level::kWarn, "slow_query", fields);
}

}  // namespace orrery::gateway
