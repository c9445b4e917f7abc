// What a running script acts on: the port between the engine and the container. `service`
// implements it over a transaction; tests implement it in memory. The engine never sees storage.
//
// Every call comes from the thread that runs the script, one at a time, and may block. An error
// goes to the script's callback, which may carry on, except for those that end the execution
// whatever the script does (see ends_execution).

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::script {

// The numbers are those of `operations` in prelude/collection.js.
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

// One operation of a script on its container. What a kind does not use is empty.
struct Operation {
    OperationKind kind = OperationKind::kRead;
    // read, replace, delete, patch: the item, by its rid (self link) or its id (link by name).
    std::string item;
    bool item_is_rid = false;
    // create, upsert, replace: the item's JSON, unchecked. patch: {"operations":[…],"condition":…}.
    // query: {"query":…,"parameters":[…]}. delete: a partition key as JSON, mostly empty.
    std::string text;
    // read: the etag that makes it "not modified". Writes: the etag the item must have.
    std::string etag;
    // Feeds and queries. A page size of -1 leaves it to the host.
    std::string continuation;
    std::int32_t page_size = 0;
    bool enable_scan = false;
    bool enable_low_precision_order_by = false;
    IndexAction index_action = IndexAction::kDefault;
};

struct Reply {
    int status = 200;
    std::string body;  // the item as stored; an array of rows for feeds and queries; else empty
    std::string continuation;  // feeds and queries: where the next page begins, empty at the end
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

    // "dbs/<rid>/colls/<rid>/" and "dbs/<name>/colls/<name>". Asked once, before the script runs.
    virtual std::string self_link() const = 0;
    virtual std::string alt_link() const = 0;
    virtual std::string partition_key_definition() const = 0;  // JSON

    // "collectionSize=…;…": what is used and what is allowed, now.
    virtual std::string quota_usage() const = 0;
    virtual std::string quota_limits() const = 0;

    // False when the transaction cannot take any more: the script is told that the operation it
    // asks for is not accepted, and can end well. Time is the engine's affair.
    virtual bool accepts_operations() const = 0;

    virtual Result<Reply> execute(const Operation& operation) = 0;

    // The JSON of the result. The second geometry is empty for functions of one.
    virtual Result<std::string> evaluate_spatial(SpatialFunction function,
                                                 std::string_view first,
                                                 std::string_view second) = 0;
};

// The request as a whole cannot go on, so no callback gets to see the error.
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
