'use strict';

const { assert, raw, refused, scenario } = require('../node/support.js');
const { names, resourceQueries } = require('../node/resource_queries.js');
const { TriggerOperation, TriggerType } = require('@azure/cosmos');
const { inContainer } = require('./client.js');
const { askOn, byId } = require('./databases.js');

// Not a valid script (no "function"): the service stores any text.
const BODY = 'serverScript() { var x = 10; }';

// The lifecycle of one kind of script; `feed` and `one` are the SDK's accessors for it.
async function lifecycle(feed, one, rest = {}) {
  assert.deepEqual((await feed.readAll().fetchAll()).resources, []);
  const created = await feed.create({ id: 'my script', body: BODY, ...rest });
  assert.equal(created.statusCode, 201);
  assert.deepEqual({ ...created.resource, ...rest }, created.resource);
  assert.equal(created.resource.body, BODY);
  for (const name of ['_rid', '_self', '_etag']) assert.equal(typeof created.resource[name], 'string', name);
  await feed.create({ id: 'other', body: (a, b) => a + b, ...rest });
  assert.deepEqual((await feed.readAll().fetchAll()).resources.map((each) => each.id), ['my script', 'other']);
  const found = (await feed.query(byId('other')).fetchAll()).resources;
  assert.deepEqual(found.map((each) => each.body), ['(a, b) => a + b']);

  const read = await one('my script').read();
  assert.equal(read.statusCode, 200);
  assert.deepEqual(read.resource, created.resource);
  const replaced = await one('my script').replace({ ...read.resource, body: 'function () { return 20; }' });
  assert.equal(replaced.statusCode, 200);
  assert.equal(replaced.resource._rid, created.resource._rid);
  assert.notEqual(replaced.resource._etag, created.resource._etag);
  assert.deepEqual((await one('my script').read()).resource, replaced.resource);

  assert.equal((await one('my script').delete()).statusCode, 204);
  await refused(one('my script').read(), 404);
  await refused(one('my script').delete(), 404);
  await refused(one('my script').replace({ id: 'my script', body: BODY, ...rest }), 404);
}

const rule = { triggerType: TriggerType.Pre, triggerOperation: TriggerOperation.All };

scenario('script.stored_procedures', inContainer('/pk', ({ scripts }) => lifecycle(
  scripts.storedProcedures, (id) => scripts.storedProcedure(id))));

scenario('script.triggers', inContainer('/pk', ({ scripts }) => lifecycle(
  scripts.triggers, (id) => scripts.trigger(id), rule)));

scenario('script.udfs', inContainer('/pk', ({ scripts }) => lifecycle(
  scripts.userDefinedFunctions, (id) => scripts.userDefinedFunction(id))));

scenario('script.conflict', inContainer('/pk', async ({ scripts }) => {
  for (const feed of [scripts.storedProcedures, scripts.triggers, scripts.userDefinedFunctions]) {
    await feed.create({ id: 'one', body: BODY, ...rule });
    await refused(feed.create({ id: 'one', body: BODY, ...rule }), 409);
  }
}));

scenario('script.query', inContainer('/pk', async ({ scripts }) => {
  for (const feed of [scripts.storedProcedures, scripts.triggers, scripts.userDefinedFunctions]) {
    for (const id of names('s-')) await feed.create({ id, body: BODY, ...rule });
    await resourceQueries('s-', askOn(feed));
  }
}));

scenario('script.etag', inContainer('/pk', async ({ scripts }) => {
  const { resource } = await scripts.storedProcedures.create({ id: 'p', body: BODY });
  const one = scripts.storedProcedure('p');
  const current = { accessCondition: { type: 'IfMatch', condition: resource._etag } };
  assert.equal((await one.read({ accessCondition: { type: 'IfNoneMatch', condition: resource._etag } })).statusCode, 304);
  assert.equal((await one.replace({ id: 'p', body: 'new' }, current)).statusCode, 200);
  await refused(one.replace({ id: 'p', body: 'stale' }, current), 412);
  await refused(one.delete(current), 412);
  assert.equal((await one.read()).resource.body, 'new');
}));

scenario('script.feed', inContainer('/pk', async ({ scripts }) => {
  const wanted = ['u0', 'u1', 'u2', 'u3', 'u4'];
  for (const id of wanted) await scripts.userDefinedFunctions.create({ id, body: BODY });
  const found = [];
  let pages = 0;
  const iterator = scripts.userDefinedFunctions.readAll({ maxItemCount: 2 });
  while (iterator.hasMoreResults()) {
    const { resources } = await iterator.fetchNext();
    assert.ok(resources.length <= 2);
    found.push(...resources.map((each) => each.id));
    pages += 1;
  }
  assert.deepEqual(found, wanted);
  assert.ok(pages >= 3);
}));

scenario('script.refused', inContainer('/pk', async ({ scripts }) => {
  await refused(scripts.storedProcedures.create({ id: 'p' }), 400);
  await refused(scripts.triggers.create({ id: 't', body: BODY }), 400);
  await refused(scripts.triggers.create({ id: 't', body: BODY, ...rule, triggerType: 'then' }), 400);
  await refused(scripts.triggers.create({ id: 't', body: BODY, ...rule, triggerOperation: 'read' }), 400);
  assert.deepEqual((await scripts.triggers.readAll().fetchAll()).resources, []);
}));

// Without a key this SDK addresses the items that have none; a raw request sends no key.
scenario('script.without_key', inContainer('/pk', async ({ id, items, scripts }, database) => {
  const body = () => __.map((item) => item.id, (error, ids) => __.response.setBody(error || ids));
  await scripts.storedProcedures.create({ id: 'ids', body });
  await items.create({ id: 'keyless' });
  await items.create({ id: 'keyed', pk: 'a' });
  assert.deepEqual((await scripts.storedProcedure('ids').execute(undefined, [])).resource, ['keyless']);
  const answer = await raw('POST', `dbs/${database.id}/colls/${id}/sprocs/ids`, { body: '[]' });
  assert.equal(answer.status, 400);
  assert.ok(answer.text.includes('PartitionKey value must be supplied'), answer.text);
}));
