#include "base/http_status.h"

namespace orrery {

unsigned http_status(ErrorCode code) {
    switch (code) {
        case ErrorCode::kBadRequest:
            return 400;
        case ErrorCode::kUnauthorized:
            return 401;
        case ErrorCode::kForbidden:
            return 403;
        case ErrorCode::kNotFound:
            return 404;
        case ErrorCode::kMethodNotAllowed:
            return 405;
        case ErrorCode::kTimeout:
            return 408;
        case ErrorCode::kConflict:
            return 409;
        case ErrorCode::kGone:
            return 410;
        case ErrorCode::kPreconditionFailed:
            return 412;
        case ErrorCode::kTooLarge:
            return 413;
        case ErrorCode::kFailedDependency:
            return 424;
        case ErrorCode::kThrottled:
            return 429;
        case ErrorCode::kRetryWith:
            return 449;
        case ErrorCode::kNotImplemented:
            return 501;
        case ErrorCode::kUnavailable:
        case ErrorCode::kFenced:
        case ErrorCode::kElsewhere:
        case ErrorCode::kWouldBlock:
            return 503;
        case ErrorCode::kInternal:
        case ErrorCode::kCorrupted:
            return 500;
    }
    return 500;
}

}  // namespace orrery
