// CRUD, etags, the content of documents.
'use strict';

const { assert, assertSystemProperties, difficult, numbersText, partitionKeyHeader, person, raw, refused, scenario,
  unusualIds, userPart } = require('../node/support.js');
const { call, inCollection, keyedBy, readBody, under } = require('./client.js');

const department = (id, name, more = {}) => ({ id, department: name, ...more });
const inDepartments = (body) => inCollection(keyedBy('/department'), body);
const conditional = (name, type, etag) => ({ ...under(name), accessCondition: { type, condition: etag } });
const doc = (link, id) => `${link}/docs/${id}`;

scenario('item.create_read', inDepartments(async (link) => {
  const item = department('0001', 'Marketing', { members: ['Ann', 'Bo'] });
  const { body: created } = await call('createDocument', link, item);
  const { body, headers } = await call('readDocument', doc(link, '0001'), under('Marketing'));
  assert.deepEqual(userPart(body), item);
  assertSystemProperties(body);
  assert.deepEqual(body, created);
  assert.equal(headers.etag, body._etag);
}));

scenario('item.replace', inDepartments(async (link) => {
  const { body: first } = await call('createDocument', link, department('0001', 'Marketing', { n: 1 }));
  const { body: second } = await call('replaceDocument', doc(link, '0001'), department('0001', 'Marketing', { n: 2 }));
  assert.equal(second._rid, first._rid);
  assert.notEqual(second._etag, first._etag);
  assert.deepEqual(userPart(await readBody(doc(link, '0001'), 'Marketing')), department('0001', 'Marketing', { n: 2 }));
  await refused(call('replaceDocument', doc(link, 'none'), department('none', 'Marketing')), 404);
}));

// This SDK does not expose the status of a success, so the item's rid distinguishes 201 from 200.
scenario('item.upsert', inDepartments(async (link) => {
  const { body: first } = await call('upsertDocument', link, department('0001', 'Sales', { n: 1 }));
  const { body: second } = await call('upsertDocument', link, department('0001', 'Sales', { n: 2 }));
  assert.equal(second._rid, first._rid);
  assert.notEqual(second._etag, first._etag);
  assert.equal((await readBody(doc(link, '0001'), 'Sales')).n, 2);
}));

scenario('item.delete', inDepartments(async (link) => {
  await call('createDocument', link, department('0001', 'Sales'));
  assert.equal((await call('deleteDocument', doc(link, '0001'), under('Sales'))).body, undefined);
  await refused(readBody(doc(link, '0001'), 'Sales'), 404);
  await refused(call('deleteDocument', doc(link, '0001'), under('Sales')), 404);
}));

scenario('item.missing', inDepartments(async (link, database) => {
  await refused(readBody(doc(link, 'none'), 'Sales'), 404);
  await refused(readBody(`${database}/colls/none/docs/none`, 'Sales'), 404);
}));

scenario('item.conflict', inDepartments(async (link) => {
  await call('createDocument', link, department('0001', 'Sales', { n: 1 }));
  await refused(call('createDocument', link, department('0001', 'Sales', { n: 2 })), 409);
  assert.equal((await readBody(doc(link, '0001'), 'Sales')).n, 1);
}));

scenario('item.same_id_other_key', inDepartments(async (link) => {
  const items = [['0001', 'Marketing'], ['0002', 'Marketing'], ['0001', 'Sales']];
  for (const [id, name] of items) await call('createDocument', link, department(id, name, { both: name + id }));
  for (const [id, name] of items) assert.equal((await readBody(doc(link, id), name)).both, name + id);
  await refused(call('createDocument', link, department('0001', 'Sales')), 409);
}));

scenario('item.etag_replace', inDepartments(async (link) => {
  const { body: first } = await call('createDocument', link, department('0001', 'Sales'));
  const replace = (n) => call('replaceDocument', doc(link, '0001'), department('0001', 'Sales', { n }),
    conditional('Sales', 'IfMatch', first._etag));
  await replace(1);
  await refused(replace(2), 412);
  assert.equal((await readBody(doc(link, '0001'), 'Sales')).n, 1);
}));

scenario('item.etag_delete', inDepartments(async (link) => {
  const { body: first } = await call('createDocument', link, department('0001', 'Sales'));
  const { body: second } = await call('replaceDocument', doc(link, '0001'), department('0001', 'Sales', { n: 1 }));
  await refused(call('deleteDocument', doc(link, '0001'), conditional('Sales', 'IfMatch', first._etag)), 412);
  await call('deleteDocument', doc(link, '0001'), conditional('Sales', 'IfMatch', second._etag));
  await refused(readBody(doc(link, '0001'), 'Sales'), 404);
}));

