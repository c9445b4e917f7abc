'use strict';

const { assert, assertSystemProperties, person, refused, scenario, userPart } = require('../node/support.js');
const { inContainer } = require('./client.js');

const department = (id, name, more = {}) => ({ id, department: name, ...more });
const minimal = { initialHeaders: { Prefer: 'return=minimal' } };
const ifMatch = (etag) => ({ accessCondition: { type: 'IfMatch', condition: etag } });
const ifNoneMatch = (etag) => ({ accessCondition: { type: 'IfNoneMatch', condition: etag } });

scenario('item.create_read', inContainer('/department', async (container) => {
  const item = department('0001', 'Marketing', { members: ['Ann', 'Bo'] });
  const created = await container.items.create(item);
  assert.equal(created.statusCode, 201);
  const read = await container.item('0001', 'Marketing').read();
  assert.equal(read.statusCode, 200);
  assert.deepEqual(userPart(read.resource), item);
  assertSystemProperties(read.resource);
  assert.deepEqual(read.resource, created.resource);
  assert.equal(read.etag, read.resource._etag);
}));

scenario('item.replace', inContainer('/department', async (container) => {
  const { resource: first } = await container.items.create(department('0001', 'Marketing', { n: 1 }));
  const replaced = await container.item('0001', 'Marketing').replace(department('0001', 'Marketing', { n: 2 }));
  assert.equal(replaced.statusCode, 200);
  assert.equal(replaced.resource._rid, first._rid);
  assert.notEqual(replaced.resource._etag, first._etag);
  const { resource: read } = await container.item('0001', 'Marketing').read();
  assert.deepEqual(userPart(read), department('0001', 'Marketing', { n: 2 }));
  await refused(container.item('none', 'Marketing').replace(department('none', 'Marketing')), 404);
}));

// A client that reads, changes and writes back gets the order it sent.
scenario('item.property_order', inContainer('/department', async (container) => {
  await container.items.create(department('0001', 'Sales', { n: 1 }));
  const item = container.item('0001', 'Sales');
  const { resource: first } = await item.read();
  const { resource: replaced } = await item.replace({ added: 1, ...first, n: 2, last: true });
  const names = ['added', 'id', 'department', 'n', '_rid', '_self', '_etag', '_attachments', '_ts', 'last'];
  assert.deepEqual(Object.keys(replaced), names);
  assert.notEqual(replaced._etag, first._etag);
  assert.deepEqual(Object.entries((await item.read()).resource), Object.entries(replaced));
}));

scenario('item.exclude_system_properties', inContainer('/department', async (container) => {
  const initialHeaders = { 'x-ms-exclude-system-properties': 'true' };
  const { resource: created } = await container.items.create(department('0001', 'Sales'), { initialHeaders });
  const { resource: read } = await container.item('0001', 'Sales').read();
  for (const resource of [created, read]) {
    assert.deepEqual(Object.keys(resource), ['id', 'department', '_rid', '_etag', '_ts']);
  }
}));

scenario('item.upsert', inContainer('/department', async (container) => {
  assert.equal((await container.items.upsert(department('0001', 'Sales', { n: 1 }))).statusCode, 201);
  assert.equal((await container.items.upsert(department('0001', 'Sales', { n: 2 }))).statusCode, 200);
  assert.equal((await container.item('0001', 'Sales').read()).resource.n, 2);
}));

scenario('item.delete', inContainer('/department', async (container) => {
  await container.items.create(department('0001', 'Sales'));
  assert.equal((await container.item('0001', 'Sales').delete()).statusCode, 204);
  assert.equal((await container.item('0001', 'Sales').read()).statusCode, 404);
  await refused(container.item('0001', 'Sales').delete(), 404);
}));

// This SDK returns 404 for a missing item instead of throwing.
scenario('item.missing', inContainer('/department', async (container, database) => {
  const missing = await container.item('none', 'Sales').read();
  assert.equal(missing.statusCode, 404);
  assert.equal(missing.resource ?? null, null);
  assert.equal((await database.container('none').item('none', 'Sales').read()).statusCode, 404);
}));

scenario('item.conflict', inContainer('/department', async (container) => {
  await container.items.create(department('0001', 'Sales', { n: 1 }));
  await refused(container.items.create(department('0001', 'Sales', { n: 2 })), 409);
  assert.equal((await container.item('0001', 'Sales').read()).resource.n, 1);
}));

scenario('item.same_id_other_key', inContainer('/department', async (container) => {
  const items = [['0001', 'Marketing'], ['0002', 'Marketing'], ['0001', 'Sales']];
  for (const [id, name] of items) await container.items.create(department(id, name, { both: name + id }));
  for (const [id, name] of items) {
    assert.equal((await container.item(id, name).read()).resource.both, name + id);
  }
  await refused(container.items.create(department('0001', 'Sales')), 409);
}));

scenario('item.etag_replace', inContainer('/department', async (container) => {
  const { resource: first } = await container.items.create(department('0001', 'Sales'));
  const item = container.item('0001', 'Sales');
  assert.equal((await item.replace(department('0001', 'Sales', { n: 1 }), ifMatch(first._etag))).statusCode, 200);
  await refused(item.replace(department('0001', 'Sales', { n: 2 }), ifMatch(first._etag)), 412);
  assert.equal((await item.read()).resource.n, 1);
}));

scenario('item.etag_delete', inContainer('/department', async (container) => {
  const { resource: first } = await container.items.create(department('0001', 'Sales'));
  const item = container.item('0001', 'Sales');
  const { resource: second } = await item.replace(department('0001', 'Sales', { n: 1 }));
  await refused(item.delete(ifMatch(first._etag)), 412);
  assert.equal((await item.delete(ifMatch(second._etag))).statusCode, 204);
}));

scenario('item.etag_read', inContainer('/department', async (container) => {
  const { resource: first } = await container.items.create(department('0001', 'Sales'));
  const item = container.item('0001', 'Sales');
  const unchanged = await item.read(ifNoneMatch(first._etag));
  assert.equal(unchanged.statusCode, 304);
  assert.equal(unchanged.resource ?? null, null);
  await item.replace(department('0001', 'Sales', { n: 1 }));
  assert.equal((await item.read(ifNoneMatch(first._etag))).statusCode, 200);
}));

// The SDK's create and upsert dereference the response body; replace does not.
scenario('item.no_content', inContainer('/department', async (container) => {
  const { resource: first } = await container.items.create(department('0001', 'Sales', { n: 1 }));
  const item = container.item('0001', 'Sales');
  const replaced = await item.replace(department('0001', 'Sales', { n: 2 }), minimal);
  assert.equal(replaced.statusCode, 200);
  assert.equal(replaced.resource ?? null, null);
  assert.ok(replaced.headers.etag && replaced.headers.etag !== first._etag);
  const { resource: read } = await item.read();
  assert.equal(read.n, 2);
  assert.equal(read._etag, replaced.headers.etag);
}));

scenario('item.person', inContainer('/id', async (container) => {
  await container.items.create(structuredClone(person));
  const { resource } = await container.item('1', '1').read();
  assert.deepEqual(userPart(resource), person);
  const moved = { ...person, addresses: [...person.addresses, { line1: '2 New Road', city: 'Oslo' }] };
  await container.item('1', '1').replace(structuredClone(moved));
  assert.deepEqual(userPart((await container.item('1', '1').read()).resource), moved);
}));
