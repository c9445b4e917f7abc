// Request charges, in request units. Fixed for each kind of operation: nothing is metered yet.

#pragma once

namespace orrery::service {

// Also the price of an operation that was begun and refused.
inline constexpr double kReadCharge = 1;
inline constexpr double kWriteCharge = 5.71;
inline constexpr double kFeedCharge = 2.29;

}  // namespace orrery::service
