#include "client/elements.h"

#include <utility>

#include "json/scan.h"

namespace orrery::client {

namespace {

// Items in an array in an object.
constexpr int kArrayDepth = 2;
constexpr int kPageDepthMax = json::kDepthMax + kArrayDepth;

struct Finder {
    explicit Finder(std::string_view page) : text(page) {}

    void begin(json::Kind kind, std::size_t at) {
        if (++depth == kArrayDepth) wanted = kind == json::Kind::kArray && !complete;
        if (depth == kArrayDepth + 1) first = at;
    }
    void end(json::Kind /*kind*/, std::size_t after) {
        if (depth == kArrayDepth + 1 && wanted) found.push_back(text.substr(first, after - first));
        if (depth == kArrayDepth) complete |= std::exchange(wanted, false);
        --depth;
    }
    void key(std::string_view /*raw*/, std::size_t /*at*/) {}
    void scalar(json::Kind /*kind*/, std::string_view raw, std::size_t /*at*/) {
        if (depth == kArrayDepth && wanted) found.push_back(raw);
    }

    std::string_view text;
    std::vector<std::string_view> found;
    std::size_t first = 0;  // of the element that has begun
    int depth = 0;
    bool wanted = false;    // in the array
    bool complete = false;  // after it
};

}  // namespace

Result<Elements> Elements::of(std::string_view page) {
    Elements out;
    Finder finder(page);
    json::Scan scan(page, finder, kPageDepthMax);
    if (!page.starts_with('{') || !scan.run()) {
        return Error(ErrorCode::kInternal, "the server's answer is not JSON");
    }
    if (scan.is_minified()) {
        out.texts_ = std::move(finder.found);
        return out;
    }
    auto minified = std::make_shared<const std::string>(json::minify(page).value_or(""));
    out = TRY(of(*minified));
    out.minified_ = std::move(minified);
    return out;
}

}  // namespace orrery::client
