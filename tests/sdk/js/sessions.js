// Session tokens, response headers, several clients, authentication.
'use strict';

const { assert, endpoint, otherKey, parseSessionToken, refused, scenario } = require('../node/support.js');
const { allIds, inContainer, newClient } = require('./client.js');

const tokenOf = ({ headers }) => headers['x-ms-session-token'];

scenario('session.token', inContainer('/pk', async (container) => {
  const last = new Map();
  for (let n = 0; n < 30; n += 1) {
    const [range, lsn] = parseSessionToken(tokenOf(await container.items.create({ id: `${n}`, pk: `key-${n % 10}` })));
    assert.ok(lsn > (last.get(range) ?? -1n), `range ${range}: ${lsn} after ${last.get(range)}`);
    last.set(range, lsn);
  }
  const [range, lsn] = parseSessionToken(tokenOf(await container.item('0', 'key-0').read()));
  assert.ok(lsn >= (last.get(range) ?? 0n)); // a range that has just taken over is new
}));

scenario('session.read_own_write', inContainer('/pk', async (container, database) => {
  const own = newClient({ consistencyLevel: 'Session' }).database(database.id).container(container.id);
  await own.items.create({ id: 'one', pk: 'p', n: 0 });
  for (let n = 1; n <= 20; n += 1) {
    await own.item('one', 'p').replace({ id: 'one', pk: 'p', n });
    assert.equal((await own.item('one', 'p').read()).resource?.n, n);
  }
}));

scenario('session.ahead', inContainer('/pk', async (container, database) => {
  // Without endpoint discovery the SDK reports 404/1002; with it, it drops the token and retries.
  const strict = newClient({ consistencyLevel: 'Session', connectionPolicy: { enableEndpointDiscovery: false } });
  const own = strict.database(database.id).container(container.id);
  const [range, lsn] = parseSessionToken(tokenOf(await own.items.create({ id: 'one', pk: 'p' })));
  const ahead = await own.item('one', 'p').read({ sessionToken: `${range}:-1#${lsn + 1000n}` });
  assert.equal(ahead.statusCode, 404);
  assert.equal(ahead.substatus, 1002);
  const comma = await own.item('one', 'p').read({ sessionToken: `${range}:-1#${lsn + 1000n},` });
  assert.deepEqual([comma.statusCode, comma.substatus], [404, 1002]);
  assert.equal((await own.item('one', 'p').read({ sessionToken: `${range}:-1#${lsn}` })).statusCode, 200);
}));

// The client does not know that it is another container; its old token must not matter.
scenario('session.recreated', inContainer('/pk', async (container, database) => {
  const strict = newClient({ consistencyLevel: 'Session', connectionPolicy: { enableEndpointDiscovery: false } });
  const own = strict.database(database.id).container(container.id);
  let token;
  for (let n = 0; n < 20; n += 1) token = tokenOf(await own.items.upsert({ id: 'one', pk: 'p', n }));
  await container.delete();
  await database.containers.create({ id: container.id, partitionKey: { paths: ['/pk'], version: 2 } });
  await container.items.create({ id: 'one', pk: 'p', n: 'new' });
  const read = await own.item('one', 'p').read({ sessionToken: token });
  assert.deepEqual([read.statusCode, read.resource?.n], [200, 'new']);
}));

scenario('response.headers', inContainer('/pk', async (container) => {
  const created = await container.items.create({ id: 'one', pk: 'p' });
  const read = await container.item('one', 'p').read();
  for (const response of [created, read]) {
    assert.ok(response.requestCharge > 0, 'request charge');
    assert.match(response.activityId, /^[0-9a-f-]{36}$/i);
    assert.ok(Number(response.headers['x-ms-request-duration-ms']) >= 0, 'duration');
  }
  assert.equal(read.headers['content-location'], new URL(`dbs/${container.database.id}/colls/items/docs/one`, endpoint).href);
  const { headers } = await container.item('none', 'p').read();
  assert.deepEqual([headers['x-ms-content-path'], headers['x-ms-alt-content-path']], [undefined, undefined]);
  assert.notEqual(created.activityId, read.activityId);
}));

scenario('clients.concurrent', inContainer('/pk', async (container, database) => {
  await Promise.all(['a', 'b'].map(async (name) => {
    const own = newClient().database(database.id).container(container.id);
    await Promise.all(Array.from({ length: 50 }, (_, n) => own.items.create({ id: `${name}${n}`, pk: `key-${n % 9}` })));
  }));
  const wanted = ['a', 'b'].flatMap((name) => Array.from({ length: 50 }, (_, n) => `${name}${n}`)).sort();
  assert.deepEqual(await allIds(container), wanted);
}));

scenario('auth.wrong_key', inContainer('/pk', async (container, database) => {
  await refused(newClient({ key: otherKey }).database(database.id).read(), 401);
}));
