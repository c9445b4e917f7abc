// Result<T> carries either a value or an Error, so that a failure which is part
// of the protocol (404, 409, 412, 429...) costs a branch and never a stack unwind.
//
// Bugs are not errors: use CHECK() for those (base/check.h).

#pragma once

#include <cassert>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace orrery {

// What went wrong, in terms of the data model. Only base/http_status.h maps these to HTTP status
// codes.
enum class ErrorCode : std::uint8_t {
    kBadRequest,
    kUnauthorized,
    kForbidden,
    kNotFound,
    kMethodNotAllowed,
    kTimeout,
    kConflict,
    kGone,
    kPreconditionFailed,
    kTooLarge,
    kFailedDependency,  // another part of the same batch failed
    kThrottled,
    kRetryWith,
    kInternal,
    kNotImplemented,
    kUnavailable,
    kFenced,      // this node no longer owns the partition: stop serving it
    kCorrupted,   // bytes on disk are not what was written
    kElsewhere,   // another node serves the partition; its info says which partition and node
    kWouldBlock,  // not allowed to wait here: repeat it where waiting is allowed
};

// One pointer wide, so that Result<T> stays small on the success path.
class [[nodiscard]] Error {
public:
    explicit Error(ErrorCode code, std::string message = {}, std::uint32_t sub_status = 0)
        : detail_(std::make_unique<Detail>(Detail{std::move(message), {}, {}, sub_status, code})) {}

    ErrorCode code() const { return detail_->code; }
    std::uint32_t sub_status() const { return detail_->sub_status; }
    const std::string& message() const { return detail_->message; }
    // Text that a client needs besides the message in order to continue.
    const std::string& info() const { return detail_->info; }

    // How long to wait before trying again; nullopt if that would not help.
    std::optional<std::chrono::milliseconds> retry_after() const {
        if (detail_->retry_after) return detail_->retry_after;
        return passes(code()) ? std::optional(kRetrySoon) : std::nullopt;
    }

    // For several requests that fail together.
    Error copy() const {
        Error out(code(), message(), sub_status());
        *out.detail_ = *detail_;
        return out;
    }

    // Adds where the error passed through: "reading index of 'orders': ...".
    Error with_context(const std::string& context) && {
        detail_->message = context + ": " + detail_->message;
        return std::move(*this);
    }

    Error with_info(std::string info) && {
        detail_->info = std::move(info);
        return std::move(*this);
    }

    // For errors that know; others that pass have a short time.
    Error with_retry_after(std::chrono::milliseconds time) && {
        detail_->retry_after = time;
        return std::move(*this);
    }

private:
    static constexpr std::chrono::milliseconds kRetrySoon{100};

    static bool passes(ErrorCode code) {
        switch (code) {
            case ErrorCode::kThrottled:
            case ErrorCode::kRetryWith:
            case ErrorCode::kUnavailable:
            case ErrorCode::kFenced:
            case ErrorCode::kWouldBlock:
                return true;
            default:
                return false;
        }
    }

    struct Detail {
        std::string message;
        std::string info;
        std::optional<std::chrono::milliseconds> retry_after;
        std::uint32_t sub_status;
        ErrorCode code;
    };
    std::unique_ptr<Detail> detail_;
};

template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

    explicit operator bool() const { return state_.index() == 0; }

    // Accessing the side that is not there is a bug; std::get throws so that it is noticed.
    T& operator*() & { return std::get<0>(state_); }
    const T& operator*() const& { return std::get<0>(state_); }
    T* operator->() { return &std::get<0>(state_); }
    const T* operator->() const { return &std::get<0>(state_); }

    T take() && { return std::get<0>(std::move(state_)); }

    const Error& error() const { return std::get<1>(state_); }
    Error take_error() && { return std::get<1>(std::move(state_)); }

private:
    std::variant<T, Error> state_;
};

// Success carries nothing; `return {};` means success.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

    explicit operator bool() const { return !error_.has_value(); }
    void take() const { assert(*this); }

    const Error& error() const { return error_.value(); }
    Error take_error() && { return std::move(error_).value(); }

private:
    std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace orrery

// TRY(expr) yields the value of a Result, or returns its Error from the caller.
// The value is a temporary: bind it by value, and do not nest one TRY in another.
#define TRY(...)                                                      \
    __extension__({                                                   \
        auto&& try_result_ = (__VA_ARGS__);                           \
        if (!try_result_) return std::move(try_result_).take_error(); \
        std::move(try_result_).take();                                \
    })
