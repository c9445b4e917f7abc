// All header names of the protocol.

#pragma once

#include <string_view>

namespace orrery::gateway::header {

inline constexpr std::string_view kAccept = "Accept";
inline constexpr std::string_view kActivityId = "x-ms-activity-id";
inline constexpr std::string_view kAim = "A-IM";
inline constexpr std::string_view kAllowHeaders = "Access-Control-Allow-Headers";
inline constexpr std::string_view kAllowMethods = "Access-Control-Allow-Methods";
inline constexpr std::string_view kAllowOrigin = "Access-Control-Allow-Origin";
inline constexpr std::string_view kAltContentPath = "x-ms-alt-content-path";
inline constexpr std::string_view kAuthorization = "authorization";
inline constexpr std::string_view kAutopilotSettings = "x-ms-cosmos-offer-autopilot-settings";
inline constexpr std::string_view kBatchAtomic = "x-ms-cosmos-batch-atomic";
inline constexpr std::string_view kBatchContinueOnError = "x-ms-cosmos-batch-continue-on-error";
inline constexpr std::string_view kCacheControl = "Cache-Control";
inline constexpr std::string_view kChangeFeedWireFormat =
    "x-ms-cosmos-changefeed-wire-format-version";
inline constexpr std::string_view kConsistencyLevel = "x-ms-consistency-level";
inline constexpr std::string_view kContentLocation = "Content-Location";
inline constexpr std::string_view kContentPath = "x-ms-content-path";
inline constexpr std::string_view kContentType = "Content-Type";
inline constexpr std::string_view kContinuation = "x-ms-continuation";
inline constexpr std::string_view kContinuationExpected =
    "x-ms-documentdb-query-iscontinuationexpected";
inline constexpr std::string_view kCorrelatedActivityId = "x-ms-cosmos-correlated-activityid";
inline constexpr std::string_view kCrossPartition = "x-ms-documentdb-query-enablecrosspartition";
inline constexpr std::string_view kDate = "Date";
inline constexpr std::string_view kEndEpk = "x-ms-end-epk";
inline constexpr std::string_view kEtag = "etag";
inline constexpr std::string_view kExcludeSystemProperties = "x-ms-exclude-system-properties";
inline constexpr std::string_view kExposeHeaders = "Access-Control-Expose-Headers";
inline constexpr std::string_view kForwarded = "Forwarded";
inline constexpr std::string_view kForwardedFor = "X-Forwarded-For";
inline constexpr std::string_view kForwardedHost = "X-Forwarded-Host";
inline constexpr std::string_view kForwardedProto = "X-Forwarded-Proto";
inline constexpr std::string_view kGatewayVersion = "x-ms-gatewayversion";
inline constexpr std::string_view kGlobalCommittedLsn = "x-ms-global-Committed-lsn";
inline constexpr std::string_view kHost = "Host";
inline constexpr std::string_view kIfMatch = "If-Match";
inline constexpr std::string_view kIfModifiedSince = "If-Modified-Since";
inline constexpr std::string_view kIfNoneMatch = "If-None-Match";
inline constexpr std::string_view kIndexTransformationProgress =
    "x-ms-documentdb-collection-index-transformation-progress";
inline constexpr std::string_view kIndexUtilization = "x-ms-cosmos-index-utilization";
inline constexpr std::string_view kIndexingDirective = "x-ms-indexing-directive";
inline constexpr std::string_view kInstantScaleUp = "x-ms-cosmos-instant-scale-up-value";
inline constexpr std::string_view kIntendedContainerRid = "x-ms-cosmos-intended-collection-rid";
inline constexpr std::string_view kIsBatch = "x-ms-cosmos-is-batch-request";
inline constexpr std::string_view kIsQuery = "x-ms-documentdb-isquery";
inline constexpr std::string_view kIsQueryPlan = "x-ms-cosmos-is-query-plan-request";
inline constexpr std::string_view kIsUpsert = "x-ms-documentdb-is-upsert";
inline constexpr std::string_view kItemCount = "x-ms-item-count";
inline constexpr std::string_view kItemLocalLsn = "x-ms-cosmos-item-llsn";
inline constexpr std::string_view kItemLsn = "x-ms-item-lsn";
inline constexpr std::string_view kLazyIndexingProgress =
    "x-ms-documentdb-collection-lazy-indexing-progress";
inline constexpr std::string_view kLocalLsn = "x-ms-cosmos-llsn";
inline constexpr std::string_view kLsn = "lsn";
inline constexpr std::string_view kLastEventId = "Last-Event-ID";
inline constexpr std::string_view kMaxAge = "Access-Control-Max-Age";
inline constexpr std::string_view kMaxItemCount = "x-ms-max-item-count";
inline constexpr std::string_view kMigrateToAutoscale = "x-ms-cosmos-migrate-offer-to-autopilot";
inline constexpr std::string_view kMigrateToManual =
    "x-ms-cosmos-migrate-offer-to-manual-throughput";
inline constexpr std::string_view kMinThroughput = "x-ms-cosmos-min-throughput";
// Between the nodes of a cluster: who passes the request on, and the answer of one that is not the
// right node.
inline constexpr std::string_view kNode = "x-orrery-node";
inline constexpr std::string_view kElsewhere = "x-orrery-elsewhere";
inline constexpr std::string_view kNumberOfReadRegions = "x-ms-number-of-read-regions";
inline constexpr std::string_view kOfferMaxAllowed = "x-ms-cosmos-offer-max-allowed-throughput";
inline constexpr std::string_view kOfferReplacePending = "x-ms-offer-replace-pending";
inline constexpr std::string_view kPriorityLevel = "x-ms-cosmos-priority-level";
inline constexpr std::string_view kThroughputBucket = "x-ms-cosmos-throughput-bucket";
inline constexpr std::string_view kOfferThroughput = "x-ms-offer-throughput";
inline constexpr std::string_view kOfferType = "x-ms-offer-type";
inline constexpr std::string_view kOptimisticDirectExecute =
    "x-ms-cosmos-query-optimisticdirectexecute";
inline constexpr std::string_view kOrigin = "Origin";
inline constexpr std::string_view kParallelize =
    "x-ms-documentdb-query-parallelizecrosspartitionquery";
inline constexpr std::string_view kPartitionKey = "x-ms-documentdb-partitionkey";
inline constexpr std::string_view kPartitionKeyDeletePending =
    "x-ms-cosmos-is-partition-key-delete-pending";
inline constexpr std::string_view kPopulateIndexMetrics = "x-ms-cosmos-populateindexmetrics";
inline constexpr std::string_view kPopulateIndexMetricsV2 = "x-ms-cosmos-populateindexmetrics-V2";
inline constexpr std::string_view kPopulatePartitionStatistics =
    "x-ms-documentdb-populatepartitionstatistics";
inline constexpr std::string_view kPopulateQueryMetrics = "x-ms-documentdb-populatequerymetrics";
inline constexpr std::string_view kPopulateQuotaInfo = "x-ms-documentdb-populatequotainfo";
inline constexpr std::string_view kPostTrigger = "x-ms-documentdb-post-trigger-include";
inline constexpr std::string_view kPreTrigger = "x-ms-documentdb-pre-trigger-include";
inline constexpr std::string_view kPrefer = "Prefer";
inline constexpr std::string_view kQueryExecutionInfo = "x-ms-cosmos-query-execution-info";
inline constexpr std::string_view kQueryMetrics = "x-ms-documentdb-query-metrics";
inline constexpr std::string_view kRangeId = "x-ms-documentdb-partitionkeyrangeid";
inline constexpr std::string_view kRequestCharge = "x-ms-request-charge";
inline constexpr std::string_view kRequestDuration = "x-ms-request-duration-ms";
inline constexpr std::string_view kRequestHeaders = "Access-Control-Request-Headers";
inline constexpr std::string_view kRequestMethod = "Access-Control-Request-Method";
inline constexpr std::string_view kRequiresDistribution = "x-ms-cosmos-query-requiresdistribution";
inline constexpr std::string_view kResourceQuota = "x-ms-resource-quota";
inline constexpr std::string_view kResourceUsage = "x-ms-resource-usage";
inline constexpr std::string_view kRetryAfterMs = "x-ms-retry-after-ms";
inline constexpr std::string_view kScriptEnableLogging = "x-ms-documentdb-script-enable-logging";
inline constexpr std::string_view kScriptLogResults = "x-ms-documentdb-script-log-results";
inline constexpr std::string_view kSchemaVersion = "x-ms-schemaversion";
inline constexpr std::string_view kServerMerge = "x-orrery-merge-partitions";
inline constexpr std::string_view kServiceVersion = "x-ms-serviceversion";
inline constexpr std::string_view kSessionToken = "x-ms-session-token";
inline constexpr std::string_view kSlug = "Slug";
inline constexpr std::string_view kStartEpk = "x-ms-start-epk";
inline constexpr std::string_view kSubStatus = "x-ms-substatus";
inline constexpr std::string_view kSupportedQueryFeatures = "x-ms-cosmos-supported-query-features";
inline constexpr std::string_view kTokenExpirySeconds = "x-ms-documentdb-expiry-seconds";
inline constexpr std::string_view kTraceparent = "traceparent";
inline constexpr std::string_view kUserAgent = "User-Agent";
inline constexpr std::string_view kVary = "Vary";
inline constexpr std::string_view kVersion = "x-ms-version";
inline constexpr std::string_view kWwwAuthenticate = "WWW-Authenticate";
inline constexpr std::string_view kXMsDate = "x-ms-date";

}  // namespace orrery::gateway::header
