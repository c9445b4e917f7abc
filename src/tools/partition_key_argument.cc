#include "tools/partition_key_argument.h"

#include "json/value.h"

namespace orrery::tools {

Result<std::string> partition_key_argument(std::string_view text) {
    const auto key = json::Value::parse(text);
    if (!key || key->is_object()) {
        return Error(ErrorCode::kBadRequest,
                     "the partition key is JSON, such as \"a\", 5 or [\"a\",1]; '" +
                         std::string(text) + "' is not");
    }
    return key->is_array() ? key->text() : "[" + key->text() + "]";
}

}  // namespace orrery::tools
