'use strict';

const { BulkOperationType, PatchOperationType } = require('@azure/cosmos');
const { assert, refused, scenario, userPart } = require('../node/support.js');
const { inContainer } = require('./client.js');

const item = (id, pk, more = {}) => ({ id, pk, ...more });
const statuses = (results) => results.map((result) => result.statusCode);

scenario('patch.operations', inContainer('/pk', async (container) => {
  const { resource: first } = await container.items.create(item('1', 'a', { n: 1, tags: ['x'], old: {}, name: 'before' }));
  const patched = await container.item('1', 'a').patch([
    { op: PatchOperationType.add, path: '/tags/-', value: 'y' },
    { op: PatchOperationType.add, path: '/tags/0', value: 'w' },
    { op: PatchOperationType.set, path: '/tags/1', value: 'X' },
    { op: PatchOperationType.replace, path: '/name', value: 'after' },
    { op: PatchOperationType.incr, path: '/n', value: 41 },
    { op: PatchOperationType.remove, path: '/old' },
  ]);
  assert.equal(patched.statusCode, 200);
  assert.deepEqual(userPart(patched.resource), item('1', 'a', { n: 42, tags: ['w', 'X', 'y'], name: 'after' }));
  assert.notEqual(patched.resource._etag, first._etag);
  // The SDK has no constant for it, but sends it unchanged.
  await container.item('1', 'a').patch([{ op: 'move', from: '/name', path: '/title' }]);
  assert.equal((await container.item('1', 'a').read()).resource.title, 'after');
}));

scenario('patch.condition', inContainer('/pk', async (container) => {
  const { resource: first } = await container.items.create(item('1', 'a', { n: 1 }));
  const next = (condition) => ({ operations: [{ op: 'incr', path: '/n', value: 1 }], condition });
  assert.equal((await container.item('1', 'a').patch(next('from c where c.n = 1'))).resource.n, 2);
  const unmet = await refused(container.item('1', 'a').patch(next('from c where c.n = 1')), 412);
  assert.match(unmet.message, /One of the specified pre-condition is not met/);
  const stale = { accessCondition: { type: 'IfMatch', condition: first._etag } };
  await refused(container.item('1', 'a').patch(next('from c where c.n = 2'), stale), 412);
  assert.equal((await container.item('1', 'a').read()).resource.n, 2);
}));

scenario('patch.refused', inContainer('/pk', async (container) => {
  await container.items.create(item('1', 'a', { s: 'x' }));
  const patch = (op, id = '1') => container.item(id, 'a').patch([op]);
  await refused(patch({ op: 'replace', path: '/none', value: 1 }), 400);
  await refused(patch({ op: 'add', path: '/none/x', value: 1 }), 400);
  await refused(patch({ op: 'incr', path: '/s', value: 1 }), 400);
  await refused(patch({ op: 'set', path: '/id', value: '2' }), 400);
  await refused(patch({ op: 'set', path: '/pk', value: 'b' }), 400);
  assert.match((await refused(patch({ op: 'set', path: '/s', value: 1 }, 'none'), 404)).message, /Resource Not Found/);
  const eleven = Array.from({ length: 11 }, () => ({ op: 'incr', path: '/n', value: 1 }));
  await refused(container.item('1', 'a').patch(eleven), 400);
}));

scenario('batch.commit', inContainer('/pk', async (container) => {
  const { resource: there } = await container.items.create(item('0', 'a', { n: 1 }));
  const answer = await container.items.batch([
    { operationType: 'Create', resourceBody: item('1', 'a', { n: 1 }) },
    { operationType: 'Upsert', resourceBody: item('2', 'a') },
    { operationType: 'Read', id: '1' },
    { operationType: 'Patch', id: '1', resourceBody: { operations: [{ op: 'incr', path: '/n', value: 1 }] } },
    { operationType: 'Replace', id: '2', resourceBody: item('2', 'a', { n: 7 }) },
    { operationType: 'Delete', id: '0', ifMatch: there._etag },
  ], 'a');
  assert.equal(answer.code, 200);
  assert.deepEqual(statuses(answer.result), [201, 201, 200, 200, 200, 204]);
  assert.equal(answer.result[2].resourceBody.n, 1);
  assert.equal(answer.result[3].resourceBody.n, 2);
  assert.ok(answer.result.every((result) => result.requestCharge > 0));
  assert.equal((await container.item('2', 'a').read()).resource.n, 7);
  assert.equal((await container.item('0', 'a').read()).statusCode, 404);
}));

