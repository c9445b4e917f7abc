// SpiderMonkey as a process-wide library: started before the first context, shut down at exit.

#pragma once

namespace orrery::script {

// May be called from any thread, any number of times.
void start_library();

}  // namespace orrery::script
