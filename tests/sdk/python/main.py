import sys

import support
import databases, containers, offers, items, batches, keys, documents, feeds, changes, policies, queries, scripts, script_cases, sessions, access, throttling  # noqa: F401 - they register scenarios

sys.exit(support.run_all())
