// Operations on offers: the provisioned throughput of databases and containers. An offer is created
// and removed with its resource (service/resources); here it is read and replaced. Reads and
// replacements look at the resource's partitions: call them only where blocking is allowed.

#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>

#include "base/result.h"
#include "catalog/catalog.h"
#include "model/throughput_rules.h"
#include "service/context.h"
#include "service/page.h"
#include "service/resource_answer.h"
#include "service/resource_feed.h"

namespace orrery::service {

// An offer as the client gets it, and how its throughput may change.
struct OfferAnswer {
    ResourceAnswer resource;
    std::int64_t units_min = 0;
    std::int64_t units_max = 0;
    std::int64_t instant_units_max = 0;  // without more physical partitions
    bool replace_pending = false;
};

struct OfferOptions {
    // The bytes a container stores.
    std::function<Result<std::uint64_t>(const catalog::Container&)> stored_bytes;
    // Called after an offer is replaced, before the request is answered.
    std::function<void(const catalog::Offer&)> on_replacement = [](const catalog::Offer&) {};
    // What the busiest second of the last minute used, in request units.
    std::function<double(const catalog::Offer&)> recent_units = [](const catalog::Offer&) {
        return 0;
    };
    // Whether partitions are being split because the throughput needs more of them.
    std::function<bool(const catalog::Offer&)> is_growing = [](const catalog::Offer&) {
        return false;
    };
};

class Offers {
public:
    Offers(catalog::Catalog& catalog, const ResourceFeed& feed, OfferOptions options)
        : catalog_(catalog), feed_(feed), options_(std::move(options)) {}

    Result<OfferAnswer> read(const Context& context, std::string_view rid) const;
    Result<OfferAnswer> replace(Context& context, std::string_view rid, std::string_view body);
    Result<Page> list(Context& context, const QueryText* query) const;

    // What an offer has scaled to. Autoscale follows the use, between a tenth of its maximum and
    // all of it.
    std::int64_t scaled_units(const catalog::Offer& offer) const;

private:
    // What the bounds of an offer depend on.
    struct Subject {
        model::ThroughputHistory history;
        std::int64_t partitions = 0;  // 0: a database without sharing containers
    };

    Result<catalog::OfferPtr> find(std::string_view rid) const;
    json::Value body_of(const catalog::Offer& offer, std::uint64_t stored_kb) const;
    Result<Subject> subject_of(const catalog::Offer& offer) const;
    OfferAnswer answer_of(const catalog::Offer& offer,
                          const Subject& subject,
                          ResourceAnswer resource) const;

    catalog::Catalog& catalog_;
    const ResourceFeed& feed_;
    OfferOptions options_;
    // One replacement at a time: what is allowed depends on the previous ones.
    std::mutex replacing_;
};

}  // namespace orrery::service
