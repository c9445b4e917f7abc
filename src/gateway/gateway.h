// Entry point for requests: parses the path and checks the signature before the body is read, then
// dispatches to a handler.
// Only this module knows the REST API; only http/ knows sockets.

#pragma once

#include "base/random.h"
#include "gateway/backend.h"
#include "gateway/call.h"
#include "http/message.h"

namespace orrery::gateway {

class Gateway final : public http::Handler {
public:
    explicit Gateway(Backend backend)
        : backend_(std::move(backend)), activity_ids_(backend_.random) {}

    // Checks path, signature and API version; the handlers run once the body has arrived.
    std::shared_ptr<http::AdmittedRequest> admit(std::shared_ptr<http::Exchange> exchange) override;
    http::Response refuse(unsigned status, std::string_view reason) override;

private:
    class AdmittedCall;

    Status prepare(Call& call) const;
    Result<auth::Principal> identify(Call& call) const;
    std::string activity_id_of(const http::Exchange& exchange);

    const Backend backend_;
    GuidSequence activity_ids_;
};

}  // namespace orrery::gateway
