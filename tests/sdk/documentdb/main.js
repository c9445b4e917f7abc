'use strict';

for (const group of ['databases', 'collections', 'documents', 'keys', 'feeds', 'policies', 'queries', 'scripts', 'sessions']) {
  require(`./${group}.js`);
}
require('../node/support.js').runAll();
