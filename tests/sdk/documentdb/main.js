'use strict';

for (const group of ['databases', 'collections', 'documents', 'keys', 'feeds', 'policies', 'sessions']) {
  require(`./${group}.js`);
}
require('../node/support.js').runAll();
