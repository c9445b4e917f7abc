#include "service/offer_change.h"

#include <optional>
#include <string_view>

#include "service/errors.h"

namespace orrery::service {

namespace {

using json::Value;
using model::Throughput;

// SDKs send members they do not set as null.
const Value* given(const Value& object, std::string_view name) {
    const Value* found = object.find(name);
    return found == nullptr || found->is_null() ? nullptr : found;
}

std::string_view without_slashes(std::string_view link) {
    while (link.starts_with('/'))
        link.remove_prefix(1);
    while (link.ends_with('/'))
        link.remove_suffix(1);
    return link;
}

Status check_identity(const catalog::Offer& offer, const Value& body) {
    const std::string rid = offer.rid.text();
    const struct {
        std::string_view name;
        std::string_view expected;
    } members[] = {{"id", rid},
                   {"_rid", rid},
                   {"resource", offer.resource_link},
                   {"offerResourceId", offer.resource_rid}};
    for (const auto& [name, expected] : members) {
        const Value* sent = given(body, name);
        if (sent == nullptr) continue;
        if (!sent->is_string() || without_slashes(sent->string()) != without_slashes(expected)) {
            return bad_request("The input content is invalid because the property '" +
                               std::string(name) + "' does not match the offer to replace.");
        }
    }
    return {};
}

// The first API versions know performance levels only: their offers are of version V1.
Result<bool> names_level(const catalog::Offer& offer, const Value& body) {
    const bool has_level = offer.throughput.level != model::PerformanceLevel::kNone;
    const Value* version = given(body, "offerVersion");
    if (version == nullptr) return has_level;
    if (!version->is_string() || (version->string() != "V1" && version->string() != "V2")) {
        return bad_request("The offer version is not valid; it must be V1 or V2.");
    }
    if (version->string() == "V2") return false;
    if (!has_level) {
        return bad_request("An offer with throughput cannot return to a performance level.");
    }
    return true;
}

Result<Throughput> wanted_level(const Value& body) {
    const Value* type = given(body, "offerType");
    return model::throughput_of_level(type != nullptr && type->is_string() ? type->string() : "");
}

// In the service's words.
Error settings_of_manual_offer() {
    return bad_request(
        "x-ms-cosmos-migrate-offer-to-autopilot must be supplied and offercontent must not contain "
        "autopilotSettings for migration from manual throughput to autoscale.");
}

// The client names the new mode in a header and the server chooses the amount, so the content is
// not read otherwise.
Result<Throughput> migrated_throughput(const Request& request,
                                       const catalog::Offer& offer,
                                       const model::ThroughputHistory& history,
                                       const Value& content) {
    if (request.migrate_to_autoscale && request.migrate_to_manual) {
        return bad_request("An offer cannot be migrated to autoscale and to manual throughput.");
    }
    if (offer.throughput.autoscale == request.migrate_to_autoscale) {
        return bad_request(offer.throughput.autoscale ? "The offer is autoscale already."
                                                      : "The offer is manual already.");
    }
    if (request.migrate_to_autoscale && given(content, "offerAutopilotSettings") != nullptr) {
        return settings_of_manual_offer();
    }
    return model::migrated(offer.throughput, history);
}

// Content with settings is autoscale: clients send them back together with `offerThroughput`, which
// is then the throughput it had scaled to.
Result<Throughput> changed_throughput(const catalog::Offer& offer,
                                      const model::ThroughputHistory& history,
                                      const Value& content) {
    const Value* settings = given(content, "offerAutopilotSettings");
    if (settings != nullptr && !offer.throughput.autoscale) return settings_of_manual_offer();
    if (settings == nullptr && offer.throughput.autoscale) {
        return bad_request(
            "x-ms-cosmos-migrate-offer-to-manual-throughput must be supplied for migration from "
            "autoscale to manual throughput.");
    }
    if (settings != nullptr) return model::parse_autoscale_settings(*settings);
    const Value* units = given(content, "offerThroughput");
    if (units == nullptr || !units->integer()) {
        return model::no_valid_throughput(bounds_of(model::ThroughputMode::kManual, history));
    }
    return Throughput{.request_units = *units->integer(), .autoscale = false};
}

}  // namespace

Result<Throughput> wanted_throughput(const Request& request,
                                     const catalog::Offer& offer,
                                     const model::ThroughputHistory& history,
                                     const Value& body) {
    TRY(check_identity(offer, body));
    const bool migrates = request.migrate_to_autoscale || request.migrate_to_manual;
    if (!migrates && TRY(names_level(offer, body))) return wanted_level(body);
    const Value* content = given(body, "content");
    if (content == nullptr || !content->is_object()) {
        return bad_request(
            "The input content is invalid because the required properties - 'content; ' - are "
            "missing.");
    }
    if (migrates) return migrated_throughput(request, offer, history, *content);
    Throughput wanted = TRY(changed_throughput(offer, history, *content));
    TRY(model::check_throughput(wanted, history));
    // Clients that know nothing of buckets leave them as they are.
    wanted.buckets = offer.throughput.buckets;
    if (const Value* buckets = given(*content, "throughputBuckets")) {
        wanted.buckets = TRY(model::parse_throughput_buckets(*buckets));
    }
    return wanted;
}

}  // namespace orrery::service
