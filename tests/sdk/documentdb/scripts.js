'use strict';

const { DocumentBase } = require('documentdb');
const { assert, refused, scenario } = require('../node/support.js');
const { names, resourceQueries } = require('../node/resource_queries.js');
const { call, client, inCollection, keyedBy, toArray } = require('./client.js');
const { byId } = require('./databases.js');

const { TriggerOperation, TriggerType } = DocumentBase;
const BODY = 'serverScript() { var x = 10; }';
const rule = { triggerType: TriggerType.Pre, triggerOperation: TriggerOperation.All };

// The names of the SDK's methods for each kind, and the properties it needs besides id and body.
const KINDS = [
  { kind: 'StoredProcedure', segment: 'sprocs', rest: {} },
  { kind: 'Trigger', segment: 'triggers', rest: rule },
  { kind: 'UserDefinedFunction', segment: 'udfs', rest: {} },
];

const all = async ({ kind }, link, ...options) => toArray(client[`read${kind}s`](link, ...options));
const ids = (scripts) => scripts.map((each) => each.id);

async function lifecycle(which, collection) {
  const { kind, segment, rest } = which;
  const link = `${collection}/${segment}/my script`;
  assert.deepEqual(await all(which, collection), []);
  const created = (await call(`create${kind}`, collection, { id: 'my script', body: BODY, ...rest })).body;
  assert.deepEqual({ ...created, ...rest, body: BODY }, created);
  await call(`create${kind}`, collection, { id: 'other', serverScript: (a, b) => a + b, ...rest });
  assert.deepEqual(ids(await all(which, collection)), ['my script', 'other']);
  const found = await toArray(client[`query${kind}s`](collection, byId('other')));
  assert.deepEqual(found.map((each) => each.body), ['(a, b) => a + b']);
  assert.deepEqual((await call(`read${kind}`, link)).body, created);
  const replaced = (await call(`replace${kind}`, link, { ...created, body: 'function () { return 20; }' })).body;
  assert.equal(replaced._rid, created._rid);
  assert.notEqual(replaced._etag, created._etag);
  assert.deepEqual((await call(`read${kind}`, link)).body, replaced);
  await call(`delete${kind}`, link);
  await refused(call(`read${kind}`, link), 404);
  await refused(call(`delete${kind}`, link), 404);
}

['script.stored_procedures', 'script.triggers', 'script.udfs'].forEach((name, index) => {
  scenario(name, inCollection(keyedBy('/pk'), (link) => lifecycle(KINDS[index], link)));
});

scenario('script.conflict', inCollection(keyedBy('/pk'), async (link) => {
  for (const { kind, rest } of KINDS) {
    await call(`create${kind}`, link, { id: 'one', body: BODY, ...rest });
    await refused(call(`create${kind}`, link, { id: 'one', body: BODY, ...rest }), 409);
  }
}));

scenario('script.query', inCollection(keyedBy('/pk'), async (link) => {
  for (const { kind, rest } of KINDS) {
    for (const id of names('s-')) await call(`create${kind}`, link, { id, body: BODY, ...rest });
    await resourceQueries('s-', (query, maxItemCount) => toArray(
      client[`query${kind}s`](link, query, { maxItemCount })));
  }
}));

scenario('script.etag', inCollection(keyedBy('/pk'), async (link) => {
  const { body } = await call('createStoredProcedure', link, { id: 'p', body: BODY });
  const current = () => ({ accessCondition: { type: 'IfMatch', condition: body._etag } });
  await call('replaceStoredProcedure', `${link}/sprocs/p`, { id: 'p', body: 'new' }, current());
  await refused(call('replaceStoredProcedure', `${link}/sprocs/p`, { id: 'p', body: 'stale' }, current()), 412);
  await refused(call('deleteStoredProcedure', `${link}/sprocs/p`, current()), 412);
  assert.equal((await call('readStoredProcedure', `${link}/sprocs/p`)).body.body, 'new');
}));

scenario('script.feed', inCollection(keyedBy('/pk'), async (link) => {
  const wanted = ['u0', 'u1', 'u2', 'u3', 'u4'];
  for (const id of wanted) await call('createUserDefinedFunction', link, { id, body: BODY });
  assert.deepEqual(ids(await all(KINDS[2], link, { maxItemCount: 2 })), wanted);
}));

scenario('script.upsert', inCollection(keyedBy('/pk'), async (link) => {
  for (const which of KINDS) {
    const { kind, rest } = which;
    const first = (await call(`upsert${kind}`, link, { id: 'one', body: BODY, ...rest })).body;
    const second = (await call(`upsert${kind}`, link, { id: 'one', body: 'new', ...rest })).body;
    assert.equal(second._rid, first._rid);
    assert.deepEqual((await all(which, link)).map((each) => each.body), ['new']);
  }
}));

scenario('script.self', inCollection(keyedBy('/pk'), async (link) => {
  const collection = (await call('readCollection', link)).body;
  for (const which of KINDS) {
    const { kind, rest } = which;
    const made = (await call(`create${kind}`, collection._self, { id: 'one', body: BODY, ...rest })).body;
    assert.deepEqual((await call(`read${kind}`, made._self)).body, made);
    await call(`replace${kind}`, made._self, { ...made, body: 'new' });
    assert.deepEqual((await all(which, collection._self)).map((each) => each.body), ['new']);
    await call(`delete${kind}`, made._self);
    await refused(call(`read${kind}`, made._self), 404);
  }
}));

scenario('script.refused', inCollection(keyedBy('/pk'), async (link) => {
  await refused(call('createStoredProcedure', link, { id: 'p' }), 400);
  await refused(call('createTrigger', link, { id: 't', body: BODY }), 400);
  await refused(call('createTrigger', link, { id: 't', body: BODY, ...rule, triggerType: 'then' }), 400);
  await refused(call('createTrigger', link, { id: 't', body: BODY, ...rule, triggerOperation: 'read' }), 400);
  assert.deepEqual(await all(KINDS[1], link), []);
}));

scenario('script.without_key', inCollection(keyedBy('/pk'), async (link) => {
  const serverScript = () => getContext().getResponse().setBody('ran');
  await call('createStoredProcedure', link, { id: 'p', serverScript });
  const { body } = await refused(call('executeStoredProcedure', `${link}/sprocs/p`, []), 400);
  assert.ok(body.includes('PartitionKey value must be supplied'), body);
  const self = (await call('readStoredProcedure', `${link}/sprocs/p`)).body._self;
  assert.equal((await call('executeStoredProcedure', self, [], { partitionKey: ['a'] })).body, 'ran');
}));
