#include "script/system_scripts.h"

namespace orrery::script {

std::shared_ptr<const Script> system_procedure(std::string_view id) {
    if (id != "__.sys.echo") return nullptr;
    return std::make_shared<const Script>(
        Script{std::string(id), "function (value) { getContext().getResponse().setBody(value); }"});
}

}  // namespace orrery::script
