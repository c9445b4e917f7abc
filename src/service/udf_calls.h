// The UDFs of a container for one query: takes the values of the query language to JavaScript and
// back. Numbers become doubles, as JavaScript has no others; arrays and objects go as JSON.

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
    // The UDF of this name, which lives as long as the container; null when it has none, an error
    // when it must not be run.
    using Lookup = std::function<Result<const script::Script*>(std::string_view name)>;

    // Belongs to the thread of the session, which must outlive it.
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
    // Of the call under way; kept for their memory.
    std::vector<script::UdfValue> arguments_;
    std::vector<std::string> texts_;
};

}  // namespace orrery::service
