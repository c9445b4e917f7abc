// Every limit on what a client may send or store, in one place, each with the Cosmos DB limit it
// mirrors. Sizes are bytes of UTF-8 unless the name says otherwise. "Ours" marks a limit that the
// service does not publish. The JSON nesting limit is with its parser: json::kDepthMax.

#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery::model::limits {

// Items. Sizes of items and requests: 413 above, everything else 400.
inline constexpr std::size_t kItemBytesMax = 2 * 1024 * 1024;         // item size 2 MB
inline constexpr std::size_t kRequestBodyBytesMax = 2 * 1024 * 1024;  // request size 2 MB
inline constexpr std::size_t kItemIdBytesMax = 1023;                  // id 1…1023 bytes
inline constexpr std::int64_t kTtlSecondsMax = 2'147'483'647;         // items and containers

// Attachments. The service limits the media of an account (2 GB), not that of an attachment. Ids
// are names: kNameCharactersMax.
inline constexpr std::size_t kAttachmentsMax = 1000;                 // ours: of an item; 403 above
inline constexpr std::size_t kAttachmentBytesMax = 64 * 1024;        // ours: without media; 413
inline constexpr std::size_t kMediaBytesMax = kRequestBodyBytesMax;  // ours: of one; 413 above
inline constexpr std::size_t kContentTypeBytesMax = 255;             // ours; 400 above

// Operations of one request: 400 above.
inline constexpr std::size_t kPatchOperationsMax = 10;   // operations of a patch
inline constexpr std::size_t kBatchOperationsMax = 100;  // operations of a batch

// Partition keys.
inline constexpr std::size_t kKeyDeletesMax = 1000;      // ours: pending key deletes, 403/1032
inline constexpr std::size_t kPartitionKeyPathsMax = 3;  // hierarchical keys: 3 levels
inline constexpr std::size_t kPartitionKeyValueBytesMax = 2048;  // with large keys (version 2)
inline constexpr std::size_t kPartitionKeyV1UnitsMax = 100;      // version 1: UTF-16 units hashed
inline constexpr std::size_t kPartitionKeyV1BytesMax = 100;      // version 1: truncated to 101
inline constexpr std::size_t kPartitionMegabytesDefault = 50 << 10;  // physical: then it is split
inline constexpr std::size_t kLogicalPartitionMegabytesDefault = 20 << 10;  // 403/1014 above

// Databases and containers.
inline constexpr std::size_t kNameCharactersMax = 255;          // names 1…255 characters
inline constexpr std::size_t kUniqueKeysMax = 10;               // constraints of a container
inline constexpr std::size_t kUniqueKeyPathsMax = 16;           // paths of a constraint
inline constexpr std::size_t kIncludedPathsMax = 1500;          // of an indexing policy
inline constexpr std::size_t kExcludedPathsMax = 1500;          // of an indexing policy
inline constexpr std::size_t kCompositeIndexPropertiesMax = 8;  // of one composite index
inline constexpr std::size_t kCompositeIndexPathsMax = 100;     // of all composite indexes
inline constexpr std::size_t kComputedPropertiesMax = 20;       // of a container
inline constexpr std::size_t kClientKeysMax = 20;               // of a database; 403 above
inline constexpr std::size_t kEncryptedPathsMax = 1000;         // ours: of an encryption policy
inline constexpr std::size_t kStoredProceduresMax = 100;        // of a container; 403 above
inline constexpr std::size_t kTriggersMax = 25;                 // of a container; 403 above
inline constexpr std::size_t kUdfsMax = 50;                     // of a container; 403 above
inline constexpr std::int64_t kVersionRetentionMinutesMax = 43'200;  // 30 days

// Pages.
inline constexpr std::size_t kPageItemsDefault = 100;           // without x-ms-max-item-count
inline constexpr std::size_t kPageRowsDefault = 1000;           // the same, of a query
inline constexpr std::size_t kPageBytesMax = 4 * 1024 * 1024;   // response page 4 MB
inline constexpr std::size_t kBatchBytesMax = 4 * 1024 * 1024;  // response of a batch 4 MB
// Ours: tokens stay within 1 KB, except while a read goes on in a range that has just been split.
inline constexpr std::size_t kContinuationBytesMax = 4096;

// Queries. Work is counted in steps: evaluating an expression or reading 64 bytes is one.
inline constexpr std::int64_t kQueryPageMillisecondsMax = 5'000;   // then the page ends
inline constexpr std::int64_t kOperationMillisecondsMax = 60'000;  // ours; then 408
inline constexpr std::uint64_t kConditionWorkMax = 2'000'000;      // ours: of a patch, steps
inline constexpr std::uint64_t kShortQueryWorkMax = 4'000;         // ours: on a reactor, steps
inline constexpr std::size_t kQueryGroupsMax = 500'000;            // GROUP BY table cells
inline constexpr std::size_t kQueryMemoryBytesMax = 256 << 20;     // ours: of one query
inline constexpr std::size_t kQueryMemoryMegabytesDefault = 512;   // ours: of all together; 429
inline constexpr std::size_t kQueryTextUnitsMax = 512 * 1024;  // query text 512 KB, UTF-16 units
inline constexpr std::size_t kQueryDepthMax = 512;             // ours: levels of an expression
inline constexpr std::size_t kQueryJoinsMax = 10;              // JOINs of one FROM
inline constexpr std::size_t kQueryAggregatesMax = 21;         // with GROUP BY over partitions
// Ours: what one script transaction may write.
inline constexpr std::size_t kTransactionWritesMax = 10'000;
inline constexpr std::size_t kTransactionBytesMax = std::size_t{64} << 20;
inline constexpr std::size_t kQueryUdfCallsMax = 10;            // calls of UDFs per query
inline constexpr std::uint64_t kQueryCountMax = 4'294'967'295;  // TOP, OFFSET, LIMIT

