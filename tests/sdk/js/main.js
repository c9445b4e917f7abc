'use strict';

for (const group of ['databases', 'containers', 'items', 'batches', 'keys', 'documents', 'feeds', 'policies', 'queries', 'scripts', 'script_cases', 'sessions']) {
  require(`./${group}.js`);
}
require('../node/support.js').runAll();
