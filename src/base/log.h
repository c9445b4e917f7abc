// Structured logging: one event name with its fields per line, as text or JSON on standard error.
// Never pass a key, a signature or an item body: logs are read by more people than the data is.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace orrery::log {

struct Field {
    template <typename T>
    Field(std::string_view field_name, const T& field_value)  // NOLINT: a pair in braces
        : name(field_name), value(to_value(field_value)) {}

    using Value = std::variant<std::string_view, std::int64_t, double, bool>;

    std::string_view name;
    Value value;

private:
    static Value to_value(bool v) { return v; }
    static Value to_value(double v) { return v; }
    template <typename T>
    static Value to_value(const T& v) {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<std::int64_t>(v);
        } else {
            return std::string_view(v);
        }
    }
};

using Fields = std::initializer_list<Field>;

enum class Level : std::uint8_t { kDebug, kInfo, kWarn, kError };
enum class Format : std::uint8_t { kText, kJson };

// Call once, before any thread logs.
void configure(Level level, Format format);

void debug(std::string_view event, Fields fields = {});
void info(std::string_view event, Fields fields = {});
void warn(std::string_view event, Fields fields = {});
void error(std::string_view event, Fields fields = {});
// For lines whose fields are known only at run time.
void write(Level level, std::string_view event, std::span<const Field> fields);
void flush();

// The line without time and level, for tests: `event=started port=8081` or its JSON members.
std::string format_line(Format format, std::string_view event, std::span<const Field> fields);

}  // namespace orrery::log
