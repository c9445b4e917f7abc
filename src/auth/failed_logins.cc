#include "auth/failed_logins.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "auth/authorization_header.h"
#include "auth/bearer_token.h"
#include "base/ip_network.h"
#include "base/log.h"

namespace orrery::auth {

namespace {

constexpr std::array<std::string_view, kLoginFailures> kNames = {
    "missing", "malformed", "signature", "unknown_key", "not_now", "not_accepted"};

// Others have presented a genuine credential, or none that could be guessed right.
bool may_be_an_attack(LoginFailure reason) {
    return reason == LoginFailure::kMalformed || reason == LoginFailure::kSignature ||
           reason == LoginFailure::kUnknownKey;
}

}  // namespace

std::string_view name_of(LoginFailure reason) { return kNames[static_cast<std::size_t>(reason)]; }

LoginFailure failure_of(const Error& refusal) {
    // A key's date or a resource token's time.
    if (refusal.code() == ErrorCode::kForbidden) return LoginFailure::kNotNow;
    switch (refusal.sub_status()) {
        case kHeaderMissing:
            return LoginFailure::kMissing;
        case kHeaderMalformed:
        case bearer::kInvalidFormat:
            return LoginFailure::kMalformed;
        case bearer::kInvalidSigningKey:
            return LoginFailure::kUnknownKey;
        case bearer::kNotYetValid:
        case bearer::kExpired:
            return LoginFailure::kNotNow;
        case bearer::kInvalidIssuer:
        case bearer::kInvalidAudience:
        case bearer::kMissingObjectIdentifier:
            return LoginFailure::kNotAccepted;
        default:
            return LoginFailure::kSignature;
    }
}

std::chrono::milliseconds FailedLogins::note(const Attempt& attempt, Time now) {
    by_reason_[static_cast<std::size_t>(attempt.reason)].add(1);
    if (attempt.reason == LoginFailure::kMissing) return {};
    std::chrono::milliseconds delay{};
    if (may_be_an_attack(attempt.reason)) {
        delay = delay_for(client_network(attempt.address), now);
        if (delay.count() > 0) delayed_.add(1);
    }
    if (const auto left_out = lines_.allow(now)) {
        std::vector<log::Field> fields = {{"activity_id", attempt.activity_id},
                                          {"client", attempt.address},
                                          {"reason", name_of(attempt.reason)},
                                          {"delay_ms", delay.count()}};
        if (*left_out > 0) fields.emplace_back("left_out", *left_out);
        log::write(log::Level::kWarn, "login_failed", fields);
    }
    return delay;
}

FailedLogins::Stats FailedLogins::stats() const {
    Stats out;
    std::transform(by_reason_.begin(), by_reason_.end(), out.by_reason.begin(), [](const auto& n) {
        return n.value();
    });
    out.delayed = delayed_.value();
    return out;
}

std::chrono::milliseconds FailedLogins::delay_for(const std::string& network, Time now) {
    // Beyond this level the delay does not grow. Hence a client is free again soon.
    static const double kLevelMax =
        kFreeFailures + kFailuresToDouble * std::log2(static_cast<double>(kDelayMax / kDelayMin));
    const std::lock_guard lock(mutex_);
    Client& found = client(network, now);
    found.level = std::min(found.level_at(now) + 1, kLevelMax);
    found.noted = std::max(found.noted, now);
    const double excess = found.level - kFreeFailures;
    if (excess <= 0) return {};
    const double factor = std::exp2(excess / kFailuresToDouble);
    return std::min(kDelayMax, std::chrono::milliseconds(std::lround(kDelayMin.count() * factor)));
}

double FailedLogins::Client::level_at(Time now) const {
    const std::chrono::duration<double> passed = now - noted;
    return std::max(0.0, level - std::max(0.0, passed.count()) * kFreePerSecond);
}

FailedLogins::Client& FailedLogins::client(const std::string& network, Time now) {
    if (const auto known = clients_.find(network); known != clients_.end()) return known->second;
    if (clients_.size() >= kClientsMax && now - swept_ >= std::chrono::seconds(1)) {
        swept_ = now;
        std::erase_if(clients_, [&](const auto& entry) { return entry.second.level_at(now) <= 0; });
    }
    return clients_.size() < kClientsMax ? clients_[network] : others_;
}

}  // namespace orrery::auth
