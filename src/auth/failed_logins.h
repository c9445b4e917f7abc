// Credentials that were refused: counts them by reason, logs a few, and says how long to hold back
// the answer to clients that send many. Requests with a valid credential never come here, so
// clients that share an address with such a client are not delayed. See docs/adr/0027-logins.md.

#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/log_limiter.h"
#include "base/metrics.h"
#include "base/result.h"

namespace orrery::auth {

enum class LoginFailure : std::uint8_t {
    kMissing,      // no credential at all
    kMalformed,    // not of a form that could be valid
    kSignature,    // signed with another key, or changed
    kUnknownKey,   // a bearer token that names a key that is not known
    kNotNow,       // expired or not valid yet
    kNotAccepted,  // a bearer token of another issuer, for another audience, or without a principal
};
inline constexpr std::size_t kLoginFailures = 6;

// "missing", "malformed", "signature", "unknown_key", "not_now", "not_accepted".
std::string_view name_of(LoginFailure reason);

// Why Authenticator::identify() has refused a request.
LoginFailure failure_of(const Error& refusal);

class FailedLogins {
public:
    using Time = std::chrono::steady_clock::time_point;

    struct Attempt {
        std::string_view activity_id;
        std::string address;  // of the client
        LoginFailure reason;
    };
    // How long to hold back the answer; mostly not at all. May be called from any thread; does not
    // block. Times never decrease by much.
    std::chrono::milliseconds note(const Attempt& attempt, Time now);

    struct Stats {
        std::array<std::uint64_t, kLoginFailures> by_reason{};
        std::uint64_t delayed = 0;
    };
    Stats stats() const;

    // A client may fail this often without delay, and then this often each second. Test suites that
    // try invalid credentials stay below it.
    static constexpr double kFreeFailures = 1'000;
    static constexpr double kFreePerSecond = 10;
    // The delay doubles with so many more failures.
    static constexpr double kFailuresToDouble = 20;
    static constexpr std::chrono::milliseconds kDelayMin{20};
    static constexpr std::chrono::milliseconds kDelayMax{2'000};
    static constexpr std::size_t kClientsMax = 10'000;

private:
    // A leaky bucket.
    struct Client {
        double level = 0;
        Time noted;

        double level_at(Time now) const;
    };

    std::chrono::milliseconds delay_for(const std::string& network, Time now);
    Client& client(const std::string& network, Time now);

    static constexpr unsigned kLinesPerSecondMax = 5;

    std::array<metrics::Count, kLoginFailures> by_reason_;
    metrics::Count delayed_;
    log::Limiter lines_{kLinesPerSecondMax};
    std::mutex mutex_;                                 // guards the members below
    std::unordered_map<std::string, Client> clients_;  // by client_network()
    Client others_;                                    // those that do not fit
    Time swept_;
};

}  // namespace orrery::auth
