'use strict';

const { assert, randomId, refused, scenario } = require('../node/support.js');
const { names, resourceQueries } = require('../node/resource_queries.js');
const { call, client, inDatabase, toArray } = require('./client.js');

const byId = (id) => ({ query: 'SELECT * FROM root r WHERE r.id=@id', parameters: [{ name: '@id', value: id }] });

scenario('database.lifecycle', async () => {
  const id = randomId('documentdb');
  const created = (await call('createDatabase', { id })).body;
  assert.equal(created.id, id);
  assert.deepEqual((await call('readDatabase', `dbs/${id}`)).body, created);
  assert.equal((await toArray(client.readDatabases())).filter((each) => each.id === id).length, 1);
  await call('deleteDatabase', `dbs/${id}`);
  await refused(call('readDatabase', `dbs/${id}`), 404);
});

scenario('database.conflict', inDatabase(async (_, database) => {
  await refused(call('createDatabase', { id: database.id }), 409);
}));

scenario('database.missing', async () => {
  await refused(call('readDatabase', `dbs/${randomId('none')}`), 404);
  await refused(call('deleteDatabase', `dbs/${randomId('none')}`), 404);
});

async function databaseIfNotExists(id) {
  const found = await toArray(client.queryDatabases(byId(id)));
  return found.length ? { created: false, body: found[0] } : { created: true, ...await call('createDatabase', { id }) };
}

scenario('database.create_if_not_exists', async () => {
  const id = randomId('documentdb');
  const first = await databaseIfNotExists(id);
  try {
    assert.ok(first.created);
    const second = await databaseIfNotExists(id);
    assert.ok(!second.created);
    assert.equal(second.body._rid, first.body._rid);
  } finally {
    await call('deleteDatabase', `dbs/${id}`);
  }
});

scenario('database.query_by_id', inDatabase(async (_, database) => {
  assert.deepEqual((await toArray(client.queryDatabases(byId(database.id)))).map((each) => each.id), [database.id]);
  assert.deepEqual(await toArray(client.queryDatabases(byId(randomId('none')))), []);
}));

scenario('database.query', async () => {
  const prefix = randomId('documentdb');
  try {
    for (const id of names(prefix)) await call('createDatabase', { id });
    await resourceQueries(prefix, (query, maxItemCount) => toArray(client.queryDatabases(query, { maxItemCount })));
  } finally {
    for (const id of names(prefix)) await call('deleteDatabase', `dbs/${id}`);
  }
});

module.exports = { byId };
