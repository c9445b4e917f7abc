#include "service/change_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "json/text.h"
#include "model/partition_key.h"
#include "service/errors.h"

namespace orrery::service {

namespace {

// Items end with the brace of the object, and have at least an id.
void append_item(std::string& out, std::string_view json, partition::Lsn lsn) {
    constexpr std::string_view kName = R"(,"_lsn":)";
    std::array<char, 32> end;
    char* at = std::copy(kName.begin(), kName.end(), end.data());
    at = std::to_chars(at, end.data() + end.size(), lsn).ptr;
    *at++ = '}';
    out.append(json.substr(0, json.find_last_of('}')));
    out.append(end.data(), static_cast<std::size_t>(at - end.data()));
}

std::string_view operation_of(partition::ChangeKind kind) {
    if (kind == partition::ChangeKind::kReplace) return "replace";
    return kind == partition::ChangeKind::kCreate ? "create" : "delete";
}

void append_metadata(std::string& out, const partition::Change& change) {
    const std::int64_t time =
        change.removal != nullptr ? change.removal->timestamp : change.item->header.timestamp;
    out.append(R"("metadata":{"operationType":")").append(operation_of(change.kind));
    out.append(R"(","lsn":)").append(std::to_string(change.place.lsn));
    out.append(R"(,"crts":)").append(std::to_string(time));
    if (change.previous_lsn > 0) {
        out.append(R"(,"previousImageLSN":)").append(std::to_string(change.previous_lsn));
    }
    if (change.kind == partition::ChangeKind::kExpiry) out.append(R"(,"timeToLiveExpired":true)");
    if (change.removal != nullptr) {
        out.append(R"(,"id":)");
        json::append_quoted(out, change.removal->id);
        const auto key = model::PartitionKeyValue::decode(change.removal->partition_key);
        if (key) out.append(R"(,"partitionKey":)").append(key->to_json());
    }
    out += '}';
}

}  // namespace

void append_change(std::string& out, const partition::Change& change) {
    append_item(out, change.item->json, change.place.lsn);
}

partition::ChangePrinter versions_printer() {
    return [](const partition::Change& change, std::string& out) -> Result<std::size_t> {
        out += R"({"current":)";
        if (change.item != nullptr) {
            append_change(out, change);
        } else {
            out += "{}";
        }
        if (change.previous != nullptr) {
            out += R"(,"previous":)";
            append_item(out, change.previous->json, change.previous_lsn);
        }
        out += ',';
        append_metadata(out, change);
        out += '}';
        return std::size_t{1};
    };
}

partition::ChangePrinter plain_printer() {
    return [](const partition::Change& change, std::string& out) -> Result<std::size_t> {
        append_change(out, change);
        return std::size_t{1};
    };
}

partition::ChangePrinter followed_by(char end, partition::ChangePrinter inner) {
    return [end, inner = std::move(inner)](const partition::Change& change,
                                           std::string& out) -> Result<std::size_t> {
        const std::size_t rows = TRY(inner(change, out));
        if (rows > 0) out += end;
        return rows;
    };
}

partition::ChangePrinter enveloped(partition::ChangePrinter inner) {
    return [inner = std::move(inner)](const partition::Change& change,
                                      std::string& out) -> Result<std::size_t> {
        const std::size_t before = out.size();
        out += R"({"current":)";
        const std::size_t rows = TRY(inner(change, out));
        // A JOIN in the filter makes several of an item; an envelope has room for one.
        if (rows > 1) return bad_request("The query must return one row for each item.");
        if (rows == 0) {
            out.resize(before);
            return std::size_t{0};
        }
        out += R"(,"metadata":{"lsn":)" + std::to_string(change.place.lsn) + R"(,"crts":)" +
               std::to_string(change.item->header.timestamp) + "}}";
        return std::size_t{1};
    };
}

}  // namespace orrery::service
