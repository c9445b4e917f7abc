#include "json/check.h"

#include "json/scan.h"

namespace orrery::json {

namespace {

struct Unseen {
    void begin(Kind /*kind*/, std::size_t /*at*/) {}
    void end(Kind /*kind*/, std::size_t /*after*/) {}
    void key(std::string_view /*raw*/, std::size_t /*at*/) {}
    void scalar(Kind /*kind*/, std::string_view /*raw*/, std::size_t /*at*/) {}
};

}  // namespace

Status check(std::string_view text) {
    Unseen visitor;
    return scan(text, visitor);
}

}  // namespace orrery::json
