// Unique keys and time to live.
'use strict';

const { assert, eventually, refused, scenario } = require('../node/support.js');
const { allIds, inDatabase } = require('./client.js');

const withUniqueEmail = (body) => inDatabase(async (database) => {
  const { container } = await database.containers.create({
    id: 'people', partitionKey: '/pk', uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/email'] }] },
  });
  await body(container);
});

const withTtl = (defaultTtl, body) => inDatabase(async (database) => {
  const { container } = await database.containers.create({ id: 'ttl', partitionKey: '/pk', defaultTtl });
  await body(container);
});

const gone = async (container, id) => (await container.item(id, 'p').read()).statusCode === 404;

scenario('unique.conflict', withUniqueEmail(async (container) => {
  await container.items.create({ id: '1', pk: 'p', email: 'a@x' });
  await container.items.create({ id: '2', pk: 'p', email: 'b@x' });
  await refused(container.items.create({ id: '3', pk: 'p', email: 'a@x' }), 409);
  await refused(container.items.upsert({ id: '3', pk: 'p', email: 'a@x' }), 409);
  await refused(container.item('2', 'p').replace({ id: '2', pk: 'p', email: 'a@x' }), 409);
  await container.item('2', 'p').replace({ id: '2', pk: 'p', email: 'b@x', n: 1 });
  await container.item('1', 'p').delete();
  assert.equal((await container.items.create({ id: '3', pk: 'p', email: 'a@x' })).statusCode, 201);
}));

scenario('unique.other_key', withUniqueEmail(async (container) => {
  await container.items.create({ id: '1', pk: 'p', email: 'a@x' });
  assert.equal((await container.items.create({ id: '1', pk: 'q', email: 'a@x' })).statusCode, 201);
}));

scenario('unique.missing_is_null', withUniqueEmail(async (container) => {
  await container.items.create({ id: '1', pk: 'p' });
  await refused(container.items.create({ id: '2', pk: 'p' }), 409);
  await refused(container.items.create({ id: '3', pk: 'p', email: null }), 409);
  assert.equal((await container.items.create({ id: '4', pk: 'p', email: 'a@x' })).statusCode, 201);
}));

scenario('ttl.container_default', withTtl(2, async (container) => {
  await container.items.create({ id: 'short', pk: 'p' });
  assert.equal((await container.item('short', 'p').read()).statusCode, 200);
  await eventually('the item expires', () => gone(container, 'short'));
  assert.deepEqual(await allIds(container), []);
  assert.equal((await container.items.create({ id: 'short', pk: 'p' })).statusCode, 201);
}));

scenario('ttl.item', withTtl(-1, async (container) => {
  await container.items.create({ id: 'stays', pk: 'p' });
  await container.items.create({ id: 'goes', pk: 'p', ttl: 1 });
  await eventually('the item expires', () => gone(container, 'goes'));
  assert.deepEqual(await allIds(container), ['stays']);
}));

scenario('ttl.never', withTtl(1, async (container) => {
  await container.items.create({ id: 'stays', pk: 'p', ttl: -1 });
  await container.items.create({ id: 'goes', pk: 'p' });
  await eventually('the item expires', () => gone(container, 'goes'));
  assert.equal(await gone(container, 'stays'), false);
  assert.deepEqual(await allIds(container), ['stays']);
}));

scenario('ttl.refused', withTtl(-1, async (container) => {
  for (const ttl of [0, -2, 1.5, '1', null]) {
    await refused(container.items.create({ id: 'bad', pk: 'p', ttl }), 400);
  }
  for (const defaultTtl of [0, -2]) {
    await refused(container.database.containers.create({ id: 'bad', partitionKey: '/pk', defaultTtl }), 400);
  }
}));
