// Against a server that refuses what is beyond the throughput of a collection.
'use strict';

const { RetryOptions } = require('documentdb');
const { assert, randomId, refused, scenario, throttled } = require('../node/support.js');
const { callOn, keyedBy, newClient, toArray, under } = require('./client.js');

const client = newClient({ url: throttled.endpoint });
const impatient = newClient({ url: throttled.endpoint });
impatient.connectionPolicy.RetryOptions = new RetryOptions(-1); // 0 would mean the default

function inCollection(body) {
  return async () => {
    const link = `dbs/${randomId('documentdb')}`;
    await callOn(client, 'createDatabase', { id: link.slice('dbs/'.length) });
    try {
      await callOn(client, 'createCollection', link, { id: 'items', ...keyedBy('/pk') }, { offerThroughput: 400 });
      await body(`${link}/colls/items`);
    } finally {
      await callOn(client, 'deleteDatabase', link);
    }
  };
}

scenario('throttling.retried', inCollection(async (link) => {
  const started = Date.now();
  const { headers } = await callOn(client, 'createDocument', link, throttled.large);
  await Promise.all(throttled.items.map((item) => callOn(client, 'createDocument', link, item)));
  throttled.assertWaited(Number(headers['x-ms-request-charge']), Date.now() - started);
  const found = await toArray(client.readDocuments(link));
  assert.deepEqual(found.map(({ id }) => id).sort(), throttled.ids());
}));

scenario('throttling.surfaced', inCollection(async (link) => {
  await callOn(impatient, 'createDocument', link, throttled.large);
  const error = await refused(callOn(impatient, 'createDocument', link, { id: 'refused', pk: 'a' }), 429, 3200);
  assert.match(error.body, /Request rate is large/);
  assert.ok(error.retryAfterInMilliseconds > 0 && error.retryAfterInMilliseconds <= 5000);
  await refused(callOn(client, 'readDocument', `${link}/docs/refused`, under('a')), 404); // waits
}));
