#include <chrono>

#include "server/metrics/page.h"

namespace orrery::server::metrics_page {

void write_logins(metrics::Writer& writer, const Sources& sources) {
    const auth::FailedLogins::Stats failed = sources.failed_logins.stats();
    auto failures = writer.counter("orrery_failed_logins_total",
                                   "Requests with an invalid credential or none, by reason.");
    for (std::size_t i = 0; i < auth::kLoginFailures; ++i) {
        const auto reason = auth::name_of(static_cast<auth::LoginFailure>(i));
        failures.add({{"reason", reason}}, failed.by_reason[i]);
    }
    writer
        .counter("orrery_failed_logins_delayed_total",
                 "Requests with an invalid credential whose answer was held back.")
        .add(failed.delayed);
    auto fetches = writer.counter("orrery_token_keys_fetches_total",
                                  "Fetches of the keys that sign bearer tokens, by outcome.");
    auto stats = KeyFetcher::Stats();
    if (sources.token_keys != nullptr) {
        stats = sources.token_keys->stats();
        fetches.add({{"outcome", "success"}}, stats.successes);
        fetches.add({{"outcome", "failure"}}, stats.failures);
    }
    auto age = writer.gauge("orrery_token_keys_age_seconds",
                            "Time since these keys were fetched successfully.");
    if (stats.age) age.add(std::chrono::duration<double>(*stats.age).count());
}

}  // namespace orrery::server::metrics_page
