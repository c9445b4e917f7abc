#include "service/batches.h"

#include <algorithm>

#include "model/limits.h"
#include "service/consistency.h"
#include "service/errors.h"
#include "service/item_selection.h"
#include "service/metering.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

using Kind = model::BatchOperation::Kind;

// Approximate size of a result without the item's JSON.
constexpr std::size_t kResultBytes = 200;

Error not_executed() {
    return Error(ErrorCode::kFailedDependency,
                 "The operation was not executed because another operation of the batch failed.");
}

Error response_too_large() {
    constexpr std::uint32_t kBatchResponseTooLarge = 3402;
    return Error(ErrorCode::kTooLarge,
                 "The results of the batch are too large for one response.",
                 kBatchResponseTooLarge);
}

Error other_range() {
    constexpr std::uint32_t kPartitionKeyRangeGone = 1002;
    return Error(ErrorCode::kGone,
                 "The operation's partition key is not in the partition key range of the request.",
                 kPartitionKeyRangeGone);
}

struct Step {
    Result<StagedOperation> staged;
    bool body_wanted = true;
};

}  // namespace

// Reads the operations of a request.
class Batches::Staging {
public:
    Staging(Partitions& partitions,
            const Context& context,
            const catalog::ContainerPtr& container,
            const BatchOptions& options)
        : partitions_(partitions), context_(context), container_(container), options_(options) {}

    Result<std::shared_ptr<partition::Partition>> find_partition() {
        const Request& request = context_.request;
        TRY(check_intended_container(request, *container_));
        if (!options_.atomic && request.range_id) {
            Request range;
            range.range_id = request.range_id;
            const ItemSelection selection = TRY(select_items(range, *container_));
            return partitions_.open(*container_, selection.first_range, context_.allowance);
        }
        key_ = TRY(required_partition_key(request, *container_));
        return TRY(route(partitions_, context_, *container_, *key_)).partition;
    }

    Step stage(const model::BatchOperation& operation, const partition::Partition& partition) {
        const bool reads = operation.kind == Kind::kRead;
        Step step{.staged = stage_one(operation),
                  .body_wanted = reads || !operation.minimal_return};
        if (step.staged && step.staged->partition.get() != &partition) step.staged = other_range();
        return step;
    }

private:
    Result<StagedOperation> stage_one(const model::BatchOperation& operation) {
        Context one = context_;
        one.allowance.claim.reset();  // the batch as a whole is metered
        one.request = TRY(request_of(operation));
        const std::string_view body = operation.body ? *operation.body : std::string_view();
        const bool puts = operation.kind == Kind::kCreate || operation.kind == Kind::kUpsert;
        if (!puts && !operation.id) return bad_request("An operation of the batch has no id.");
        const ItemAddress address{.id = operation.id.value_or(""), .rid = std::nullopt};
        switch (operation.kind) {
            case Kind::kCreate:
                return stage_create(partitions_, one, *container_, body);
            case Kind::kUpsert:
                return stage_upsert(partitions_, one, *container_, body);
            case Kind::kRead:
                return stage_read(partitions_, one, *container_, address);
            case Kind::kReplace:
                return stage_replace(partitions_, one, *container_, address, body);
            case Kind::kPatch:
                return stage_patch(partitions_, one, container_, address, body);
            case Kind::kDelete:
                return stage_remove(partitions_, one, *container_, address);
        }
        return bad_request("The batch has an operation of an unknown type.");
    }

    // The request that would run this operation alone.
    Result<Request> request_of(const model::BatchOperation& operation) {
        Request one = context_.request;
        const auto view = [](const std::optional<std::string>& text) {
            return text ? std::optional<std::string_view>(*text) : std::nullopt;
        };
        one.range_id.reset();
        one.if_match = view(operation.if_match);
        one.if_none_match = view(operation.if_none_match);
        // For a read, If-Match names the version the client has, like If-None-Match.
        if (operation.kind == Kind::kRead && one.if_match) {
            if (!one.if_none_match) one.if_none_match = one.if_match;
            one.if_match.reset();
        }
        one.indexing_directive = view(operation.indexing_directive);
        if (!operation.partition_key) return one;
        one.partition_key = *operation.partition_key;
        if (options_.atomic && TRY(partition_key_of(one, *container_)) != key_) {
            return bad_request(
                "An operation's partition key differs from that of the transactional batch.");
        }
        return one;
    }

    Partitions& partitions_;
    const Context& context_;
    const catalog::ContainerPtr& container_;
    const BatchOptions options_;
    std::optional<model::PartitionKeyValue> key_;
};

// Runs all operations as one write. Failures of operations become results and the task itself
// succeeds, which distinguishes them from a failed commit.
class Batches::Task final : public partition::WriteTask {
public:
    Task(Context& context,
         std::shared_ptr<partition::Partition> partition,
         std::vector<Step> steps,
         const BatchOptions& options,
         BatchCallback done)
        : context_(context),
          partition_(std::move(partition)),
          steps_(std::move(steps)),
          options_(options),
          done_(std::move(done)) {}

