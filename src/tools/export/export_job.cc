#include "tools/export/export_job.h"

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "json/value.h"
#include "tools/target.h"

namespace orrery::tools {

namespace {

using json::Value;

std::uint64_t document_count(const std::string& usage) {
    constexpr std::string_view kName = "documentsCount=";
    const std::size_t at = usage.find(kName);
    std::uint64_t out = 0;
    if (at == std::string::npos) return out;
    const char* const first = usage.data() + at + kName.size();
    std::from_chars(first, usage.data() + usage.size(), out);
    return out;
}

ExportSource source_of(const ExportOptions& options) {
    ExportSource out{
        .account = options.account,
        .items = client::container_path(options.database, options.container) / "docs",
        .query = std::nullopt,
        .selection = {},
        .changes = options.consistent,
        .text = {},
        .parallel = options.parallel,
    };
    if (!options.query.empty()) {
        out.query = client::Query{.text = options.query};
        // One answer for the whole container, whatever the query does across partitions.
        out.selection.headers.emplace_back("x-orrery-merge-partitions", "True");
    }
    if (!options.partition_key.empty()) out.selection.partition_key = options.partition_key;
    if (options.page_items > 0) {
        out.selection.page_items = static_cast<int>(options.page_items);
    }
    return out;
}

// Everything that decides what the output contains.
std::string purpose_of(const ExportOptions& options, const std::string& rid) {
    Value::Array columns;
    for (const std::string& name : options.columns) {
        columns.emplace_back(name);
    }
    return Value(Value::Array{options.account.endpoint.shown(),
                              rid,
                              options.query,
                              options.partition_key,
                              static_cast<int>(options.form.format),
                              static_cast<int>(options.form.compression),
                              static_cast<std::int64_t>(options.form.split_items),
                              static_cast<std::int64_t>(options.form.split_bytes),
                              std::move(columns),
                              options.consistent,
                              options.system_properties})
        .text();
}

}  // namespace

ExportJob::ExportJob(ExportOptions options, const std::atomic<bool>& interrupted)
    : options_(std::move(options)),
      interrupted_(interrupted),
      client_(options_.account, clock_, {}, &interrupted),
      source_(source_of(options_)) {}

Status ExportJob::run() {
    TRY(prepare());
    const bool resumed = TRY(load_plan());
    return options_.spooled() ? run_spooled(resumed) : run_directly(resumed);
}

Status ExportJob::prepare() {
    auto container =
        client_.call({.method = "GET",
                      .path = client::container_path(options_.database, options_.container),
                      .headers = {{"x-ms-documentdb-populatequotainfo", "True"}}});
    if (!container) {
        return container_error(
            std::move(container).take_error(), options_.database, options_.container);
    }
    const auto body = Value::parse(container->body());
    const Value* const rid = body ? body->find("_rid") : nullptr;
    if (rid == nullptr || !rid->is_string()) {
        return Error(ErrorCode::kInternal, "the server's answer is not a container");
    }
    if (options_.consistent) {
        definition_ = TRY(model::parse_container_definition(*body, model::kStoredDefinition));
    }
    const bool whole = options_.query.empty() && options_.partition_key.empty();
    if (whole) counts_.total = document_count(container->header("x-ms-resource-usage"));
    plan_.purpose = purpose_of(options_, rid->string());
    if (!options_.columns.empty()) columns_ = TRY(ExportColumns::parse(options_.columns));
    if (whole) return plan_ranges();
    plan_.tasks.emplace_back();
    return {};
}

Status ExportJob::plan_ranges() {
    const auto container = client::container_path(options_.database, options_.container);
    for (client::Range& range : TRY(client::read_ranges(client_, container))) {
        // The name of a range does not outlast a split, its place in the hash space does.
        range.id.clear();
        plan_.tasks.push_back({.range = std::move(range), .continuation = {}, .done = false});
    }
    return {};
}

Result<bool> ExportJob::load_plan() {
    const std::string checkpoint = options_.checkpoint_file();
    if (checkpoint.empty() || options_.overwrite || !std::filesystem::exists(checkpoint)) {
        return false;
    }
    auto earlier = ExportPlan::parse(TRY(read_file(checkpoint)));
    if (!earlier) return std::move(earlier).take_error().with_context("'" + checkpoint + "'");
    if (earlier->purpose != plan_.purpose) {
        return Error(ErrorCode::kConflict,
                     "'" + checkpoint +
                         "' belongs to an export with other options; remove it, or use "
                         "--overwrite to start again");
    }
    plan_ = *std::move(earlier);
    const std::string items = cli::grouped(plan_.output.items);
    std::fprintf(stderr, "orrery: going on after %s items\n", items.c_str());
    return true;
}

Status ExportJob::run_directly(bool resumed) {
    source_.text = output_text();
    OutputOptions form = options_.form;
    form.header = columns_.header(delimiter_of(form.format));
    ExportOutput output(std::move(form));
    TRY(resumed ? output.reopen(options_.output, plan_.output)
                : output.create(options_.output, options_.overwrite));
    can_go_on_ = options_.resumable();
    const Status done = read_into(output, "exported");
    written_ = plan_.output;
    if (!done) return done.error().copy();
    remove(options_.checkpoint_file());
    return {};
}

ItemText ExportJob::output_text() const {
    const KeptProperties system =
        !options_.query.empty() ? KeptProperties::kAll : KeptProperties::kWithSystem;
    const bool wanted = options_.system_properties || !options_.query.empty();
    return {.properties = wanted ? system : KeptProperties::kOwn,
            .columns = has_columns(options_.form.format) ? &columns_ : nullptr,
            .delimiter = delimiter_of(options_.form.format)};
}

Status ExportJob::read_into(ExportOutput& output, const char* verb) {
    const cli::Progress progress(verb, counts_, options_.quiet);
    return Exporter(source_, plan_, output, options_.checkpoint_file(), counts_, interrupted_)
        .run();
}

void ExportJob::remove(const std::string& file) {
    std::error_code ignored;
    if (!file.empty()) std::filesystem::remove(file, ignored);
}

ExportReport ExportJob::report() const {
    return {.items = written_.items,
            .bytes = written_.bytes,
            .files = written_.file,
            .incomplete_items = plan_.incomplete_items,
            .charge = counts_.charge};
}

}  // namespace orrery::tools
