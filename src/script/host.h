// The interface through which a running script acts on its container. `service` implements it over
// a transaction; tests implement it in memory. The engine never sees storage.
//
// All calls come from the script's thread, one at a time, and may block. An error is passed to the
// script's callback, which may continue, except for errors that end the execution regardless (see
// ends_execution).

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::script {

// Same numbers as `operations` in prelude/collection.js.
enum class OperationKind : std::uint8_t {
    kRead = 0,
    kReadFeed = 1,
    kQuery = 2,
    kCreate = 3,
    kUpsert = 4,
    kReplace = 5,
    kDelete = 6,
    kPatch = 7,
    kAttachment = 8,  // never reaches the host
};

enum class IndexAction : std::uint8_t { kDefault, kInclude, kExclude };

// One operation of a script on its container. Members that a kind does not use are empty.
struct Operation {
    OperationKind kind = OperationKind::kRead;
    // read, replace, delete, patch: the item, by its rid (self link) or its id (link by name).
    std::string item;
    bool item_is_rid = false;
    // create, upsert, replace: the item's JSON, unchecked. patch: {"operations":[…],"condition":…}.
    // query: {"query":…,"parameters":[…]}. delete: a partition key as JSON, usually empty.
    std::string text;
    // read: the etag for "not modified". Writes: the etag the item must have.
    std::string etag;
    // Feeds and queries. With a page size of -1 the host decides.
    std::string continuation;
    std::int32_t page_size = 0;
    bool enable_scan = false;
    bool enable_low_precision_order_by = false;
    IndexAction index_action = IndexAction::kDefault;
};

struct Reply {
    int status = 200;
    std::string body;  // the stored item; an array of rows for feeds and queries; else empty
    std::string continuation;  // feeds and queries: the next page, empty at the end
    bool not_modified = false;
};

enum class SpatialFunction : std::uint8_t {
    kDistance,
    kIntersects,
    kWithin,
    kIsValid,
    kIsValidDetailed,
};

class ScriptHost {
public:
    ScriptHost() = default;
    ScriptHost(const ScriptHost&) = delete;
    ScriptHost& operator=(const ScriptHost&) = delete;
    virtual ~ScriptHost() = default;

    // "dbs/<rid>/colls/<rid>/" and "dbs/<name>/colls/<name>". Called once, before the script runs.
    virtual std::string self_link() const = 0;
    virtual std::string alt_link() const = 0;
    virtual std::string partition_key_definition() const = 0;  // JSON

    // "collectionSize=…;…": current usage and limits.
    virtual std::string quota_usage() const = 0;
    virtual std::string quota_limits() const = 0;

    // False if the transaction is full: the operation is not accepted, and the script can end
    // normally. Time limits are the engine's responsibility.
    virtual bool accepts_operations() const = 0;

    virtual Result<Reply> execute(const Operation& operation) = 0;

    // The result as JSON. The second geometry is empty for unary functions.
    virtual Result<std::string> evaluate_spatial(SpatialFunction function,
                                                 std::string_view first,
                                                 std::string_view second) = 0;
};

// Errors that fail the whole request, so that no callback receives them.
constexpr bool ends_execution(ErrorCode code) {
    switch (code) {
        case ErrorCode::kTimeout:
        case ErrorCode::kThrottled:
        case ErrorCode::kGone:
        case ErrorCode::kUnavailable:
        case ErrorCode::kFenced:
        case ErrorCode::kCorrupted:
            return true;
        default:
            return false;
    }
}

}  // namespace orrery::script