    Status apply(partition::ItemWriter& writer) override {
        results_.reserve(steps_.size());
        if (options_.atomic) {
            run_transaction(writer);
        } else {
            run_bulk(writer);
        }
        return {};
    }

    void complete(Status outcome) override {
        if (!outcome) {
            context_.receipt.position = position_of(*partition_);
            spend_on_failure(context_, *partition_, {}, outcome.error());
            return done_(std::move(outcome).take_error());
        }
        partition::Lsn newest = 0;
        context_.receipt.charge = 0;
        std::vector<BatchResult> results;
        results.reserve(results_.size());
        for (Result<ItemAnswer>& result : results_) {
            if (result) newest = std::max(newest, result->item_lsn);
            const double charge = charge_of(result);
            context_.receipt.charge += charge;
            results.push_back({.answer = std::move(result), .charge = charge});
        }
        context_.receipt.position = position_of(*partition_, newest);
        spend(context_, *partition_, partition_key_of(steps_), context_.receipt.charge);
        done_(std::move(results));
    }

private:
    void run_transaction(partition::ItemWriter& writer) {
        const auto before = writer.savepoint();
        writer.begin_transaction();
        bool failed = false;
        for (std::size_t i = 0; i < steps_.size() && !failed; ++i) {
            results_.push_back(run(steps_[i], writer));
            failed = !results_.back();
        }
        const std::size_t failed_at = results_.size() - 1;
        writer.end_transaction();
        if (!failed) return;
        writer.rollback_to(before);
        for (std::size_t i = 0; i + 1 < results_.size(); ++i) {
            results_[i] = not_executed();
        }
        while (results_.size() < steps_.size()) {
            results_.push_back(not_executed());
        }
        // If the results are too large in total, the last operation gets that error.
        if (full_) std::swap(results_[failed_at], results_.back());
    }

    void run_bulk(partition::ItemWriter& writer) {
        bool failed = false;
        for (Step& step : steps_) {
            if (full_) {
                results_.push_back(response_too_large());
            } else if (failed && !options_.continue_on_error) {
                results_.push_back(not_executed());
            } else {
                results_.push_back(run(step, writer));
                failed = !results_.back();
            }
        }
    }

    // An operation whose result does not fit is not executed; the client must send it again.
    Result<ItemAnswer> run(Step& step, partition::ItemWriter& writer) {
        if (!step.staged) return std::move(step.staged).take_error();
        const auto before = writer.savepoint();
        Result<ItemAnswer> answer = step.staged->run(writer);
        if (answer) {
            if (!step.body_wanted || answer->kind == ItemAnswer::Kind::kNotModified) {
                answer->record.clear();
                answer->json_offset = 0;
            }
            const std::size_t size = kResultBytes + answer->record.size() - answer->json_offset;
            full_ = response_bytes_ + size > model::limits::kBatchBytesMax;
            if (full_) {
                answer = response_too_large();
            } else {
                response_bytes_ += size;
            }
        }
        if (!answer) writer.rollback_to(before);
        return answer;
    }

    // Of the first operation; a transaction has one for all.
    static std::string_view partition_key_of(const std::vector<Step>& steps) {
        const auto& first = steps.front().staged;
        return first ? std::string_view(first->partition_key) : std::string_view();
    }

    static double charge_of(const Result<ItemAnswer>& result) {
        if (result) return result->charge;
        return result.error().code() == ErrorCode::kFailedDependency ? 0
                                                                     : throughput::kRefusedCharge;
    }

    Context& context_;
    std::shared_ptr<partition::Partition> partition_;
    std::vector<Step> steps_;
    const BatchOptions options_;
    BatchCallback done_;
    std::vector<Result<ItemAnswer>> results_;
    std::size_t response_bytes_ = 0;
    bool full_ = false;
};

void Batches::run(Context& context,
                  const catalog::ContainerPtr& container,
                  const std::vector<model::BatchOperation>& operations,
                  const BatchOptions& options,
                  const BatchCallback& done) {
    if (operations.empty()) return done(bad_request("Batch request has no operations."));
    if (operations.size() > model::limits::kBatchOperationsMax) {
        return done(bad_request("Batch request has more operations than what is supported."));
    }
    Staging staging(partitions_, context, container, options);
    auto partition = staging.find_partition();
    if (!partition) return done(std::move(partition).take_error());
    const bool reads = std::any_of(operations.begin(), operations.end(), [](const auto& operation) {
        return operation.kind == Kind::kRead;
    });
    if (reads) {
        if (auto session = check_session(context, **partition); !session) {
            return done(std::move(session).take_error());
        }
    }
    std::vector<Step> steps;
    steps.reserve(operations.size());
    for (const model::BatchOperation& operation : operations) {
        steps.push_back(staging.stage(operation, **partition));
    }
    (*partition)
        ->submit(std::make_unique<Task>(context, *partition, std::move(steps), options, done));
}

}  // namespace orrery::service
