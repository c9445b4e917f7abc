// The UDFs of a container for one query: converts values between SQL and JavaScript. Numbers become
// doubles, JavaScript's only number type; arrays and objects are passed as JSON.

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "script/engine.h"
#include "sql/udf.h"

namespace orrery::service {

class UdfCalls : public sql::UdfCaller {
public:
    // Finds a UDF by name, valid as long as the container; null if there is none, an error if it
    // must not run.
    using Lookup = std::function<Result<const script::Script*>(std::string_view name)>;

    // Use on the session's thread only; the session must outlive it.
    UdfCalls(script::UdfSession& session, Lookup lookup)
        : session_(session), lookup_(std::move(lookup)) {}

    Result<std::optional<std::size_t>> find(std::string_view name) override;
    Result<sql::Value> call(std::size_t udf,
                            std::span<const sql::Value> arguments,
                            sql::Arena& arena) override;

private:
    script::UdfSession& session_;
    Lookup lookup_;
    std::map<std::string, std::optional<std::size_t>, std::less<>> numbers_;
    // Scratch space for the current call; kept to reuse its memory.
    std::vector<script::UdfValue> arguments_;
    std::vector<std::string> texts_;
};

}  // namespace orrery::service
