#include "script/spidermonkey/library.h"

#include <js/ArrayBuffer.h>
#include <js/Initialization.h>

#include "base/check.h"

namespace orrery::script {
namespace {

// The library's helper threads must end before its static objects are destroyed, and it cannot be
// started twice, so it is tied to the end of the process, not to the last runtime.
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

void start_library() { static const Library kLibrary; }

}  // namespace orrery::script
