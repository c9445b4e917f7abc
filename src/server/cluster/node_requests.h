// Answers the calls of other nodes (node_calls.h).

#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "gateway/node_proof.h"
#include "http/message.h"
#include "server/cluster/catalog_replica.h"
#include "server/cluster/range_calls.h"
#include "service/range_report.h"

namespace orrery::server {

class NodeRequests final : public http::Handler {
public:
    // All must outlive this.
    NodeRequests(const gateway::NodeProof& proof, CatalogReplica& replica, const Clock& clock)
        : proof_(proof), replica_(replica), clock_(clock) {}

    struct Services {
        const catalog::Catalog& catalog;
        RangeCalls& ranges;
        service::RangeReports reports;
    };
    // What calls need that are not about the catalog's content. Before it is attached they are
    // refused; once it is detached, none are answered any more.
    void attach(const Services& services);
    void detach();

    std::shared_ptr<http::AdmittedRequest> admit(std::shared_ptr<http::Exchange> exchange) override;
    http::Response refuse(unsigned status, std::string_view reason) override;

private:
    class Request;

    void send_update(const std::string& node, const std::shared_ptr<http::Exchange>& exchange);
    Result<std::string> answer(std::string_view path, std::string_view body);

    const gateway::NodeProof& proof_;
    CatalogReplica& replica_;
    const Clock& clock_;
    std::mutex mutex_;
    std::shared_ptr<const Services> services_;                               // guarded by mutex_
    std::unique_ptr<ThreadPool> threads_ = std::make_unique<ThreadPool>(2);  // null once detached
};

}  // namespace orrery::server
