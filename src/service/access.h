// Decides whether the sender of a request may do what it asks for. Account keys need not ask.

#pragma once

#include <string_view>
#include <vector>

#include "auth/action.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "model/batch.h"
#include "service/context.h"
#include "service/lookup.h"

namespace orrery::service {

// What a request works on: the decoded segments of its path, empty where it has none.
struct AccessedResource {
    std::string_view database = {};
    std::string_view container = {};
    std::string_view child_type = {};  // "docs", "sprocs" and so on
    std::string_view child = {};       // empty for a feed
    bool is_plan = false;              // only the plan of a query, which shows no items
    bool names_triggers = false;       // they may change other items
    // As in the request line, for messages.
    std::string_view method = {};
    std::string_view target = {};
};

class Access {
public:
    explicit Access(const catalog::Catalog& catalog) : catalog_(catalog) {}

    // kForbidden if the principal of the context may not. The operations of a batch are known only
    // later: see check_batch().
    Status check(const Context& context,
                 auth::Action action,
                 const AccessedResource& resource) const;

    // For the operations of a batch that check() has let through.
    Status check_batch(const Context& context,
                       const FoundContainer& found,
                       const std::vector<model::BatchOperation>& operations) const;

private:
    Status check_grant(const Context& context,
                       auth::Action action,
                       const AccessedResource& resource) const;

    // By the roles of a bearer token; see access_roles.cc.
    Status check_roles(const Context& context,
                       auth::Action action,
                       const AccessedResource& resource) const;
    Status check_role_batch(const Context& context,
                            const FoundContainer& found,
                            const std::vector<model::BatchOperation>& operations) const;

    const catalog::Catalog& catalog_;
};

// 403 for whoever may not.
Error insufficient_permissions();

// What an operation of a batch would need on its own.
auth::Action action_of(model::BatchOperation::Kind kind);

}  // namespace orrery::service
