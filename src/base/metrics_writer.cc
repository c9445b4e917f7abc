#include "base/metrics_writer.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/check.h"

namespace orrery::metrics {

namespace {

enum class Quotes : std::uint8_t { kPlain, kEscaped };

// Descriptions escape line ends and backslashes, label values also quotes.
void append_escaped(std::string& out, std::string_view text, Quotes quotes) {
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '\\' || (c == '"' && quotes == Quotes::kEscaped)) out += '\\';
        out += c;
    }
}

// `extra` is one more label, unless its name is empty.
void append_labels(std::string& out, Labels labels, const Label& extra = {}) {
    char separator = '{';
    const auto append = [&](const Label& label) {
        out += separator;
        out.append(label.name).append("=\"");
        append_escaped(out, label.value, Quotes::kEscaped);
        out += '"';
        separator = ',';
    };
    for (const Label& label : labels) {
        append(label);
    }
    if (!extra.name.empty()) append(extra);
    if (separator == ',') out += '}';
}

void append_number(std::string& out, double value) {
    if (std::isnan(value)) {
        out += "NaN";
    } else if (std::isinf(value)) {
        out += value > 0 ? "+Inf" : "-Inf";
    } else {
        fmt::format_to(std::back_inserter(out), "{}", value);
    }
}

void append_count(std::string& out, std::uint64_t value) {
    fmt::format_to(std::back_inserter(out), " {}\n", value);
}

}  // namespace

void Family::add(Labels labels, double value) {
    out_.append(name_);
    append_labels(out_, labels);
    out_ += ' ';
    append_number(out_, value);
    out_ += '\n';
}

void Family::add_integer(Labels labels, std::uint64_t value) {
    out_.append(name_);
    append_labels(out_, labels);
    append_count(out_, value);
}

void HistogramFamily::add(Labels labels, const Times& times) {
    std::uint64_t up_to_bound = 0;
    for (std::size_t i = 0; i < times.buckets.size(); ++i) {
        up_to_bound += times.buckets[i];
        const std::string bound =
            i < kTimeBounds.size() ? fmt::format("{}", in_seconds(kTimeBounds[i])) : "+Inf";
        out_.append(name_).append("_bucket");
        append_labels(out_, labels, {.name = "le", .value = bound});
        append_count(out_, up_to_bound);
    }
    out_.append(name_).append("_sum");
    append_labels(out_, labels);
    out_ += ' ';
    append_number(out_, in_seconds(times.sum));
    out_ += '\n';
    out_.append(name_).append("_count");
    append_labels(out_, labels);
    append_count(out_, up_to_bound);
}

Family Writer::counter(std::string_view name, std::string_view help) {
    CHECK(name.ends_with("_total"));
    begin(name, "counter", help);
    return {out_, name};
}

Family Writer::gauge(std::string_view name, std::string_view help) {
    begin(name, "gauge", help);
    return {out_, name};
}

HistogramFamily Writer::histogram(std::string_view name, std::string_view help) {
    CHECK(name.ends_with("_seconds"));
    begin(name, "histogram", help);
    return {out_, name};
}

void Writer::begin(std::string_view name, std::string_view type, std::string_view help) {
    CHECK(name.starts_with("orrery_"));
    out_.append("# HELP ").append(name).append(" ");
    append_escaped(out_, help, Quotes::kPlain);
    out_.append("\n# TYPE ").append(name).append(" ").append(type).append("\n");
}

double in_seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

}  // namespace orrery::metrics
