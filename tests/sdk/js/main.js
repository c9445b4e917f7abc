'use strict';

for (const group of ['databases', 'containers', 'offers', 'items', 'batches', 'keys', 'documents', 'feeds', 'changes', 'policies', 'queries', 'scripts', 'script_cases', 'sessions', 'access', 'encryption']) {
  require(`./${group}.js`);
}
if (process.env.ORRERY_THROTTLED_ENDPOINT) require('./throttling.js');
require('../node/support.js').runAll();
