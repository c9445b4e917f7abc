// Session tokens, response headers, several clients, authentication. This SDK uses API version 2017-11-15, whose
// session tokens are plain ("0:12"); it fails on the vector form ("0:3#12") of 2018-06-18 and later.
'use strict';

const { assert, churn, otherKey, parseSessionToken, refused, scenario } = require('../node/support.js');
const { allIds, call, callOn, inCollection, keyedBy, newClient, under } = require('./client.js');

const inKeyed = (body) => inCollection(keyedBy('/pk'), body);
const tokenOf = ({ headers }) => headers['x-ms-session-token'];

scenario('session.token', inKeyed(async (link) => {
  const last = new Map();
  for (let n = 0; n < 30; n += 1) {
    const token = tokenOf(await call('createDocument', link, { id: `${n}`, pk: `key-${n % 10}` }));
    assert.match(token, /^\d+:\d+$/);
    const [range, lsn] = parseSessionToken(token);
    assert.ok(lsn > (last.get(range) ?? -1n), `range ${range}: ${lsn} after ${last.get(range)}`);
    last.set(range, lsn);
  }
  const [range, lsn] = parseSessionToken(tokenOf(await call('readDocument', `${link}/docs/0`, under('key-0'))));
  assert.ok(lsn >= (last.get(range) ?? 0n)); // a range that has just taken over is new
}));

scenario('session.read_own_write', inKeyed(async (link) => {
  const own = newClient({ consistencyLevel: 'Session' });
  await callOn(own, 'createDocument', link, { id: 'one', pk: 'p', n: 0 });
  for (let n = 1; n <= 20; n += 1) {
    await callOn(own, 'replaceDocument', `${link}/docs/one`, { id: 'one', pk: 'p', n });
    assert.equal((await callOn(own, 'readDocument', `${link}/docs/one`, under('p'))).body.n, n);
  }
  // The client keeps a part for each range it has met: that of the key, and those it was split into or merged with.
  assert.match(own.getSessionToken(link), churn ? /^\d+:\d+(,\d+:\d+)*$/ : /^\d+:\d+$/);
}));

scenario('session.ahead', inKeyed(async (link) => {
  const own = newClient({ consistencyLevel: 'Session' });
  const [range, lsn] = parseSessionToken(tokenOf(await callOn(own, 'createDocument', link, { id: 'one', pk: 'p' })));
  const read = (at) => callOn(own, 'readDocument', `${link}/docs/one`, { ...under('p'), sessionToken: `${range}:${at}` });
  await refused(read(lsn + 1000n), 404, 1002);
  assert.equal((await read(lsn)).body.id, 'one');
}));

scenario('response.headers', inKeyed(async (link) => {
  const created = await call('createDocument', link, { id: 'one', pk: 'p' });
  const read = await call('readDocument', `${link}/docs/one`, under('p'));
  for (const { headers } of [created, read]) {
    assert.ok(Number(headers['x-ms-request-charge']) > 0, 'request charge');
    assert.match(headers['x-ms-activity-id'], /^[0-9a-f-]{36}$/i);
  }
}));

scenario('clients.concurrent', inKeyed(async (link) => {
  await Promise.all(['a', 'b'].map(async (name) => {
    const own = newClient();
    await Promise.all(Array.from({ length: 50 }, (_, n) => callOn(own, 'createDocument', link, { id: `${name}${n}`, pk: `key-${n % 9}` })));
  }));
  const wanted = ['a', 'b'].flatMap((name) => Array.from({ length: 50 }, (_, n) => `${name}${n}`)).sort();
  assert.deepEqual(await allIds(link), wanted);
}));

scenario('auth.wrong_key', inKeyed(async (link, database) => {
  await refused(callOn(newClient({ masterKey: otherKey }), 'readDatabase', database), 401);
}));
