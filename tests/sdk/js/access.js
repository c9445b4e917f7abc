'use strict';

const { assert, emulatorToken, endpoint, readonlyKey, refused, scenario } = require('../node/support.js');
const { CosmosClient, PermissionMode } = require('@azure/cosmos');
const { byId } = require('./databases.js');
const { inContainer, inDatabase, newClient } = require('./client.js');

const PK = { paths: ['/pk'], version: 2 };
const ids = (found) => found.resources.map((each) => each.id).sort();

scenario('user.lifecycle', inDatabase(async (database) => {
  const { resource: made, statusCode } = await database.users.create({ id: 'ann' });
  assert.equal(statusCode, 201);
  assert.deepEqual((await database.user('ann').read()).resource, made);
  for (const name of ['_rid', '_self', '_etag', '_permissions']) assert.equal(typeof made[name], 'string', name);
  await refused(database.users.create({ id: 'ann' }), 409);
  await database.users.upsert({ id: 'bob' });
  assert.deepEqual(ids(await database.users.readAll().fetchAll()), ['ann', 'bob']);
  assert.deepEqual(ids(await database.users.query(byId('bob')).fetchAll()), ['bob']);
  assert.equal((await database.user('ann').replace({ ...made, id: 'anna' })).resource.id, 'anna');
  await refused(database.user('ann').read(), 404);
  assert.equal((await database.user('anna').delete()).statusCode, 204);
  await refused(database.user('anna').delete(), 404);
}));

scenario('permission.lifecycle', inContainer(PK, async (container, database) => {
  const { user } = await database.users.create({ id: 'ann' });
  const body = { id: 'p', permissionMode: PermissionMode.Read, resource: container.url };
  const { resource: made } = await user.permissions.create(body);
  assert.equal(made.permissionMode.toLowerCase(), 'read');
  assert.match(made._token, /^type=resource&ver=1&sig=/);
  const { resource: read } = await user.permission('p').read();
  assert.equal(read._etag, made._etag);
  await refused(user.permissions.create({ ...body, id: 'q' }), 409);
  await user.permissions.create({ ...body, id: 'key', resourcePartitionKey: [1] });
  assert.deepEqual((await user.permission('key').read()).resource.resourcePartitionKey, [1]);
  assert.deepEqual(ids(await user.permissions.readAll().fetchAll()), ['key', 'p']);
  assert.deepEqual(ids(await user.permissions.query(byId('p')).fetchAll()), ['p']);
  const replaced = await user.permission('p').replace({ ...made, permissionMode: PermissionMode.All });
  assert.equal(replaced.resource.permissionMode.toLowerCase(), 'all');
  assert.equal((await user.permission('p').delete()).statusCode, 204);
  await refused(user.permission('p').read(), 404);
}));

// The container through a client that has only the token of a new permission.
async function tokenFor(database, container, permission) {
  const { user } = await database.users.upsert({ id: 'holder' });
  const { resource } = await user.permissions.upsert({ resource: container.url, ...permission });
  const resourceTokens = { [`dbs/${database.id}/colls/${container.id}`]: resource._token };
  return new CosmosClient({ endpoint, resourceTokens }).database(database.id).container(container.id);
}

scenario('access.resource_token', inContainer(PK, async (container, database) => {
  await container.items.create({ id: '1', pk: 'a' });
  const reader = await tokenFor(database, container, { id: 'r', permissionMode: PermissionMode.Read });
  assert.equal((await reader.item('1', 'a').read()).resource.id, '1');
  assert.deepEqual(ids(await reader.items.query('SELECT * FROM c ORDER BY c.id').fetchAll()), ['1']);
  assert.equal((await reader.read()).resource.id, container.id);
  await refused(reader.items.create({ id: '2', pk: 'a' }), 403);
  await refused(reader.item('1', 'a').delete(), 403);
  const writer = await tokenFor(database, container, { id: 'r', permissionMode: PermissionMode.All });
  await writer.items.create({ id: '2', pk: 'a' });
  assert.equal((await writer.item('2', 'a').delete()).statusCode, 204);
  await refused(writer.delete(), 403);
}));

scenario('access.partition_token', inContainer(PK, async (container, database) => {
  for (const pk of ['a', 'b']) await container.items.create({ id: '1', pk });
  const own = await tokenFor(database, container, {
    id: 'k', permissionMode: PermissionMode.All, resourcePartitionKey: ['a'],
  });
  assert.equal((await own.item('1', 'a').read()).resource.pk, 'a');
  assert.equal((await own.items.query('SELECT * FROM c', { partitionKey: 'a' }).fetchAll()).resources.length, 1);
  await own.items.upsert({ id: '2', pk: 'a' });
  await refused(own.item('1', 'b').read(), 403);
  await refused(own.items.upsert({ id: '2', pk: 'b' }), 403);
  await refused(own.items.query('SELECT * FROM c').fetchAll(), 403);
}));

if (readonlyKey) {
  scenario('access.readonly_key', inContainer(PK, async (container, database) => {
    await container.items.create({ id: '1', pk: 'a' });
    const reader = newClient({ key: readonlyKey }).database(database.id).container(container.id);
    assert.equal((await reader.item('1', 'a').read()).resource.id, '1');
    assert.deepEqual(ids(await reader.items.query('SELECT * FROM c').fetchAll()), ['1']);
    await refused(reader.items.create({ id: '2', pk: 'a' }), 403);
    await refused(reader.delete(), 403);
  }));
}

scenario('access.aad', inContainer(PK, async (container, database) => {
  const aadCredentials = { getToken: async () => ({ token: emulatorToken(), expiresOnTimestamp: Date.now() + 3600_000 }) };
  const aad = newClient({ key: undefined, aadCredentials });
  const own = aad.database(database.id).container(container.id);
  await own.items.create({ id: '1', pk: 'a' });
  assert.equal((await own.item('1', 'a').read()).resource.id, '1');
  assert.deepEqual(ids(await own.items.query('SELECT * FROM c').fetchAll()), ['1']);
  await refused(aad.databases.create({ id: 'never' }), 403, 5300);
  await refused(own.delete(), 403, 5300);
}));