scenario('batch.rollback', inContainer('/pk', async (container) => {
  await container.items.create(item('0', 'a', { n: 1 }));
  const answer = await container.items.batch([
    { operationType: 'Create', resourceBody: item('1', 'a') },
    { operationType: 'Delete', id: '0' },
    { operationType: 'Create', resourceBody: item('1', 'a') },
    { operationType: 'Read', id: '1' },
  ], 'a');
  assert.equal(answer.code, 207);
  assert.deepEqual(statuses(answer.result), [424, 424, 409, 424]);
  assert.equal((await container.item('0', 'a').read()).resource.n, 1);
  assert.equal((await container.item('1', 'a').read()).statusCode, 404);
}));

// The SDK itself refuses more than 100 operations.
scenario('batch.refused', inContainer('/pk', async (container) => {
  const mixed = await container.items.batch([{ operationType: 'Create', resourceBody: item('1', 'b') }], 'a');
  assert.deepEqual(statuses(mixed.result), [400]);
}));

scenario('bulk.mixed', inContainer('/pk', async (container) => {
  const keys = Array.from({ length: 250 }, (_, i) => `key ${i}`);
  const created = await container.items.executeBulkOperations(keys.map((pk) => (
    { operationType: BulkOperationType.Create, partitionKey: pk, resourceBody: item('1', pk) })));
  assert.deepEqual(created.map((one) => one.response?.statusCode), keys.map(() => 201));
  const results = await container.items.executeBulkOperations([
    { operationType: BulkOperationType.Create, partitionKey: keys[0], resourceBody: item('1', keys[0]) },
    { operationType: BulkOperationType.Upsert, partitionKey: keys[1], resourceBody: item('1', keys[1], { n: 1 }) },
    { operationType: BulkOperationType.Read, partitionKey: keys[2], id: '1' },
    { operationType: BulkOperationType.Delete, partitionKey: keys[3], id: '1' },
    { operationType: BulkOperationType.Delete, partitionKey: keys[4], id: 'none' },
    { operationType: BulkOperationType.Replace, partitionKey: keys[5], id: '1', resourceBody: item('1', keys[5], { n: 2 }) },
    { operationType: BulkOperationType.Patch, partitionKey: keys[6], id: '1', resourceBody: { operations: [{ op: 'add', path: '/n', value: 3 }] } },
  ]);
  assert.deepEqual(results.map((one) => one.response?.statusCode ?? one.error.code), [409, 200, 200, 204, 404, 200, 200]);
  assert.equal((await container.item('1', keys[6]).read()).resource.n, 3);
  const { resources } = await container.items.query('SELECT VALUE COUNT(1) FROM c').fetchAll();
  assert.deepEqual(resources, [249]);
}));

// 60 items of 100 KB exceed the response limit: the server returns 413/3402, and the SDK splits the request.
scenario('bulk.large', inContainer('/pk', async (container) => {
  const text = 'x'.repeat(100_000);
  const keys = Array.from({ length: 60 }, (_, i) => `key ${i}`);
  const made = await container.items.executeBulkOperations(keys.map((pk) => (
    { operationType: BulkOperationType.Upsert, partitionKey: pk, resourceBody: item('1', pk, { text }) })));
  assert.deepEqual(made.map((one) => one.response?.statusCode), keys.map(() => 201));
  const read = await container.items.executeBulkOperations(keys.map((pk) => (
    { operationType: BulkOperationType.Read, partitionKey: pk, id: '1' })));
  assert.deepEqual(read.map((one) => one.response?.resourceBody?.text.length), keys.map(() => text.length));
}));

scenario('key.delete_all', inContainer('/pk', async (container) => {
  for (let i = 0; i < 20; i++) await container.items.create(item(`${i}`, i < 15 ? 'a' : 'b'));
  const deleted = await container.deleteAllItemsForPartitionKey('a');
  assert.equal(deleted.statusCode, 200);
  assert.equal((await container.item('0', 'a').read()).statusCode, 404);
  const { resources } = await container.items.query('SELECT VALUE c.pk FROM c').fetchAll();
  assert.deepEqual(resources, ['b', 'b', 'b', 'b', 'b']);
  await container.items.create(item('0', 'a'));
  assert.equal((await container.item('0', 'a').read()).statusCode, 200);
}));
