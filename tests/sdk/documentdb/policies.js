// Unique keys and time to live.
'use strict';

const { assert, eventually, refused, scenario } = require('../node/support.js');
const { allIds, call, inCollection, keyedBy, readBody, under } = require('./client.js');

const withUniqueEmail = (body) => inCollection(
  { ...keyedBy('/pk'), uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/email'] }] } }, body);
const withTtl = (defaultTtl, body) => inCollection({ ...keyedBy('/pk'), defaultTtl }, body);

const gone = (link, id) => readBody(`${link}/docs/${id}`, 'p').then(() => false, (error) => {
  if (error.code !== 404) throw error;
  return true;
});

scenario('unique.conflict', withUniqueEmail(async (link) => {
  await call('createDocument', link, { id: '1', pk: 'p', email: 'a@x' });
  await call('createDocument', link, { id: '2', pk: 'p', email: 'b@x' });
  await refused(call('createDocument', link, { id: '3', pk: 'p', email: 'a@x' }), 409);
  await refused(call('upsertDocument', link, { id: '3', pk: 'p', email: 'a@x' }), 409);
  await refused(call('replaceDocument', `${link}/docs/2`, { id: '2', pk: 'p', email: 'a@x' }), 409);
  await call('replaceDocument', `${link}/docs/2`, { id: '2', pk: 'p', email: 'b@x', n: 1 });
  await call('deleteDocument', `${link}/docs/1`, under('p'));
  await call('createDocument', link, { id: '3', pk: 'p', email: 'a@x' });
}));

scenario('unique.other_key', withUniqueEmail(async (link) => {
  await call('createDocument', link, { id: '1', pk: 'p', email: 'a@x' });
  await call('createDocument', link, { id: '1', pk: 'q', email: 'a@x' });
  assert.deepEqual(await allIds(link), ['1', '1']);
}));

scenario('unique.missing_is_null', withUniqueEmail(async (link) => {
  await call('createDocument', link, { id: '1', pk: 'p' });
  await refused(call('createDocument', link, { id: '2', pk: 'p' }), 409);
  await refused(call('createDocument', link, { id: '3', pk: 'p', email: null }), 409);
  await call('createDocument', link, { id: '4', pk: 'p', email: 'a@x' });
}));

scenario('ttl.container_default', withTtl(2, async (link) => {
  await call('createDocument', link, { id: 'short', pk: 'p' });
  assert.equal((await readBody(`${link}/docs/short`, 'p')).id, 'short');
  await eventually('the item expires', () => gone(link, 'short'));
  assert.deepEqual(await allIds(link), []);
  await call('createDocument', link, { id: 'short', pk: 'p' });
}));

scenario('ttl.item', withTtl(-1, async (link) => {
  await call('createDocument', link, { id: 'stays', pk: 'p' });
  await call('createDocument', link, { id: 'goes', pk: 'p', ttl: 1 });
  await eventually('the item expires', () => gone(link, 'goes'));
  assert.deepEqual(await allIds(link), ['stays']);
}));

scenario('ttl.never', withTtl(1, async (link) => {
  await call('createDocument', link, { id: 'stays', pk: 'p', ttl: -1 });
  await call('createDocument', link, { id: 'goes', pk: 'p' });
  await eventually('the item expires', () => gone(link, 'goes'));
  assert.equal(await gone(link, 'stays'), false);
  assert.deepEqual(await allIds(link), ['stays']);
}));

scenario('ttl.refused', withTtl(-1, async (link, database) => {
  for (const ttl of [0, -2, 1.5, '1', null]) {
    await refused(call('createDocument', link, { id: 'bad', pk: 'p', ttl }), 400);
  }
  for (const defaultTtl of [0, -2]) {
    await refused(call('createCollection', database, { id: 'bad', ...keyedBy('/pk'), defaultTtl }), 400);
  }
}));
