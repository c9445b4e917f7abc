#include "cluster/records.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "base/base64.h"
#include "json/value.h"

namespace orrery::cluster {

namespace {

// Reads the members of a JSON object; what is missing or of another kind makes ok() false.
class Members {
public:
    explicit Members(const json::Value& object) : object_(object) {
        if (!object.is_object()) ok_ = false;
    }

    std::string text(std::string_view name) {
        const json::Value* const found = object_.find(name);
        if (found == nullptr || !found->is_string()) return failed(std::string());
        return found->string();
    }
    std::int64_t integer(std::string_view name) {
        const json::Value* const found = object_.find(name);
        const auto value = found == nullptr ? std::nullopt : found->integer();
        return value && *value >= 0 ? *value : failed(std::int64_t{0});
    }
    double number(std::string_view name) {
        const json::Value* const found = object_.find(name);
        if (found == nullptr || !found->is_number()) return failed(0.0);
        return found->number();
    }
    Incarnation incarnation() {
        const auto parsed = parse_incarnation(text("incarnation"));
        return parsed ? *parsed : failed(Incarnation{0});
    }
    NodeState state() {
        const std::string name = text("state");
        for (const NodeState state :
             {NodeState::kAlive, NodeState::kDraining, NodeState::kLeft, NodeState::kDead}) {
            if (name == name_of(state)) return state;
        }
        return failed(NodeState::kDead);
    }
    void require(bool condition) { ok_ = ok_ && condition; }
    bool ok() const { return ok_; }

private:
    template <typename T>
    T failed(T value) {
        ok_ = false;
        return value;
    }

    const json::Value& object_;
    bool ok_ = true;
};

// Calls `read` with the members of the object; kCorrupted if any is missing.
template <typename Record, typename Read>
Result<Record> decode_json(std::string_view what, std::string_view bytes, Read&& read) {
    const auto value = json::Value::parse(bytes);
    if (!value) return damaged(what);
    Members members(*value);
    Record record;
    read(members, record, *value);
    if (!members.ok()) return damaged(what);
    return record;
}

json::Value number_value(double number) {
    const auto parsed = json::Value::parse(fmt::format("{}", number));
    return parsed ? *parsed : json::Value(0);
}

std::int64_t to_signed(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

Error damaged(std::string_view object) {
    return Error(ErrorCode::kCorrupted,
                 "the cluster's object '" + std::string(object) + "' is damaged");
}

std::string_view name_of(NodeState state) {
    switch (state) {
        case NodeState::kAlive:
            return "alive";
        case NodeState::kDraining:
            return "draining";
        case NodeState::kLeft:
            return "left";
        case NodeState::kDead:
            return "dead";
    }
    return "";
}

Result<ClusterRecord> ClusterRecord::decode(std::string_view bytes) {
    auto record = decode_json<ClusterRecord>(
        kName, bytes, [](Members& in, ClusterRecord& out, const json::Value&) {
            out.format = static_cast<int>(in.integer("format"));
            if (out.format != kClusterFormat) return;
            out.id = in.text("id");
            const auto decoded = base64_decode(in.text("secret"));
            in.require(decoded.has_value());
            if (decoded) out.secret = *decoded;
            out.lease = std::chrono::milliseconds(in.integer("leaseMs"));
            out.created_at = in.integer("createdAt");
        });
    if (record && record->format != kClusterFormat) {
        return Error(ErrorCode::kBadRequest,
                     fmt::format("the cluster has format {}; this version of the server knows {}",
                                 record->format,
                                 kClusterFormat));
    }
    return record;
}

std::string ClusterRecord::encode() const {
    json::Value out(json::Value::Object{});
    out.set("format", format);
    out.set("id", id);
    out.set("secret", base64_encode(secret));
    out.set("leaseMs", std::int64_t{lease.count()});
    out.set("createdAt", created_at);
    return out.text();
}

Result<NodeRecord> NodeRecord::decode(std::string_view bytes) {
    return decode_json<NodeRecord>(
        "node", bytes, [](Members& in, NodeRecord& out, const json::Value&) {
            out.identity = {in.text("node"), in.incarnation()};
            out.url = in.text("url");
            out.node_url = in.text("nodeUrl");
            out.state = in.state();
            out.renewals = static_cast<std::uint64_t>(in.integer("renewals"));
            out.started_at = in.integer("startedAt");
            out.weight = in.number("weight");
            out.partitions = static_cast<std::uint64_t>(in.integer("partitions"));
            out.load = in.number("load");
        });
}

std::string NodeRecord::encode() const {
    json::Value out(json::Value::Object{});
    out.set("node", identity.node);
    out.set("incarnation", incarnation_text(identity.incarnation));
    out.set("url", url);
    out.set("nodeUrl", node_url);
    out.set("state", name_of(state));
    out.set("renewals", to_signed(renewals));
    out.set("startedAt", started_at);
    out.set("weight", number_value(weight));
    out.set("partitions", to_signed(partitions));
    out.set("load", number_value(load));
    return out.text();
}

Result<CoordinatorRecord> CoordinatorRecord::decode(std::string_view bytes) {
    return decode_json<CoordinatorRecord>(
        kName, bytes, [](Members& in, CoordinatorRecord& out, const json::Value&) {
            out.holder = {in.text("node"), in.incarnation()};
            out.term = static_cast<std::uint64_t>(in.integer("term"));
        });
}

std::string CoordinatorRecord::encode() const {
    json::Value out(json::Value::Object{});
    out.set("node", holder.node);
    out.set("incarnation", incarnation_text(holder.incarnation));
    out.set("term", to_signed(term));
    return out.text();
}

Result<MembersRecord> MembersRecord::decode(std::string_view bytes) {
    return decode_json<MembersRecord>(
        kName, bytes, [](Members& in, MembersRecord& out, const json::Value& value) {
            out.term = static_cast<std::uint64_t>(in.integer("term"));
            out.sequence = static_cast<std::uint64_t>(in.integer("sequence"));
            const json::Value* const list = value.find("members");
            in.require(list != nullptr && list->is_array());
            if (!in.ok()) return;
            for (const json::Value& element : list->array()) {
                Members member(element);
                out.members.push_back({{member.text("node"), member.incarnation()},
                                       member.state(),
                                       member.text("url"),
                                       member.text("nodeUrl")});
                in.require(member.ok());
            }
        });
}

std::string MembersRecord::encode() const {
    json::Value::Array list;
    for (const MemberInfo& member : members) {
        json::Value element(json::Value::Object{});
        element.set("node", member.identity.node);
        element.set("incarnation", incarnation_text(member.identity.incarnation));
        element.set("state", name_of(member.state));
        element.set("url", member.url);
        element.set("nodeUrl", member.node_url);
        list.push_back(std::move(element));
    }
    json::Value out(json::Value::Object{});
    out.set("term", to_signed(term));
    out.set("sequence", to_signed(sequence));
    out.set("members", std::move(list));
    return out.text();
}

}  // namespace orrery::cluster
