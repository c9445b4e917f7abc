'use strict';

for (const group of ['databases', 'collections', 'offers', 'documents', 'keys', 'feeds', 'changes', 'policies', 'queries', 'scripts', 'script_cases', 'sessions', 'access', 'attachments']) {
  require(`./${group}.js`);
}
if (process.env.ORRERY_THROTTLED_ENDPOINT) require('./throttling.js');
require('../node/support.js').runAll();
