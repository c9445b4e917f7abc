// Against a server that refuses what is beyond the throughput of a container.
'use strict';

const { assert, randomId, refused, scenario, throttled } = require('../node/support.js');
const { newClient } = require('./client.js');

const client = newClient({ endpoint: throttled.endpoint });
const impatient = newClient({
  endpoint: throttled.endpoint,
  connectionPolicy: {
    retryOptions: { maxRetryAttemptCount: 0, fixedRetryIntervalInMilliseconds: 0, maxWaitTimeInSeconds: 0 },
  },
});

function inContainer(body) {
  return async () => {
    const { database } = await client.databases.create({ id: randomId('js') });
    try {
      await database.containers.create({ id: 'items', partitionKey: '/pk', throughput: 400 });
      await body((one) => one.database(database.id).container('items'));
    } finally {
      await database.delete();
    }
  };
}

scenario('throttling.retried', inContainer(async (of) => {
  const started = Date.now();
  const { requestCharge } = await of(client).items.create(throttled.large);
  await Promise.all(throttled.items.map((item) => of(client).items.create(item)));
  throttled.assertWaited(requestCharge, Date.now() - started);
  const { resources } = await of(client).items.query('SELECT VALUE c.id FROM c').fetchAll();
  assert.deepEqual(resources.sort(), throttled.ids());
}));

scenario('throttling.surfaced', inContainer(async (of) => {
  await of(impatient).items.create(throttled.large);
  const error = await refused(of(impatient).items.create({ id: 'refused', pk: 'a' }), 429, 3200);
  assert.match(error.message, /Request rate is large/);
  assert.ok(error.retryAfterInMs > 0 && error.retryAfterInMs <= 5000, `retry after ${error.retryAfterInMs}`);
  assert.equal(Number(error.headers['x-ms-request-charge']), 0.38);
  assert.equal((await of(client).item('refused', 'a').read()).statusCode, 404); // waits
}));
