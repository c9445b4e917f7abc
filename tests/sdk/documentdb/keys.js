'use strict';

const { assert, refused, scenario } = require('../node/support.js');
const { call, inCollection, inDatabase, keyedBy, readBody, under } = require('./client.js');

const paths = [
  ['/department', (value) => ({ department: value })],
  ['/properties/name', (value) => ({ properties: { name: value } })],
  ['/id', () => ({})],
  ['/"department name"', (value) => ({ 'department name': value })],
  [`/'level" 1*()'/'le/vel2'`, (value) => ({ 'level" 1*()': { 'le/vel2': value } })],
];

scenario('key.paths', inDatabase(async (database) => {
  for (const [index, [path, body]] of paths.entries()) {
    await call('createCollection', database, { id: `c${index}`, ...keyedBy(path) });
    const link = `${database}/colls/c${index}`;
    const value = path === '/id' ? 'one' : 'Human Resources';
    await call('createDocument', link, { id: 'one', ...body(value), n: 1 });
    assert.equal((await readBody(`${link}/docs/one`, value)).n, 1, path);
    await call('replaceDocument', `${link}/docs/one`, { id: 'one', ...body(value), n: 2 });
    assert.equal((await readBody(`${link}/docs/one`, value)).n, 2, path);
    await refused(readBody(`${link}/docs/one`, 'Other'), 404);
    await call('deleteDocument', `${link}/docs/one`, under(value));
  }
}));

scenario('key.values', inCollection(keyedBy('/pk'), async (link) => {
  const values = ['text', '', 'é中文😀', '5', 5, 5.25, -17, 0, 1e300, true, false, null];
  for (const [n, pk] of values.entries()) await call('createDocument', link, { id: 'same', pk, n });
  for (const [n, pk] of values.entries()) {
    const body = await readBody(`${link}/docs/same`, pk);
    assert.equal(body.n, n, JSON.stringify(pk));
    assert.strictEqual(body.pk, pk);
  }
}));

scenario('key.undefined', inCollection(keyedBy('/pk'), async (link) => {
  await call('createDocument', link, { id: 'loose', n: 1 });
  assert.equal((await readBody(`${link}/docs/loose`, {})).n, 1);
  await refused(readBody(`${link}/docs/loose`, null), 404);
  await refused(call('createDocument', link, { id: 'loose' }), 409);
  await call('deleteDocument', `${link}/docs/loose`, under({}));
}));

scenario('key.mismatch', inCollection(keyedBy('/pk'), async (link) => {
  await call('createDocument', link, { id: 'one', pk: 'a', n: 1 });
  await refused(call('replaceDocument', `${link}/docs/one`, { id: 'one', pk: 'b', n: 2 }, under('a')), 400, 1001);
  assert.equal((await readBody(`${link}/docs/one`, 'a')).n, 1);
}));
