#include "service/roles.h"

#include "model/role.h"
#include "service/errors.h"
#include "service/resource_answer.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

using json::Value;

template <typename Map>
Value list_of(const Map& roles) {
    Value::Array entries;
    for (const auto& [id, role] : roles)
        entries.push_back(model::to_json(role));
    Value out(Value::Object{});
    out.set("value", std::move(entries));
    return out;
}

template <typename Map>
Result<Value> one_of(const Map& roles, std::string_view id) {
    const auto found = roles.find(TRY(model::parse_role_id(id)));
    if (found == roles.end()) return not_found();
    return model::to_json(found->second);
}

}  // namespace

Value Roles::list_definitions() const { return list_of(catalog_.roles()->definitions); }

Value Roles::list_assignments() const { return list_of(catalog_.roles()->assignments); }

Result<Value> Roles::read_definition(std::string_view id) const {
    return one_of(catalog_.roles()->definitions, id);
}

Result<Value> Roles::read_assignment(std::string_view id) const {
    return one_of(catalog_.roles()->assignments, id);
}

Result<Roles::Put> Roles::put_definition(Context& context,
                                         std::string_view id,
                                         std::string_view body) {
    const Value sent = TRY(parse_object(body));
    const auto definition = TRY(model::parse_role_definition(id, sent));
    const bool created = TRY(catalog_.put_role(definition));
    context.receipt.charge = throughput::kResourceCharge;
    return Put{.body = model::to_json(definition), .created = created};
}

Result<Roles::Put> Roles::put_assignment(Context& context,
                                         std::string_view id,
                                         std::string_view body) {
    const Value sent = TRY(parse_object(body));
    const auto assignment = TRY(model::parse_role_assignment(id, sent));
    const bool created = TRY(catalog_.put_role_assignment(assignment));
    context.receipt.charge = throughput::kResourceCharge;
    return Put{.body = model::to_json(assignment), .created = created};
}

Status Roles::remove_definition(Context& context, std::string_view id) {
    const auto parsed = TRY(model::parse_role_id(id));
    TRY(catalog_.remove_role(parsed));
    context.receipt.charge = throughput::kResourceCharge;
    return {};
}

Status Roles::remove_assignment(Context& context, std::string_view id) {
    const auto parsed = TRY(model::parse_role_id(id));
    TRY(catalog_.remove_role_assignment(parsed));
    context.receipt.charge = throughput::kResourceCharge;
    return {};
}

}  // namespace orrery::service
