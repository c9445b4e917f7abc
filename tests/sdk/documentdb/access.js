'use strict';

const { assert, readonlyKey, refused, scenario } = require('../node/support.js');
const { byId } = require('./databases.js');
const { call, callOn, client, inCollection, inDatabase, keyedBy, newClient, toArray, under } = require('./client.js');

const ids = (found) => found.map((each) => each.id).sort();

scenario('user.lifecycle', inDatabase(async (link) => {
  const made = (await call('createUser', link, { id: 'ann' })).body;
  assert.deepEqual((await call('readUser', `${link}/users/ann`)).body, made);
  await refused(call('createUser', link, { id: 'ann' }), 409);
  await call('upsertUser', link, { id: 'bob' });
  assert.deepEqual(ids(await toArray(client.readUsers(link))), ['ann', 'bob']);
  assert.deepEqual(ids(await toArray(client.queryUsers(link, byId('bob')))), ['bob']);
  assert.equal((await call('replaceUser', made._self, { ...made, id: 'anna' })).body.id, 'anna');
  await refused(call('readUser', `${link}/users/ann`), 404);
  await call('deleteUser', `${link}/users/anna`);
  await refused(call('deleteUser', `${link}/users/anna`), 404);
}));

scenario('permission.lifecycle', inCollection(keyedBy('/pk'), async (link, databaseLink) => {
  await call('createUser', databaseLink, { id: 'ann' });
  const user = `${databaseLink}/users/ann`;
  const body = { id: 'p', permissionMode: 'Read', resource: link };
  const made = (await call('createPermission', user, body)).body;
  assert.match(made._token, /^type=resource&ver=1&sig=/);
  assert.equal((await call('readPermission', `${user}/permissions/p`)).body._etag, made._etag);
  await refused(call('createPermission', user, { ...body, id: 'q' }), 409);
  assert.deepEqual(ids(await toArray(client.readPermissions(user))), ['p']);
  assert.deepEqual(ids(await toArray(client.queryPermissions(user, byId('p')))), ['p']);
  const replaced = (await call('replacePermission', made._self, { ...made, permissionMode: 'All' })).body;
  assert.equal(replaced.permissionMode, 'All');
  await call('deletePermission', `${user}/permissions/p`);
  await refused(call('readPermission', `${user}/permissions/p`), 404);
}));

// A client that has only the token of a new permission.
async function tokenFor(databaseLink, permission) {
  await call('upsertUser', databaseLink, { id: 'holder' });
  const made = (await call('upsertPermission', `${databaseLink}/users/holder`, permission)).body;
  return newClient({ permissionFeed: [made] });
}

scenario('access.resource_token', inCollection(keyedBy('/pk'), async (link, databaseLink) => {
  await call('createDocument', link, { id: '1', pk: 'a' });
  const permission = { id: 'r', permissionMode: 'Read', resource: link };
  const reader = await tokenFor(databaseLink, permission);
  assert.equal((await callOn(reader, 'readDocument', `${link}/docs/1`, under('a'))).body.id, '1');
  assert.deepEqual(ids(await toArray(reader.queryDocuments(link, 'SELECT * FROM c', under('a')))), ['1']);
  await refused(callOn(reader, 'createDocument', link, { id: '2', pk: 'a' }, under('a')), 403);
  const writer = await tokenFor(databaseLink, { ...permission, permissionMode: 'All' });
  await callOn(writer, 'createDocument', link, { id: '2', pk: 'a' }, under('a'));
  await callOn(writer, 'deleteDocument', `${link}/docs/2`, under('a'));
  await refused(callOn(writer, 'deleteCollection', link), 403);
}));

scenario('access.partition_token', inCollection(keyedBy('/pk'), async (link, databaseLink) => {
  for (const pk of ['a', 'b']) await call('createDocument', link, { id: '1', pk });
  const own = await tokenFor(databaseLink, {
    id: 'k', permissionMode: 'All', resource: link, resourcePartitionKey: ['a'],
  });
  assert.equal((await callOn(own, 'readDocument', `${link}/docs/1`, under('a'))).body.pk, 'a');
  await callOn(own, 'upsertDocument', link, { id: '2', pk: 'a' }, under('a'));
  await refused(callOn(own, 'upsertDocument', link, { id: '2', pk: 'b' }, under('b')), 403);
}));

if (readonlyKey) {
  scenario('access.readonly_key', inCollection(keyedBy('/pk'), async (link) => {
    await call('createDocument', link, { id: '1', pk: 'a' });
    const reader = newClient({ masterKey: readonlyKey });
    assert.equal((await callOn(reader, 'readDocument', `${link}/docs/1`, under('a'))).body.id, '1');
    await refused(callOn(reader, 'createDocument', link, { id: '2', pk: 'a' }, under('a')), 403);
    await refused(callOn(reader, 'deleteCollection', link), 403);
  }));
}
