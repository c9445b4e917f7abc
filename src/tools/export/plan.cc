#include "tools/export/plan.h"

#include "json/value.h"

namespace orrery::tools {

namespace {

using json::Value;

Error not_a_plan() { return Error(ErrorCode::kBadRequest, "it is not a checkpoint of an export"); }

Result<std::string> string_at(const Value& object, std::string_view name) {
    const Value* const found = object.find(name);
    if (found == nullptr || !found->is_string()) return not_a_plan();
    return found->string();
}

Result<std::uint64_t> number_at(const Value& object, std::string_view name) {
    const Value* const found = object.find(name);
    const auto number =
        found != nullptr && found->is_number() ? found->integer() : std::optional<std::int64_t>();
    if (!number || *number < 0) return not_a_plan();
    return static_cast<std::uint64_t>(*number);
}

Result<ExportTask> parse_task(const Value& value) {
    ExportTask out;
    if (value.find("min") != nullptr) {
        client::Range range;
        range.min_inclusive = TRY(string_at(value, "min"));
        range.max_exclusive = TRY(string_at(value, "max"));
        out.range = std::move(range);
    }
    out.continuation = TRY(string_at(value, "continuation"));
    const Value* const done = value.find("done");
    if (done == nullptr || !done->is_bool()) return not_a_plan();
    out.done = done->boolean();
    return out;
}

}  // namespace

std::string ExportPlan::text() const {
    Value::Array list;
    for (const ExportTask& task : tasks) {
        Value::Object members;
        if (task.range) {
            members.push_back({"min", task.range->min_inclusive});
            members.push_back({"max", task.range->max_exclusive});
        }
        members.push_back({"continuation", task.continuation});
        members.push_back({"done", task.done});
        list.push_back(std::move(members));
    }
    Value::Object out;
    out.push_back({"purpose", purpose});
    const auto add_number = [&](const char* name, std::uint64_t number) {
        out.push_back({name, static_cast<std::int64_t>(number)});
    };
    add_number("items", output.items);
    add_number("bytes", output.bytes);
    add_number("file", output.file);
    add_number("fileItems", output.file_items);
    add_number("fileBytes", output.file_bytes);
    add_number("fileSize", output.file_size);
    add_number("incompleteItems", incomplete_items);
    out.push_back({"tasks", std::move(list)});
    return Value(std::move(out)).text();
}

Result<ExportPlan> ExportPlan::parse(std::string_view text) {
    const Value value = TRY(Value::parse(text));
    ExportPlan out;
    out.purpose = TRY(string_at(value, "purpose"));
    out.output = {.items = TRY(number_at(value, "items")),
                  .bytes = TRY(number_at(value, "bytes")),
                  .file = TRY(number_at(value, "file")),
                  .file_items = TRY(number_at(value, "fileItems")),
                  .file_bytes = TRY(number_at(value, "fileBytes")),
                  .file_size = TRY(number_at(value, "fileSize"))};
    out.incomplete_items = TRY(number_at(value, "incompleteItems"));
    const Value* const tasks = value.find("tasks");
    if (tasks == nullptr || !tasks->is_array()) return not_a_plan();
    for (const Value& task : tasks->array()) {
        out.tasks.push_back(TRY(parse_task(task)));
    }
    return out;
}

}  // namespace orrery::tools
