// The native functions used by the prelude. They act only on the execution running on this context
// and are reachable only through the prelude.

#pragma once

#include <js/RootingAPI.h>
#include <js/TypeDecls.h>

namespace orrery::script {

// submit(kind, item, isRid, text, etag, continuation, pageSize, flags, completion) → accepted
// accepts() → whether an operation would be accepted now
// abort(error) ends the script
// newId() → a GUID
// partitionKeyDefinition() → JSON
// spatial(name, first, second) → JSON
bool make_natives(JSContext* context, JS::MutableHandleValue out);

}  // namespace orrery::script
