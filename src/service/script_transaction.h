// The host of a running script: the items of one partition key as its transaction sees them. The
// transaction begins with the first operation, so a script without operations costs nothing.

#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/stopwatch.h"
#include "partition/transaction.h"
#include "script/host.h"
#include "service/container_udfs.h"
#include "service/context.h"
#include "service/item_write.h"
#include "service/lookup.h"
#include "service/overlay_source.h"
#include "service/partitions.h"
#include "service/queries.h"

namespace orrery::service {

class ScriptTransaction final : public script::ScriptHost {
    struct Begun {};  // restricts construction to begin()

public:
    struct Services {
        Partitions& partitions;
        const Queries& queries;
        Random& random;
    };

    // Uses the request's partition key; 400 if it has none.
    static Result<std::unique_ptr<ScriptTransaction>> begin(const Services& services,
                                                            const Context& context,
                                                            const FoundContainer& found,
                                                            ContainerUdfs& udfs);
    ScriptTransaction(Begun /*begun*/,
                      const Services& services,
                      const Context& context,
                      FoundContainer found,
                      ContainerUdfs& udfs,
                      ItemTarget target);

    // Runs one operation within the transaction: a script's, or the write that triggers belong to.
    // It must be in the transaction's partition.
    Result<ItemAnswer> run(const StagedOperation& operation, bool reads);

    // See partition::Transaction.
    Result<partition::Lsn> commit();
    // Of the operations so far; of the writes as the commit has made them.
    double charge() const;
    const partition::Partition& partition() const { return *partition_; }
    const std::string& partition_key() const { return encoded_key_; }

    std::string self_link() const override;
    std::string alt_link() const override;
    std::string partition_key_definition() const override;
    std::string quota_usage() const override;
    std::string quota_limits() const override;
    bool accepts_operations() const override { return !transaction_ || !transaction_->is_full(); }
    Result<script::Reply> execute(const script::Operation& operation) override;
    Result<std::string> evaluate_spatial(script::SpatialFunction function,
                                         std::string_view first,
                                         std::string_view second) override;

private:
    Result<StagedOperation> stage(const script::Operation& operation, const Context& context) const;
    Result<script::Reply> read_page(const script::Operation& operation);
    Result<partition::Transaction*> transaction();
    Result<OverlaySource*> source();
    // Of the time that a script may take.
    std::chrono::milliseconds time_left() const;
    // The context that would run this operation alone.
    Context context_of(const script::Operation& operation) const;

    const Services services_;
    const Timer begun_;
    const std::string partition_key_;  // from the request's header
    const ApiVersion api_version_;
    const auth::Principal principal_;
    const Allowance allowance_;
    const FoundContainer found_;
    ContainerUdfs& udfs_;  // for the queries of the script
    const std::string encoded_key_;
    const std::shared_ptr<partition::Partition> partition_;
    // Null until needed.
    std::unique_ptr<partition::Transaction> transaction_;
    std::unique_ptr<PartitionSource> base_;
    std::unique_ptr<OverlaySource> source_;
    double charge_of_reads_ = 0;
    std::vector<std::shared_ptr<const ItemAnswer>> writes_;
};

}  // namespace orrery::service
