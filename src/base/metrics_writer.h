// Writes metrics in Prometheus' text format 0.0.4, family by family:
//
//     writer.gauge("orrery_connections", "Open connections.").add(12);
//     auto requests = writer.counter("orrery_requests_total", "Requests, by operation.");
//     requests.add({{"operation", "ReadItem"}}, 3);
//
// A family without samples still has its description. Times are in seconds, sizes in bytes.

#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/metrics.h"

namespace orrery::metrics {

inline constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

struct Label {
    std::string_view name;
    std::string_view value;  // any text
};
using Labels = std::initializer_list<Label>;

// The samples of one metric; used before the next family is begun.
class Family {
public:
    Family(std::string& out, std::string_view name) : out_(out), name_(name) {}

    void add(Labels labels, double value);
    template <std::integral T>
    void add(Labels labels, T value) {
        add_integer(labels, static_cast<std::uint64_t>(value));
    }
    template <typename T>
    void add(T value) {
        add({}, value);
    }

private:
    void add_integer(Labels labels, std::uint64_t value);

    std::string& out_;
    const std::string_view name_;
};

class HistogramFamily {
public:
    HistogramFamily(std::string& out, std::string_view name) : out_(out), name_(name) {}

    void add(Labels labels, const Times& times);

private:
    std::string& out_;
    const std::string_view name_;
};

class Writer {
public:
    // `name` begins with "orrery_" and must outlive the family. That of a counter ends in "_total".
    Family counter(std::string_view name, std::string_view help);
    Family gauge(std::string_view name, std::string_view help);
    // Of times; the name ends in "_seconds".
    HistogramFamily histogram(std::string_view name, std::string_view help);

    std::string take() && { return std::move(out_); }

private:
    void begin(std::string_view name, std::string_view type, std::string_view help);

    std::string out_;
};

double in_seconds(std::chrono::nanoseconds time);

}  // namespace orrery::metrics
