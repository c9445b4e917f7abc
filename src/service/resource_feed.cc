#include "service/resource_feed.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "model/limits.h"
#include "service/surroundings.h"
#include "sql/source.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

std::vector<Listed>::const_iterator first_from(const std::vector<Listed>& resources,
                                               std::uint64_t number) {
    return std::lower_bound(
        resources.begin(), resources.end(), number, [](const Listed& resource, std::uint64_t from) {
            return resource.number < from;
        });
}

// Resources as the items of a query.
class ResourceSource : public sql::ItemSource {
public:
    explicit ResourceSource(const std::vector<Listed>& resources) : resources_(resources) {}

    std::unique_ptr<sql::ItemCursor> items(sql::ItemNumber from) override {
        return std::make_unique<Cursor>(first_from(resources_, from), resources_.end());
    }
    Result<const sql::Item*> load(sql::ItemNumber number) override {
        const auto found = first_from(resources_, number);
        const bool there = found != resources_.end() && found->number == number;
        return there ? loaded_.set(*found) : nullptr;
    }
    bool is_whole() const override { return true; }
    std::uint64_t item_count() const override { return resources_.size(); }
    Result<std::optional<std::uint64_t>> count(sql::Budget& /*budget*/) const override {
        return std::optional<std::uint64_t>(resources_.size());
    }
    std::unique_ptr<index::DocnumCursor> members() const override { return nullptr; }
    const index::PathPolicy* policy() const override { return nullptr; }
    const sql::IndexSource* index() const override { return nullptr; }
    bool sorts_without_index() const override { return true; }

private:
    // The text and the item that points to it.
    class Current {
    public:
        const sql::Item* set(const Listed& resource) {
            text_ = resource.body().text();
            item_ = {.number = resource.number, .json = text_};
            return &item_;
        }

    private:
        std::string text_;
        sql::Item item_;
    };

    class Cursor : public sql::ItemCursor {
    public:
        using Iterator = std::vector<Listed>::const_iterator;
        Cursor(Iterator next, Iterator end) : next_(next), end_(end) {}

        Result<const sql::Item*> next() override {
            return next_ == end_ ? nullptr : current_.set(*next_++);
        }

    private:
        Iterator next_;
        Iterator end_;
        Current current_;
    };

    const std::vector<Listed>& resources_;
    Current loaded_;
};

}  // namespace

Result<Page> ResourceFeed::page(Context& context,
                                const std::vector<Listed>& resources,
                                const QueryText* query,
                                const std::string& scope) const {
    Page page = TRY(query == nullptr ? list(context.request, resources, scope)
                                     : rows(context, resources, *query, scope));
    context.receipt.charge = throughput::feed_charge(page.count, page.elements.size());
    return page;
}

Result<Page> ResourceFeed::rows(Context& context,
                                const std::vector<Listed>& resources,
                                const QueryText& query,
                                const std::string& scope) const {
    const Request& request = context.request;
    sql::Budget budget(page_limits(context.allowance));
    const ParsedQuery parsed =
        TRY(parse_query(statements_, query, {}, surroundings_at(clock_, budget)));
    ResourceSource source(resources);
    // A token of another query, or for other resources, is refused.
    const std::string bound_to = "query on " + scope + " " + digest_of(parsed);
    sql::Resume from;
    if (request.continuation) {
        const auto given = signer_.check(*request.continuation, bound_to);
        if (!given) return bad_continuation();
        from = TRY(sql::Resume::decode(given->resume));
    }
    const auto sign = [&](const sql::Resume& resume) {
        return signer_.sign({.range_id = 0, .resume = resume.encode()}, bound_to);
    };
    return TRY(run_over(context, parsed, source, from, sign)).page;
}

Result<Page> ResourceFeed::list(const Request& request,
                                const std::vector<Listed>& resources,
                                const std::string& scope) const {
    const std::size_t limit = TRY(page_size(request));
    std::uint64_t from = 0;
    if (request.continuation) {
        const Continuation given = TRY(signer_.check(*request.continuation, scope));
        from = ByteReader(given.resume).big_endian<std::uint64_t>();
    }
    Page page;
    for (auto next = first_from(resources, from); next != resources.end(); ++next) {
        const std::size_t before = page.elements.size();
        if (page.count > 0) page.elements += ',';
        next->body().append_text(page.elements);
        const bool too_long = page.elements.size() > model::limits::kPageBytesMax;
        if (page.count == limit || (page.count > 0 && too_long)) {
            page.elements.resize(before);
            std::string resume;
            append_big_endian(resume, next->number);
            page.continuation = signer_.sign({.range_id = 0, .resume = resume}, scope);
            return page;
        }
        ++page.count;
    }
    return page;
}

}  // namespace orrery::service
