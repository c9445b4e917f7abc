#include "server/metrics/page.h"

namespace orrery::server::metrics_page {

void write_scripts(metrics::Writer& writer, const Sources& sources) {
    const script::ScriptPool::Stats stats = sources.scripts.stats();
    writer
        .counter("orrery_script_runs_total",
                 "Runs of stored procedures and triggers, including those repeated after a "
                 "conflict.")
        .add(stats.counts.runs);
    writer.gauge("orrery_scripts_running", "Scripts and queries with UDFs that run now.")
        .add(stats.threads.running);
    writer.counter("orrery_script_udf_queries_total", "Query pages that called UDFs.")
        .add(stats.counts.udf_sessions);
    writer.counter("orrery_script_timeouts_total", "Scripts stopped at their time limit.")
        .add(stats.counts.timeouts);
    writer
        .counter("orrery_script_engine_resets_total",
                 "JavaScript heaps replaced because a script had used up their memory.")
        .add(stats.resets);
}

}  // namespace orrery::server::metrics_page
