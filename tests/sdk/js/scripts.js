'use strict';

const { assert, refused, scenario } = require('../node/support.js');
const { TriggerOperation, TriggerType } = require('@azure/cosmos');
const { inContainer } = require('./client.js');
const { byId } = require('./databases.js');

// A method without "function": the service stores any text.
const BODY = 'serverScript() { var x = 10; }';

// One kind of script through its life; `feed` and `one` are the SDK's two ways to it.
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

// Create a book and count it at its author, or neither.
function addBook(book) {
  const collection = getContext().getCollection();
  const link = collection.getAltLink();
  const check = (error) => { if (error) throw error; };
  const accepted = collection.createDocument(link, book, (error) => {
    check(error);
    collection.readDocument(link + '/docs/author', (failed, author) => {
      check(failed);
      author.books += 1;
      collection.replaceDocument(author._self, author, (refused, changed) => {
        check(refused);
        console.log(changed.id);
        getContext().getResponse().setBody(changed);
      });
    });
  });
  if (!accepted) throw new Error('not accepted');
}

scenario('script.execute', inContainer('/pk', async (container) => {
  const { items, scripts } = container;
  const item = (id, key) => container.item(id, key);
  await scripts.storedProcedures.create({ id: 'addBook', body: addBook });
  await items.create({ id: 'author', pk: 'ann', books: 0 });
  const run = (key, book) => scripts.storedProcedure('addBook').execute(key, [book], { enableScriptLogging: true });
  const done = await run('ann', { id: 'b1', pk: 'ann' });
  assert.equal(done.resource.books, 1);
  assert.equal(decodeURIComponent(done.headers['x-ms-documentdb-script-log-results']), 'author');
  assert.deepEqual((await item('author', 'ann').read()).resource, done.resource);
  await refused(run('ann', { id: 'b1', pk: 'ann' }), 400);
  await refused(run('bob', { id: 'b2', pk: 'ann' }), 400);
  await refused(run('bob', { id: 'b2', pk: 'bob' }), 400);
  assert.equal((await item('author', 'ann').read()).resource.books, 1);
  assert.equal((await item('b2', 'bob').read()).statusCode, 404);
}));

scenario('script.triggered', inContainer('/pk', async (container) => {
  const { items, scripts } = container;
  const item = (id, key) => container.item(id, key);
  const titled = () => { if (!getContext().getRequest().getBody().title) throw new Error('no title'); };
  const counted = () => {
    const collection = getContext().getCollection();
    collection.upsertDocument(collection.getSelfLink(), { id: 'last', pk: 'p', of: getContext().getResponse().getBody().id });
  };
  await scripts.triggers.create({ id: 'titled', body: titled, triggerType: TriggerType.Pre, triggerOperation: TriggerOperation.All });
  await scripts.triggers.create({ id: 'counted', body: counted, triggerType: TriggerType.Post, triggerOperation: TriggerOperation.Create });
  const both = { preTriggerInclude: ['titled'], postTriggerInclude: ['counted'] };
  await refused(items.create({ id: 'a', pk: 'p' }, both), 400);
  assert.equal((await items.create({ id: 'a', pk: 'p', title: 't' }, both)).statusCode, 201);
  assert.equal((await item('last', 'p').read()).resource.of, 'a');
  await refused(item('a', 'p').replace({ id: 'a', pk: 'p', title: 't' }, both), 400);
}));

scenario('script.udf', inContainer('/pk', async ({ items, scripts }) => {
  await scripts.userDefinedFunctions.create({ id: 'tax', body: (income) => (income < 1000 ? income * 0.1 : income * 0.2) });
  for (const income of [500, 2000, 3000]) await items.create({ id: `${income}`, pk: `${income}`, income });
  const { resources } = await items.query('SELECT VALUE udf.tax(c.income) FROM c WHERE udf.tax(c.income) > 100').fetchAll();
  assert.deepEqual(resources.sort((a, b) => a - b), [400, 600]);
  await refused(items.query('SELECT VALUE udf.none(c.income) FROM c').fetchAll(), 400);
}));