// Functions in queries: limits on the result and the work of one call. A larger result ends the
// query with 400; a match that takes more work is undefined. All ours but the first.
inline constexpr std::size_t kReplicateUnitsMax = 10'000;                // REPLICATE, UTF-16 units
inline constexpr std::size_t kFunctionStringBytesMax = 8 * 1024 * 1024;  // one string
inline constexpr std::size_t kFunctionArrayElementsMax = 1024 * 1024;    // one array
inline constexpr std::size_t kFunctionNodesMax = 4 * 1024 * 1024;        // values compared
inline constexpr std::size_t kRegexPatternBytesMax = 16 * 1024;          // of RegexMatch
inline constexpr std::uint64_t kRegexWorkMax = 20'000'000;               // steps of one match
inline constexpr std::uint32_t kRegexDepthMax = 100'000;                 // nested backtracking
inline constexpr std::uint32_t kRegexHeapKilobytesMax = 20 * 1024;       // for backtracking
inline constexpr std::size_t kRegexStackBytesMax = 512 * 1024;           // of compiled patterns

// Scripts. The service does not publish its numbers; all ours but the time.
inline constexpr std::int64_t kScriptMillisecondsMax = 5000;             // 5 s of one execution
inline constexpr std::size_t kScriptMessageUnitsMax = 4 * 1024 * 1024;   // a body, UTF-16 units
inline constexpr std::size_t kScriptLogUnitsMax = 16 * 1024;             // the log, UTF-16 units
inline constexpr std::size_t kScriptHeapBytesMax = 128 * 1024 * 1024;    // of one JavaScript heap
inline constexpr std::size_t kScriptPendingMax = 20'000;                 // pending callbacks
inline constexpr std::size_t kScriptPendingBytesMax = 64 * 1024 * 1024;  // their data
inline constexpr std::size_t kScriptPromiseJobsMax = 1'000'000;          // pending reactions
inline constexpr std::size_t kScriptCacheBytesMax = 8 * 1024 * 1024;     // compiled, of one thread

// Throughput, in request units per second.
inline constexpr std::int64_t kThroughputMin = 400;                    // manual
inline constexpr std::int64_t kThroughputStep = 100;                   // manual
inline constexpr std::int64_t kAutoscaleThroughputMin = 1000;          // the configured maximum
inline constexpr std::int64_t kAutoscaleThroughputStep = 1000;         // the configured maximum
inline constexpr std::int64_t kThroughputMax = 1'000'000;              // default quota
inline constexpr std::int64_t kThroughputWithoutKeyMax = 10'000;       // without a partition key
inline constexpr std::int64_t kPartitionThroughputMax = 10'000;        // of one physical partition
inline constexpr std::int64_t kPartitionThroughputAtCreation = 6'000;  // manual, at creation
inline constexpr std::uint32_t kPhysicalPartitionsMax = 1000;    // ours: tenfold the quota's 100
inline constexpr std::size_t kSharingContainersMax = 25;         // of one database's throughput
inline constexpr std::size_t kAutoUpgradePolicyBytesMax = 1024;  // ours: the service publishes none

// Users and permissions, quotas of an account in the service's first years.
inline constexpr std::size_t kUsersMax = 500'000;
inline constexpr std::size_t kPermissionsMax = 2'000'000;
// The life of a resource token. The service's REST documentation has up to 5 hours, its limits page
// up to 24.
inline constexpr std::int64_t kTokenSecondsMin = 10;
inline constexpr std::int64_t kTokenSecondsMax = 86'400;
inline constexpr std::int64_t kTokenSecondsDefault = 3'600;

// Data-plane roles.
inline constexpr std::size_t kRoleDefinitionsMax = 102;  // 100 custom ones
inline constexpr std::size_t kRoleAssignmentsMax = 2'000;
inline constexpr std::size_t kRoleEntriesMax = 100;      // ours: scopes, permissions or actions
inline constexpr std::size_t kRoleTextBytesMax = 1'024;  // ours

// Authentication.
inline constexpr std::size_t kAuthorizationBytesMax = 1024;      // of a signature
inline constexpr std::size_t kResourceTokenBytesMax = 8 * 1024;  // encoded
inline constexpr std::size_t kBearerTokenBytesMax = 16 * 1024;   // encoded
inline constexpr std::int64_t kBearerTokenSkewSeconds = 300;     // ours, as most verifiers
inline constexpr std::int64_t kClockSkewSecondsMax = 900;        // x-ms-date within 15 minutes

}  // namespace orrery::model::limits
