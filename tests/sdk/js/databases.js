'use strict';

const { assert, randomId, refused, scenario } = require('../node/support.js');
const { names, resourceQueries } = require('../node/resource_queries.js');
const { client, inDatabase } = require('./client.js');

const byId = (id) => ({ query: 'SELECT * FROM root r WHERE r.id=@id', parameters: [{ name: '@id', value: id }] });

scenario('database.lifecycle', async () => {
  const id = randomId('js');
  const created = await client.databases.create({ id });
  assert.equal(created.statusCode, 201);
  assert.equal(created.resource.id, id);
  const read = await client.database(id).read();
  assert.equal(read.statusCode, 200);
  assert.deepEqual(read.resource, created.resource);
  for (const name of ['_rid', '_self', '_etag', '_colls', '_users']) assert.equal(typeof read.resource[name], 'string', name);
  const { resources } = await client.databases.readAll().fetchAll();
  assert.equal(resources.filter((each) => each.id === id).length, 1);
  assert.equal((await client.database(id).delete()).statusCode, 204);
  await refused(client.database(id).read(), 404);
});

scenario('database.conflict', inDatabase(async (database) => {
  await refused(client.databases.create({ id: database.id }), 409, 3206);
}));

scenario('database.missing', async () => {
  await refused(client.database(randomId('none')).read(), 404);
  await refused(client.database(randomId('none')).delete(), 404);
});

scenario('database.create_if_not_exists', async () => {
  const id = randomId('js');
  const first = await client.databases.createIfNotExists({ id });
  try {
    assert.equal(first.statusCode, 201);
    const second = await client.databases.createIfNotExists({ id });
    assert.equal(second.statusCode, 200);
    assert.equal(second.resource._rid, first.resource._rid);
  } finally {
    await client.database(id).delete();
  }
});

scenario('database.query_by_id', inDatabase(async (database) => {
  const found = await client.databases.query(byId(database.id)).fetchAll();
  assert.deepEqual(found.resources.map((each) => each.id), [database.id]);
  assert.deepEqual((await client.databases.query(byId(randomId('none'))).fetchAll()).resources, []);
}));

// All rows of a query on a feed of resources.
const askOn = (feed) => async (query, maxItemCount) => (await feed.query(query, { maxItemCount }).fetchAll()).resources;

scenario('database.query', async () => {
  const prefix = randomId('js');
  try {
    for (const id of names(prefix)) await client.databases.create({ id });
    await resourceQueries(prefix, askOn(client.databases));
  } finally {
    for (const id of names(prefix)) await client.database(id).delete();
  }
});

module.exports = { askOn, byId };
