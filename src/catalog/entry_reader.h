// Reads the members of a stored catalog entry. Missing or invalid members are recorded rather than
// reported one by one: check ok() at the end.

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "catalog/resources.h"
#include "json/value.h"
#include "model/etag.h"

namespace orrery::catalog {

class EntryReader {
public:
    explicit EntryReader(std::string_view text) {
        auto parsed = json::Value::parse(text);
        if (parsed) {
            entry_ = std::move(parsed).take();
        } else {
            ok_ = false;
        }
    }
    explicit EntryReader(json::Value entry) : entry_(std::move(entry)) {}

    // A number from 0 to `max`.
    template <typename T>
    T number(std::string_view name, T max = std::numeric_limits<T>::max()) {
        const json::Value* found = member(name);
        const auto number = found == nullptr ? std::nullopt : found->integer();
        if (number && *number >= 0 &&
            static_cast<std::uint64_t>(*number) <= static_cast<std::uint64_t>(max)) {
            return static_cast<T>(*number);
        }
        ok_ = false;
        return {};
    }
    std::string string(std::string_view name) {
        const json::Value* found = member(name);
        ok_ = ok_ && found != nullptr && found->is_string();
        return ok_ ? found->string() : std::string();
    }
    bool boolean(std::string_view name) {
        const json::Value* found = member(name);
        ok_ = ok_ && found != nullptr && found->is_bool();
        return ok_ && found->boolean();
    }
    json::Value::Array array(std::string_view name) {
        const json::Value* found = member(name);
        ok_ = ok_ && found != nullptr && found->is_array();
        return ok_ ? found->array() : json::Value::Array();
    }
    // A member of any type; null if it is missing.
    const json::Value* member(std::string_view name) const { return entry_.find(name); }

    std::uint64_t version() { return number<std::uint64_t>("version", model::kStoredLsnMax); }
    Revision revision() {
        return {.version = version(), .timestamp = number<std::int64_t>("timestamp")};
    }

    bool ok() const { return ok_; }

private:
    json::Value entry_;
    bool ok_ = true;
};

}  // namespace orrery::catalog
