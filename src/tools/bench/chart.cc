#include "tools/bench/chart.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "cli/progress.h"

namespace orrery::tools::bench {

namespace {

constexpr double kWidth = 960;
constexpr double kLeft = 84;
constexpr double kRight = 932;
constexpr double kPanelsTop = 108;
constexpr double kPanelHeight = 190;
constexpr double kPanelDistance = 268;
// Lines stay legible up to about so many points.
constexpr std::size_t kPointsMax = 300;

constexpr const char* kInk = "#1f2933";
constexpr const char* kFaint = "#52606d";
constexpr const char* kGrid = "#dde3ea";

struct Line {
    std::string name;
    const char* color;
    std::vector<double> values;  // one for each point in time
};

struct Panel {
    std::string title;
    bool logarithmic = false;
    std::vector<Line> lines;
};

// Several seconds as one point: mean rates, the worst latencies.
struct Point {
    double until = 0;
    double seconds = 0;
    double operations = 0;
    double charge = 0;
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double max = 0;
};

std::vector<Point> points_of(const std::vector<Sample>& samples) {
    const std::size_t together = samples.size() / kPointsMax + 1;
    std::vector<Point> out;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const Sample& sample = samples[i];
        // What is left of a second has few operations, which say little.
        if (i > 0 && sample.length < std::chrono::milliseconds(500)) continue;
        if (i % together == 0) out.emplace_back();
        Point& point = out.back();
        point.until = std::chrono::duration<double>(sample.until).count();
        point.seconds += sample.seconds();
        point.operations += static_cast<double>(sample.operations);
        point.charge += sample.charge;
        point.p50 = std::max(point.p50, milliseconds_of(sample.p50));
        point.p90 = std::max(point.p90, milliseconds_of(sample.p90));
        point.p99 = std::max(point.p99, milliseconds_of(sample.p99));
        point.max = std::max(point.max, milliseconds_of(sample.max));
    }
    return out;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '&') {
            out += "&amp;";
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '>') {
            out += "&gt;";
        } else if (c == '"') {
            out += "&quot;";
        } else if (static_cast<unsigned char>(c) >= 0x20) {
            out += c;
        }
    }
    return out;
}

std::string tick_label(double value) {
    if (value >= 10'000 || value == std::floor(value)) {
        return cli::grouped(static_cast<std::uint64_t>(std::llround(value)));
    }
    return fmt::format("{:g}", value);
}

// 1, 2 or 5 times a power of ten, so that about `wanted` of them make up the range.
double step_for(double range, double wanted) {
    const double rough = range / wanted;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough) return factor * power;
    }
    return 10 * power;
}

// The vertical axis of a panel.
class Scale {
public:
    Scale(const Panel& panel, double top) : logarithmic_(panel.logarithmic), top_(top) {
        double least = 0;
        for (const Line& line : panel.lines) {
            for (const double value : line.values) {
                high_ = std::max(high_, value);
                if (value > 0) least = least == 0 ? value : std::min(least, value);
            }
        }
        if (logarithmic_) {
            low_ = std::pow(10, std::floor(std::log10(least > 0 ? least : 0.1)));
            high_ = std::pow(10, std::ceil(std::log10(std::max(high_, low_ * 1.01))));
        } else {
            const double step = step_for(std::max(high_, 1.0), 4);
            high_ = step * std::ceil(std::max(high_, 1.0) / step);
        }
    }

    double y(double value) const {
        const double share =
            logarithmic_ ? std::log10(std::max(value, low_) / low_) / std::log10(high_ / low_)
                         : value / high_;
        return top_ + kPanelHeight * (1 - share);
    }

    std::vector<double> ticks() const {
        std::vector<double> out;
        if (!logarithmic_) {
            const double step = step_for(high_, 4);
            for (int i = 0; i * step <= high_ * 1.001; ++i) {
                out.push_back(i * step);
            }
            return out;
        }
        const bool dense = high_ / low_ < 5000;
        for (double power = low_; power <= high_ * 1.001; power *= 10) {
            out.push_back(power);
            for (const double factor : {2.0, 5.0}) {
                if (dense && factor * power < high_) out.push_back(factor * power);
            }
        }
        return out;
    }

private:
    const bool logarithmic_;
    const double top_;
    double low_ = 0;
    double high_ = 0;
};

class Drawing {
public:
    explicit Drawing(std::vector<Point> points) : points_(std::move(points)) {
        end_ = points_.empty() ? 1 : std::max(points_.back().until, 1e-3);
    }

