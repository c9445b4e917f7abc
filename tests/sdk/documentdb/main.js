'use strict';

for (const group of ['databases', 'collections', 'documents', 'keys', 'feeds', 'policies', 'queries', 'scripts', 'script_cases', 'sessions']) {
  require(`./${group}.js`);
}
require('../node/support.js').runAll();
