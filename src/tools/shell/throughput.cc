#include "tools/shell/throughput.h"

#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "cli/progress.h"
#include "client/pages.h"
#include "json/value.h"
#include "tools/shell/statements.h"

namespace orrery::tools {

namespace {

using json::Value;

Error unexpected() {
    return Error(ErrorCode::kInternal, "the server's answer is not an offer as expected");
}

Result<Value> find_offer(client::Client& client, const Place& place) {
    if (place.database.empty()) {
        return Error(ErrorCode::kBadRequest,
                     "throughput belongs to a database or a container; `use` one");
    }
    const Value resource = TRY(client.read(place.path()));
    const Value* const rid = resource.find("_rid");
    if (rid == nullptr || !rid->is_string()) return unexpected();
    Value::Object parameter;
    parameter.push_back({"name", "@rid"});
    parameter.push_back({"value", rid->string()});
    client::Pages pages(client,
                        client::Path{"offers"},
                        {.text = "SELECT * FROM c WHERE c.offerResourceId = @rid",
                         .parameters = Value::Array{std::move(parameter)}});
    while (const auto page = TRY(pages.next())) {
        for (const std::string_view element : TRY(page->elements())) {
            return Value::parse(element);
        }
    }
    return Error(ErrorCode::kNotFound,
                 place.container.empty()
                     ? "the database has no throughput; its containers have their own"
                     : "the container has no throughput of its own; it shares the database's");
}

Result<Throughput> throughput_in(const Value& offer) {
    const Value* const content = offer.find("content");
    if (content == nullptr) return unexpected();
    const Value* const settings = content->find("offerAutopilotSettings");
    const Value* const number =
        settings != nullptr ? settings->find("maxThroughput") : content->find("offerThroughput");
    if (number == nullptr || !number->is_number()) return unexpected();
    const auto units = number->integer();
    if (!units) return unexpected();
    return Throughput{.units = *units, .autoscale = settings != nullptr};
}

Status replace(client::Client& client, Value& offer, Value content, client::Headers headers) {
    const Value* const id = offer.find("id");
    if (id == nullptr || !id->is_string()) return unexpected();
    const client::Path path{"offers", id->string()};
    offer.set("content", std::move(content));
    TRY(client.call({.method = "PUT",
                     .path = path,
                     .headers = std::move(headers),
                     .body = offer.text(),
                     .idempotent = true}));
    return {};
}

Value content_of(const Throughput& wanted) {
    if (!wanted.autoscale) return Value::Object{{"offerThroughput", wanted.units}};
    return Value::Object{
        {"offerAutopilotSettings", Value::Object{{"maxThroughput", wanted.units}}}};
}

}  // namespace

std::string Throughput::text() const {
    const std::string units_text = cli::grouped(static_cast<std::uint64_t>(units)) + " RU/s";
    return autoscale ? "autoscale up to " + units_text : units_text;
}

Result<Throughput> parse_throughput(std::string_view text) {
    Throughput out;
    const Words words = split_first_word(text);
    out.autoscale = same_word(words.first, "auto");
    const std::string_view number = out.autoscale ? words.rest : text;
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), out.units);
    if (error != std::errc() || end != number.data() + number.size() || out.units <= 0) {
        return Error(ErrorCode::kBadRequest,
                     "the throughput is a number of request units per second, or `auto` and the "
                     "maximum: .throughput 400, .throughput auto 4000");
    }
    return out;
}

Result<Throughput> read_throughput(client::Client& client, const Place& place) {
    return throughput_in(TRY(find_offer(client, place)));
}

Status write_throughput(client::Client& client, const Place& place, const Throughput& wanted) {
    Value offer = TRY(find_offer(client, place));
    const Throughput now = TRY(throughput_in(offer));
    if (now.autoscale != wanted.autoscale) {
        // The server chooses the first throughput of the other kind; the second step sets ours.
        Value content = offer.find("content") != nullptr ? *offer.find("content") : Value();
        if (wanted.autoscale) content.remove("offerAutopilotSettings");
        TRY(replace(client,
                    offer,
                    std::move(content),
                    {{wanted.autoscale ? "x-ms-cosmos-migrate-offer-to-autopilot"
                                       : "x-ms-cosmos-migrate-offer-to-manual-throughput",
                      "True"}}));
        offer = TRY(find_offer(client, place));
        if (TRY(throughput_in(offer)) == wanted) return {};
    }
    return replace(client, offer, content_of(wanted), {});
}

}  // namespace orrery::tools
