#include <algorithm>
#include <cctype>
#include <string>

#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "json/value.h"

namespace orrery::gateway::handlers {

namespace {

using json::Value;

// The .NET query planner on Windows reads these limits (protocol: GET /).
constexpr const char* kQueryEngineConfiguration =
    R"({"maxSqlQueryInputLength":262144,"maxJoinsPerSqlQuery":5,"maxLogicalAndPerSqlQuery":500,)"
    R"("maxLogicalOrPerSqlQuery":500,"maxUdfRefPerSqlQuery":10,"maxInExpressionItemsCount":16000,)"
    R"("queryMaxInMemorySortDocumentCount":500,"maxQueryRequestTimeoutFraction":0.9,)"
    R"("sqlAllowNonFiniteNumbers":false,"sqlAllowAggregateFunctions":true,"sqlAllowSubQuery":true,)"
    R"("sqlAllowScalarSubQuery":true,"allowNewKeywords":true,"sqlAllowLike":true,)"
    R"("sqlAllowGroupByClause":true,"maxSpatialQueryCells":12,"spatialMaxGeometryPointCount":256,)"
    R"("sqlDisableOptimizationFlags":0,"sqlAllowTop":true,"enableSpatialIndexing":true})";

bool is_host(std::string_view text) {
    return !text.empty() && text.size() <= 255 &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '.' || c == '-' || c == ':' || c == '[' ||
                      c == ']' || c == '_';
           });
}

// Every read sees the newest committed state, so the bounds are the service's defaults.
Value consistency_policy(model::ConsistencyLevel level) {
    Value policy(Value::Object{{"defaultConsistencyLevel", std::string(model::name_of(level))}});
    if (level == model::ConsistencyLevel::kBoundedStaleness) {
        policy.set("maxStalenessPrefix", 100);
        policy.set("maxIntervalInSeconds", 5);
    }
    return policy;
}

}  // namespace

// SDKs send all later requests to this endpoint. Unless one is configured, return the host this
// client just used, which also works through port mappings and proxies.
std::string endpoint_of(const Call& call, const Backend& backend) {
    if (!backend.advertised_endpoint.empty()) return backend.advertised_endpoint;
    const std::string& default_host = backend.default_host;
    std::string_view host = call.header(header::kForwardedHost)
                                .value_or(call.header(header::kHost).value_or(default_host));
    if (!is_host(host)) host = default_host;
    const std::string_view proto =
        call.header(header::kForwardedProto).value_or(call.exchange().secure() ? "https" : "http");
    std::string endpoint(proto == "https" ? "https://" : "http://");
    endpoint.reserve(256);
    return endpoint.append(host).append("/");
}

void read_account(const Backend& backend, const CallPtr& call) {
    const Value location(
        Value::Object{{"name", "Local"}, {"databaseAccountEndpoint", endpoint_of(*call, backend)}});
    const Value replicas(Value::Object{
        {"asyncReplication", false}, {"minReplicaSetSize", 1}, {"maxReplicasetSize", 1}});
    Value account(Value::Object{});
    account.set("_self", "");
    account.set("id", "orrery");
    account.set("_rid", "orrery.sql.cosmos.azure.com");
    account.set("media", "//media/");
    account.set("addresses", "//addresses/");
    account.set("_dbs", "//dbs/");
    account.set("writableLocations", Value::Array{location});
    account.set("readableLocations", Value::Array{location});
    account.set("enableMultipleWriteLocations", false);
    account.set("continuousBackupEnabled", false);
    account.set("enableNRegionSynchronousCommit", false);
    account.set("enablePerPartitionFailoverBehavior", false);
    account.set("disableCrossRegionalHedging", false);
    account.set("userReplicationPolicy", replicas);
    account.set("systemReplicationPolicy", replicas);
    account.set("userConsistencyPolicy", consistency_policy(backend.consistency));
    account.set(
        "readPolicy",
        Value(Value::Object{{"primaryReadCoefficient", 1}, {"secondaryReadCoefficient", 1}}));
    account.set("queryEngineConfiguration", kQueryEngineConfiguration);
    call->context.receipt.charge = 0;
    http::Response response = call->make_response(200);
    response.body = account.text();
    call->respond(std::move(response));
}

}  // namespace orrery::gateway::handlers
