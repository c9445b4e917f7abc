#include "script/spidermonkey/library.h"

#include <js/ArrayBuffer.h>
#include <js/Initialization.h>

#include "base/check.h"

namespace orrery::script {
namespace {

// Its helper threads must have ended before the library's own static objects are destroyed, so this
// is tied to the end of the process, not to the last runtime: it cannot be started a second time.
class Library {
public:
    Library() {
        CHECK(JS_Init());
        JS::SetLargeArrayBuffersEnabled(false);
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() { JS_ShutDown(); }
};

}  // namespace

void start_library() { static const Library library; }

}  // namespace orrery::script
