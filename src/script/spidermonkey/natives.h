// The functions behind the prelude: what JavaScript cannot do by itself. They act on the execution
// that is running on this context and on nothing else; they are reachable through the prelude only.

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
