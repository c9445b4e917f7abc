#include "tools/shell/shell.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/stopwatch.h"
#include "cli/progress.h"
#include "json/text.h"
#include "json/walk.h"
#include "tools/shell/help.h"
#include "tools/shell/statements.h"
#include "tools/shell/text.h"
#include "tools/shell/throughput.h"
#include "tools/shell/watch.h"

namespace orrery::tools {

namespace {

// Items whose properties are offered for completion.
constexpr std::string_view kSample = "SELECT TOP 20 * FROM c";

constexpr std::array<std::pair<std::string_view, Mode>, 3> kModes = {
    {{"table", Mode::kTable}, {"json", Mode::kJson}, {"lines", Mode::kLines}}};

Error usage(ShellCommand wanted) {
    for (const CommandHelp& command : shell_commands()) {
        if (command.command != wanted) continue;
        return Error(ErrorCode::kBadRequest,
                     fmt::format("usage: {} {}", command.name, command.arguments));
    }
    return Error(ErrorCode::kBadRequest, "usage");
}

Error unknown(std::string_view word) {
    // People try what other shells call these.
    for (const CommandHelp& command : shell_commands()) {
        if (command.name.starts_with('.') && same_word(command.name.substr(1), word)) {
            return Error(ErrorCode::kBadRequest, fmt::format("did you mean {}?", command.name));
        }
    }
    return Error(ErrorCode::kBadRequest,
                 fmt::format("unknown command '{}'; .help lists the commands", word));
}

// c["address"]["city"]
std::string property_expression(const json::Path& path) {
    std::string out = "c";
    for (const std::string& name : path) {
        out += "[" + json::quote(name) + "]";
    }
    return out;
}

}  // namespace

Status Shell::run(const std::string& statement) {
    const Words words = split_first_word(statement);
    screen_.begin();
    ++statements_;
    Status done;
    if (begins_query(words.first) && !same_word(words.first, "EXPLAIN")) {
        done = query(statement);
    } else if (const auto command = find_command(words.first)) {
        done = run_command(*command, std::string(words.rest), statement);
    } else {
        done = unknown(words.first);
    }
    TRY(screen_.flush());
    return done;
}

Status Shell::run_command(ShellCommand command,
                          const std::string& rest,
                          const std::string& statement) {
    switch (command) {
        case ShellCommand::kUse:
            return use(rest);
        case ShellCommand::kList:
            return list(rest);
        case ShellCommand::kCat:
            return cat(rest);
        case ShellCommand::kPut:
            return put(rest);
        case ShellCommand::kRemove:
            return remove(rest);
        case ShellCommand::kExplain:
            return explain_query(statement);
        case ShellCommand::kThroughput:
            return throughput(rest);
        case ShellCommand::kMode:
            return set_mode(rest);
        default:
            break;
    }
    if (!rest.empty()) return usage(command);
    switch (command) {
        case ShellCommand::kStats:
            return stats();
        case ShellCommand::kWatch:
            return watch_changes();
        case ShellCommand::kHelp:
            return help();
        default:
            ended_ = true;
            return {};
    }
}

std::string Shell::prompt() const {
    const std::string place = session_.place().text();
    return (place.empty() ? "orrery" : place) + "> ";
}

std::vector<std::string> Shell::names_at(const Place& place) {
    std::vector<std::string> out;
    const auto found = session_.list(place);
    if (!found) return out;
    for (const json::Value& resource : *found) {
        const json::Value* const id = resource.find("id");
        if (id != nullptr && id->is_string()) out.push_back(id->string());
    }
    return out;
}

std::vector<std::string> Shell::databases() { return names_at({}); }

std::vector<std::string> Shell::containers(const std::string& database) {
    return names_at({.database = database, .container = {}});
}

const Properties& Shell::properties() {
    const auto container = session_.container();
    if (properties_.empty() && container) {
        QueryCost cost;
        const auto learn = [this](std::string_view item) {
            properties_.learn(item);
            return true;
        };
        const Status sampled =
            run_query(session_.client(), **container, std::string(kSample), -1, learn, cost);
        if (sampled) all_.add(cost);
    }
    return properties_;
}

void Shell::print_values(const NamedValues& values) {
    std::size_t widest = 0;
    for (const auto& [name, value] : values) {
        widest = std::max(widest, display_width(name));
    }
    for (const auto& [name, value] : values) {
        std::string line = name;
        line.append(widest + 2 - display_width(name), ' ').append(value);
        screen_.line(line);
    }
}

void Shell::print_object(const json::Value& object) {
    if (mode_ == Mode::kTable) return print_values(flattened(object));
    const std::string text = object.text();
    screen_.lines(mode_ == Mode::kJson ? indented(text) : text);
}

Status Shell::print_query(const Container& container, const std::string& text) {
    last_ = {};
    Results results(screen_, mode_);
    const auto add = [&](std::string_view element) {
        // Whole items only, and only where a user may press Tab.
        if (screen_.has_pages() && json::find_member(element, "_rid")) properties_.learn(element);
        return results.add(element);
    };
    const Status done = run_query(session_.client(),
                                  container,
                                  text,
                                  screen_.has_pages() ? static_cast<int>(kItemsAtOnce) : -1,
                                  add,
                                  last_);
    results.finish();
    all_.add(last_);
    if (!done) return done.error().copy();
    screen_.note(last_.text() + (screen_.stopped() ? " (stopped)" : ""));
    return {};
}

Status Shell::query(const std::string& text) {
    return print_query(*TRY(session_.container()), text);
}

Status Shell::explain_query(const std::string& text) {
    const Container& container = *TRY(session_.container());
    last_ = {};
    const auto explained = explain(session_.client(), container, text, last_);
    all_.add(last_);
    if (!explained) return explained.error().copy();
    print_object(*explained);
    screen_.note(fmt::format("{:.2f} RU", last_.charge));
    return {};
}

Status Shell::use(const std::string& rest) {
    if (rest.empty()) return usage(ShellCommand::kUse);
    const Place place = TRY(parse_place(rest, session_.place()));
    const Place before = session_.place();
    TRY(session_.use(place));
    if (place != before) properties_.clear();
    return {};
}

Status Shell::list(const std::string& rest) {
    const Place place = rest.empty() ? session_.place() : TRY(parse_place(rest, session_.place()));
    if (!place.container.empty()) {
        const Place before = session_.place();
        if (place == before) return list_items(*TRY(session_.container()));
        const Container container = TRY(session_.open(place));
        return list_items(container);
    }
    Results results(screen_, mode_);
    for (const json::Value& resource : TRY(session_.list(place))) {
        json::Value::Object row;
        if (const json::Value* const id = resource.find("id")) row.push_back({"id", *id});
        const json::Value* const key = resource.find("partitionKey");
        const json::Value* const paths = key != nullptr ? key->find("paths") : nullptr;
        if (paths != nullptr) row.push_back({"partitionKey", *paths});
        if (!results.add(json::Value(std::move(row)).text())) break;
    }
    results.finish();
    return {};
}

Status Shell::list_items(const Container& container) {
    std::string row = "\"id\": c.id";
    const auto& key = container.definition.partition_key;
    for (std::size_t i = 0; i < key.paths.size() && !key.system_key; ++i) {
        if (key.paths[i] == json::Path{"id"}) continue;
        row += ", " + json::quote(key.path_texts[i]) + ": " + property_expression(key.paths[i]);
    }
    return print_query(container, "SELECT VALUE {" + row + "} FROM c");
}

Status Shell::cat(const std::string& rest) {
    const Container& container = *TRY(session_.container());
    const ItemName name = TRY(parse_item_name(rest));
    Items items(session_.client(), container);
    const auto found = items.find(name);
    last_ = {.charge = items.charge()};
    all_.add(last_);
    if (!found) return found.error().copy();
    for (const std::string& item : *found) {
        properties_.learn(item);
        if (mode_ == Mode::kLines) {
            if (!screen_.line(item)) break;
        } else if (!screen_.lines(indented(item))) {
            break;
        }
    }
    return {};
}

Status Shell::put(const std::string& rest) {
    const Container& container = *TRY(session_.container());
    if (rest.empty()) return usage(ShellCommand::kPut);
    Items items(session_.client(), container);
    const auto written = items.put(rest);
    last_ = {.charge = items.charge()};
    all_.add(last_);
    if (!written && session_.interrupted()) {
        return Error(ErrorCode::kTimeout, "interrupted; the item may have been written or not");
    }
    if (!written) return written.error().copy();
    properties_.learn(json::normalize(rest).take());
    screen_.note(fmt::format("{} '{}' · {:.2f} RU",
                             written->created ? "created" : "replaced",
                             written->id,
                             items.charge()));
    return {};
}

Status Shell::remove(const std::string& rest) {
    const Container& container = *TRY(session_.container());
    const ItemName name = TRY(parse_item_name(rest));
    Items items(session_.client(), container);
    const Status removed = items.remove(name);
    last_ = {.charge = items.charge()};
    all_.add(last_);
    if (!removed && session_.interrupted()) {
        return Error(ErrorCode::kTimeout, "interrupted; the item may have been deleted or not");
    }
    if (!removed) return removed.error().copy();
    screen_.note(fmt::format("deleted '{}' · {:.2f} RU", name.id, items.charge()));
    return {};
}

Status Shell::stats() {
    json::Value all = all_.json();
    all.remove("server");
    all.set("statements", static_cast<std::int64_t>(statements_));
    json::Value out{json::Value::Object()};
    out.set("last", last_.json());
    out.set("session", std::move(all));
    if (const auto container = session_.container()) {
        out.set("container", TRY(session_.usage(**container)));
    }
    print_object(out);
    return {};
}

Status Shell::throughput(const std::string& rest) {
    client::Client& client = session_.client();
    if (!rest.empty()) {
        const Throughput wanted = TRY(parse_throughput(rest));
        TRY(write_throughput(client, session_.place(), wanted));
    }
    const Throughput now = TRY(read_throughput(client, session_.place()));
    if (mode_ == Mode::kTable) {
        screen_.line(now.text());
        return {};
    }
    json::Value::Object out;
    out.push_back({"autoscale", now.autoscale});
    out.push_back({"requestUnits", now.units});
    print_object(json::Value(std::move(out)));
    return {};
}

Status Shell::watch_changes() {
    const Container& container = *TRY(session_.container());
    screen_.begin(false);
    const Mode mode = mode_ == Mode::kJson ? Mode::kJson : Mode::kLines;
    const Watcher watcher = {
        .started =
            [&] { screen_.note("watching " + session_.place().text() + "; Ctrl-C ends it"); },
        .change =
            [&](std::string_view item) {
                properties_.learn(item);
                return mode == Mode::kJson ? screen_.lines(indented(item)) : screen_.line(item);
            },
        .written = [&] { return screen_.flush(); }};
    return watch(session_.client(), container, session_.interruption(), watcher);
}

Status Shell::set_mode(const std::string& rest) {
    for (const auto& [name, mode] : kModes) {
        if (rest.empty() && mode == mode_) {
            screen_.line(name);
            return {};
        }
        if (!same_word(name, rest)) continue;
        mode_ = mode;
        return {};
    }
    return usage(ShellCommand::kMode);
}

Status Shell::help() {
    NamedValues values;
    for (const CommandHelp& command : shell_commands()) {
        values.emplace_back(fmt::format("{} {}", command.name, command.arguments), command.purpose);
    }
    values.emplace_back("SELECT ...;", "query the container in use");
    print_values(values);
    screen_.lines(
        "\nKEY is a partition key as JSON: \"a\", 5 or [\"a\",1]. Ids with blanks are "
        "written as JSON,\ntoo. Databases and containers cannot be deleted from here.");
    return {};
}

}  // namespace orrery::tools
