// SpiderMonkey as a process-wide library: started before the first context, shut down at exit.

#pragma once

namespace orrery::script {

// Thread-safe; may be called any number of times.
void start_library();

}  // namespace orrery::script
