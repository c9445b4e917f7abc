// Feeds bytes to the request parser as a connection does: with its limits, request after request,
// and with the input split at a point that the input chooses.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/request.h"
#include "http/request_parser.h"

namespace {

using orrery::http::Limits;
using orrery::http::MemoryBudget;
using orrery::http::Request;
using orrery::http::RequestParser;

struct Reader {
    Limits limits{.head_bytes_max = 4096, .body_bytes_max = 1024, .body_bytes_drained_max = 4096};
    MemoryBudget budget{limits.body_bytes_max};
    Request request{budget};
    std::optional<RequestParser> parser;
    std::string unread;
    bool head_complete = false;
    bool over = false;

    void receive(std::string_view bytes) {
        unread.append(bytes);
        std::string_view rest = unread;
        while (!over && !rest.empty() && parse(rest)) {
        }
        unread.erase(0, unread.size() - rest.size());
    }

    // Returns false if more bytes are needed or the connection must close.
    bool parse(std::string_view& rest) {
        if (!parser) parser.emplace(limits, request);
        if (head_complete && !parser->reserve_body(rest)) request.discard_body();
        switch (parser->parse(rest)) {
            case RequestParser::Progress::kNeedMore:
                over = parser->body_bytes() > limits.body_bytes_drained_max;
                return false;
            case RequestParser::Progress::kMalformed:
            case RequestParser::Progress::kHeadTooLarge:
                over = true;
                return false;
            case RequestParser::Progress::kHeadComplete:
                head_complete = true;
                if (!parser->complete()) return true;
                break;
            case RequestParser::Progress::kComplete:
                break;
        }
        CHECK(!request.method().empty());
        CHECK(request.head_bytes() <= limits.head_bytes_max);
        CHECK(request.body.size() <= limits.body_bytes_max);
        CHECK(!request.body_too_large || request.body.empty());
        (void)request.header("Content-Length");
        (void)parser->keeps_alive();
        request.clear();
        CHECK(budget.taken() == 0);
        parser.reset();
        head_complete = false;
        return true;
    }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const std::size_t cut = bytes.size() * data[0] / 255;
    Reader reader;
    reader.receive(bytes.substr(0, cut));
    reader.receive(bytes.substr(cut));
    return 0;
}
