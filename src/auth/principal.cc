#include "auth/principal.h"

namespace orrery::auth {

std::string describe(const Principal& principal) {
    switch (principal.kind) {
        case Principal::Kind::kAccountKey:
        case Principal::Kind::kReadOnlyKey:
            return std::string(name_of(principal.key.slot)) + " key";
        case Principal::Kind::kResourceToken: {
            const ResourceGrant& grant = *principal.grant;
            std::string out =
                "resource token for dbs/" + grant.database + "/colls/" + grant.container;
            if (!grant.child_type.empty()) out += "/" + grant.child_type + "/" + grant.child;
            return out;
        }
        case Principal::Kind::kBearerToken:
            return "principal " + principal.identity->object_id;
        case Principal::Kind::kNobody:
            break;
    }
    return "nobody";
}

}  // namespace orrery::auth