// This SDK reports 304 as a success without a body.
scenario('item.etag_read', inDepartments(async (link) => {
  const { body: first } = await call('createDocument', link, department('0001', 'Sales'));
  const read = () => call('readDocument', doc(link, '0001'), conditional('Sales', 'IfNoneMatch', first._etag));
  assert.equal((await read()).body, undefined);
  await call('replaceDocument', doc(link, '0001'), department('0001', 'Sales', { n: 1 }));
  assert.equal((await read()).body.n, 1);
}));

scenario('item.no_content', inDepartments(async (link) => {
  const minimal = () => ({ initialHeaders: { Prefer: 'return=minimal' } });
  const created = await call('createDocument', link, department('0001', 'Sales', { n: 1 }), minimal());
  const replaced = await call('replaceDocument', doc(link, '0001'), department('0001', 'Sales', { n: 2 }), minimal());
  const upserted = await call('upsertDocument', link, department('0001', 'Sales', { n: 3 }), minimal());
  for (const { body, headers } of [created, replaced, upserted]) {
    assert.equal(body, undefined);
    assert.ok(headers.etag);
  }
  const read = await readBody(doc(link, '0001'), 'Sales');
  assert.equal(read.n, 3);
  assert.equal(read._etag, upserted.headers.etag);
}));

scenario('item.person', inCollection(keyedBy('/id'), async (link) => {
  await call('createDocument', link, structuredClone(person));
  assert.deepEqual(userPart(await readBody(doc(link, '1'), '1')), person);
  const moved = { ...person, addresses: [...person.addresses, { line1: '2 New Road', city: 'Oslo' }] };
  await call('replaceDocument', doc(link, '1'), structuredClone(moved));
  assert.deepEqual(userPart(await readBody(doc(link, '1'), '1')), moved);
}));

scenario('json.fidelity', inCollection(keyedBy('/id'), async (link) => {
  const item = { ...structuredClone(difficult), id: 'difficult' };
  const { body: created } = await call('createDocument', link, structuredClone(item));
  const read = await readBody(doc(link, 'difficult'), 'difficult');
  for (const body of [created, read]) assert.equal(JSON.stringify(userPart(body)), JSON.stringify(item));
}));

// The SDK parses and prints numbers as doubles, so raw requests send and read the digits.
scenario('json.numbers', inCollection(keyedBy('/id'), async (link) => {
  const body = `{"id":"numbers","list":${numbersText}}`;
  const created = await raw('POST', `${link}/docs`, { body, headers: { ...partitionKeyHeader('numbers'), 'x-ms-version': '2017-11-15' } });
  assert.equal(created.status, 201, created.text);
  const read = await raw('GET', doc(link, 'numbers'), { headers: partitionKeyHeader('numbers') });
  for (const { text } of [created, read]) assert.ok(text.includes(`"list":${numbersText}`), text);
}));

scenario('json.large', inCollection(keyedBy('/id'), async (link) => {
  const payload = 'x'.repeat(1_900_000);
  await call('createDocument', link, { id: 'large', payload });
  assert.equal((await readBody(doc(link, 'large'), 'large')).payload, payload);
}));

scenario('json.too_large', inCollection(keyedBy('/id'), async (link) => {
  const payload = 'x'.repeat(2_200_000);
  await refused(call('createDocument', link, { id: 'large', payload }), 413);
  await call('createDocument', link, { id: 'small' });
  await refused(call('replaceDocument', doc(link, 'small'), { id: 'small', payload }), 413);
  assert.equal((await readBody(doc(link, 'small'), 'small')).payload, undefined);
}));

scenario('id.unusual', inCollection(keyedBy('/pk'), async (link) => {
  for (const id of unusualIds) {
    await call('createDocument', link, { id, pk: 'p' });
    assert.equal((await readBody(doc(link, id), 'p')).id, id);
  }
  for (const id of ['a?b', 'a#b']) { // the SDK itself refuses these
    const created = await raw('POST', `${link}/docs`, { body: JSON.stringify({ id, pk: 'p' }), headers: partitionKeyHeader('p') });
    assert.equal(created.status, 201, `${id}: ${created.text}`);
    const read = await raw('GET', doc(link, id), { headers: partitionKeyHeader('p') });
    assert.equal(read.status, 200, `${id}: ${read.text}`);
  }
}));

scenario('id.refused', inCollection(keyedBy('/pk'), async (link) => {
  const noGeneration = () => ({ disableAutomaticIdGeneration: true });
  await refused(call('createDocument', link, { pk: 'p' }, noGeneration()), 400);
  await refused(call('createDocument', link, { id: '', pk: 'p' }, noGeneration()), 400);
  await refused(call('createDocument', link, { id: 'x'.repeat(1024), pk: 'p' }), 400);
  for (const body of ['{"id":"a\\\\b","pk":"p"}', '{"id":5,"pk":"p"}', '{"id":null,"pk":"p"}']) {
    const answer = await raw('POST', `${link}/docs`, { body, headers: partitionKeyHeader('p') });
    assert.equal(answer.status, 400, `${body}: ${answer.text}`);
  }
}));
