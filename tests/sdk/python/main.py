import sys

import support
import databases, containers, items, batches, keys, documents, feeds, policies, queries, scripts, script_cases, sessions  # noqa: F401 - they register scenarios

sys.exit(support.run_all())
