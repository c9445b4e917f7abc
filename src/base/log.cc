#include "base/log.h"

#include <memory>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <fmt/format.h>

namespace orrery::log {

namespace {

struct Sink {
    std::shared_ptr<spdlog::logger> logger = make_logger();
    Format format = Format::kText;

    static std::shared_ptr<spdlog::logger> make_logger() {
        auto made = std::make_shared<spdlog::logger>(
            "orrery", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made->flush_on(spdlog::level::info);
        made->set_pattern("time=%Y-%m-%dT%H:%M:%S.%eZ level=%l %v", spdlog::pattern_time_type::utc);
        return made;
    }
};

// The only process-wide object: a log is process-wide by nature, like standard error itself.
Sink& sink() {
    static Sink instance;
    return instance;
}

bool is_plain(std::string_view text) {
    if (text.empty()) return false;
    for (const char c : text) {
        if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == '\x7f') return false;
    }
    return true;
}

void append_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
    }
    out += '"';
}

void append_value(std::string& out, const Field::Value& value, Format format) {
    if (const auto* text = std::get_if<std::string_view>(&value)) {
        if (format == Format::kText && is_plain(*text)) {
            out += *text;
        } else {
            append_quoted(out, *text);
        }
    } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        out += std::to_string(*integer);
    } else if (const auto* number = std::get_if<double>(&value)) {
        out += fmt::format("{}", *number);
    } else {
        out += std::get<bool>(value) ? "true" : "false";
    }
}

spdlog::level::level_enum as_spdlog(Level level) {
    constexpr spdlog::level::level_enum kLevels[] = {
        spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err};
    return kLevels[static_cast<int>(level)];
}

std::span<const Field> as_span(Fields fields) { return {fields.begin(), fields.size()}; }

}  // namespace

void configure(Level level, Format format) {
    Sink& target = sink();
    target.format = format;
    target.logger->set_level(as_spdlog(level));
    if (format == Format::kJson) {
        target.logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})",
                                   spdlog::pattern_time_type::utc);
    }
}

std::string format_line(Format format, std::string_view event, std::span<const Field> fields) {
    const bool json = format == Format::kJson;
    std::string line = json ? "\"event\":" : "event=";
    append_value(line, event, format);
    for (const Field& field : fields) {
        line += json ? "," : " ";
        if (json) {
            append_quoted(line, field.name);
        } else {
            line += field.name;
        }
        line += json ? ':' : '=';
        append_value(line, field.value, format);
    }
    return line;
}

void write(Level level, std::string_view event, std::span<const Field> fields) {
    Sink& target = sink();
    if (!target.logger->should_log(as_spdlog(level))) return;
    target.logger->log(as_spdlog(level), "{}", format_line(target.format, event, fields));
}

void debug(std::string_view event, Fields fields) { write(Level::kDebug, event, as_span(fields)); }
void info(std::string_view event, Fields fields) { write(Level::kInfo, event, as_span(fields)); }
void warn(std::string_view event, Fields fields) { write(Level::kWarn, event, as_span(fields)); }
void error(std::string_view event, Fields fields) { write(Level::kError, event, as_span(fields)); }
void flush() { sink().logger->flush(); }

}  // namespace orrery::log
