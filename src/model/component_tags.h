// The service's tags for partition key components. They are hashed, part of version 1 EPKs, and on
// disk in encoded keys. Never reuse or renumber.

#pragma once

namespace orrery::model {

inline constexpr char kUndefinedTag = '\x00';
inline constexpr char kNullTag = '\x01';
inline constexpr char kFalseTag = '\x02';
inline constexpr char kTrueTag = '\x03';
inline constexpr char kNumberTag = '\x05';
inline constexpr char kStringTag = '\x08';

}  // namespace orrery::model
