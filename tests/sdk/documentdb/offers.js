'use strict';

const { assert, refused, scenario } = require('../node/support.js');
const { call, client, inDatabase, keyedBy, toArray } = require('./client.js');

scenario('offer.manual', inDatabase(async (database) => {
  const { body } = await call('createCollection', database, { id: 'c', ...keyedBy('/pk') }, { offerThroughput: 600 });
  const [offer] = await toArray(client.queryOffers(`SELECT * FROM root r WHERE r.resource = '${body._self}'`));
  const replace = (offerThroughput) => call('replaceOffer', offer._self, { ...offer, content: { ...offer.content, offerThroughput } });
  const replaced = await replace(50000);
  assert.equal(replaced.body.content.offerThroughput, 50000);
  assert.notEqual(replaced.body._etag, offer._etag);
  assert.equal(replaced.headers['x-ms-cosmos-min-throughput'], '500');
  assert.equal(replaced.headers['x-ms-offer-replace-pending'], 'false');
  assert.deepEqual((await call('readOffer', offer._self)).body, replaced.body);
  await refused(replace(400), 400);
  await refused(replace(550), 400);
}));
