// Policies and paths for tests.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "index/path_policy.h"
#include "model/test_support.h"

namespace orrery::index::testing_support {

using model::testing_support::must;
using model::testing_support::refusal;

// The policy of a container whose definition has these members; its key is /pk.
inline std::shared_ptr<const PathPolicy> policy(std::string_view members = "{}") {
    return must(PathPolicy::compile(model::testing_support::container_definition(members)));
}
inline std::shared_ptr<const PathPolicy> policy_of(std::string_view indexing_policy) {
    return policy(R"({"indexingPolicy":)" + std::string(indexing_policy) + "}");
}

// /a/[]/b
inline model::IndexPath path(std::string_view text) {
    return must(model::parse_index_pattern(std::string(text) + "/?")).front().path;
}

}  // namespace orrery::index::testing_support
