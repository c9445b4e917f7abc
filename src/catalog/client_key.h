// A client encryption key of a database, wrapped (model/client_encryption.h).

#pragma once

#include <memory>
#include <string>

#include "catalog/revision.h"
#include "json/value.h"
#include "model/resource_id.h"

namespace orrery::catalog {

struct ClientKey {
    model::ClientKeyRid rid;
    json::Value definition;
    Revision revision;

    const std::string& id() const { return definition.find("id")->string(); }
    std::string self_link() const;  // dbs/AQAAAA==/clientencryptionkeys/AQAAAAAAAAABAAAAAgAAAA==/
};
using ClientKeyPtr = std::shared_ptr<const ClientKey>;

}  // namespace orrery::catalog
