// Converts Ceph's error numbers to our errors.

#pragma once

#include <string>

#include "base/result.h"

namespace orrery::storage {

// `number` is negative, as librados returns it, and becomes the sub-status, positive. `doing` names
// the failed operation: "reading p00000001".
Error to_rados_error(int number, const std::string& doing);

// Success unless the number is negative.
Status to_rados_status(int number, const std::string& doing);

// The pool or the cluster is full.
bool is_full(const Error& error);

}  // namespace orrery::storage