    void text(double x, double y, std::string_view style, std::string_view what) {
        out_ += fmt::format(
            "<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, style, escaped(what));
    }

    void panel(const Panel& panel, double top) {
        const Scale scale(panel, top);
        text(kLeft, top - 12, fmt::format("class=\"title\" fill=\"{}\"", kInk), panel.title);
        for (const double tick : scale.ticks()) {
            rule(kLeft, scale.y(tick), kRight, scale.y(tick));
            text(kLeft - 8,
                 scale.y(tick) + 4,
                 "class=\"tick\" text-anchor=\"end\"",
                 tick_label(tick));
        }
        time_axis(top + kPanelHeight);
        legend(panel, top - 12);
        for (const Line& line : panel.lines) {
            curve(line, scale);
        }
    }

    std::string take() && { return std::move(out_); }

private:
    double x(double seconds) const { return kLeft + (kRight - kLeft) * seconds / end_; }

    void rule(double x1, double y1, double x2, double y2) {
        out_ += fmt::format(
            "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n",
            x1,
            y1,
            x2,
            y2,
            kGrid);
    }

    void time_axis(double bottom) {
        const double step = step_for(end_, 10);
        for (int i = 0; i * step <= end_ * 1.001; ++i) {
            const double at = x(i * step);
            rule(at, bottom - kPanelHeight, at, bottom + 4);
            text(at, bottom + 18, "class=\"tick\" text-anchor=\"middle\"", tick_label(i * step));
        }
        text((kLeft + kRight) / 2, bottom + 34, "class=\"tick\" text-anchor=\"middle\"", "seconds");
    }

    // At the right, from right to left.
    void legend(const Panel& panel, double y) {
        if (panel.lines.size() < 2) return;
        double right = kRight;
        for (auto line = panel.lines.rbegin(); line != panel.lines.rend(); ++line) {
            text(right,
                 y,
                 fmt::format("class=\"key\" text-anchor=\"end\" fill=\"{}\"", line->color),
                 line->name);
            right -= 20 + 8 * static_cast<double>(line->name.size());
        }
    }

    void curve(const Line& line, const Scale& scale) {
        std::string points;
        for (std::size_t i = 0; i < points_.size(); ++i) {
            // In the middle of the time that it stands for.
            const double middle = points_[i].until - points_[i].seconds / 2;
            points +=
                fmt::format("{:.1f},{:.1f} ", x(std::max(middle, 0.0)), scale.y(line.values[i]));
        }
        out_ += fmt::format(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" "
            "stroke-linejoin=\"round\"/>\n",
            points,
            line.color);
        if (points_.size() > 40) return;
        for (std::size_t i = 0; i < points_.size(); ++i) {
            const double middle = points_[i].until - points_[i].seconds / 2;
            out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n",
                                x(std::max(middle, 0.0)),
                                scale.y(line.values[i]),
                                line.color);
        }
    }

    const std::vector<Point> points_;
    double end_ = 1;
    std::string out_;
};

std::vector<Panel> panels_of(const std::vector<Point>& points) {
    const auto line = [&](std::string name, const char* color, auto value) {
        Line out{.name = std::move(name), .color = color, .values = {}};
        for (const Point& point : points) {
            out.values.push_back(value(point));
        }
        return out;
    };
    const auto per_second = [](double amount, const Point& point) {
        return point.seconds > 0 ? amount / point.seconds : 0;
    };
    return {
        {.title = "Latency in ms (logarithmic)",
         .logarithmic = true,
         .lines = {line("p50", "#1f77b4", [](const Point& point) { return point.p50; }),
                   line("p90", "#2a8f4f", [](const Point& point) { return point.p90; }),
                   line("p99", "#c26a00", [](const Point& point) { return point.p99; }),
                   line("max", "#c0392b", [](const Point& point) { return point.max; })}},
        {.title = "Operations per second",
         .lines = {line("operations/s",
                        "#1f77b4",
                        [&](const Point& point) { return per_second(point.operations, point); })}},
        {.title = "Request units per second",
         .lines = {line("RU/s",
                        "#6c4fb3",
                        [&](const Point& point) { return per_second(point.charge, point); })}},
    };
}

std::string summary(const BenchResult& result) {
    const Totals sum = result.sum();
    const double seconds = std::max(result.seconds(), 1e-6);
    return fmt::format(
        "{} connections · {} operations/s · {} RU/s · p50 {:.2f} ms · p99 {:.2f} ms · {} errors · "
        "{} throttled",
        result.settings.connections,
        tick_label(std::round(static_cast<double>(sum.operations()) / seconds)),
        tick_label(std::round(sum.charge / seconds)),
        milliseconds_of(sum.latencies.quantile(0.5)),
        milliseconds_of(sum.latencies.quantile(0.99)),
        cli::grouped(sum.errors),
        cli::grouped(sum.throttled));
}

}  // namespace

std::string draw_chart(const BenchResult& result) {
    const std::vector<Point> points = points_of(result.samples);
    const std::vector<Panel> panels = panels_of(points);
    Drawing drawing(points);
    drawing.text(
        kLeft,
        36,
        fmt::format("class=\"head\" fill=\"{}\"", kInk),
        fmt::format(
            "Workload {}: {}", result.settings.workload.name, result.settings.workload.summary));
    drawing.text(kLeft, 58, "class=\"tick\"", summary(result));
    double top = kPanelsTop;
    for (const Panel& panel : panels) {
        drawing.panel(panel, top);
        top += kPanelDistance;
    }
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
               "width=\"{0:.0f}\" height=\"{1:.0f}\" font-family=\"sans-serif\">\n"
               "<style>.head{{font-size:20px;font-weight:600}} .title{{font-size:15px;"
               "font-weight:600}} .tick{{font-size:13px;fill:{2}}} .key{{font-size:14px;"
               "font-weight:600}}</style>\n"
               "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
               kWidth,
               top - kPanelDistance + kPanelHeight + 52,
               kFaint) +
           std::move(drawing).take() + "</svg>\n";
}

}  // namespace orrery::tools::bench
