'use strict';

const { assert, refused, scenario } = require('../node/support.js');
const { inContainer, inDatabase } = require('./client.js');

const paths = [
  ['/department', (value) => ({ department: value })],
  ['/properties/name', (value) => ({ properties: { name: value } })],
  ['/id', () => ({})],
  ['/"department name"', (value) => ({ 'department name': value })],
  [`/'level" 1*()'/'le/vel2'`, (value) => ({ 'level" 1*()': { 'le/vel2': value } })],
];

scenario('key.paths', inDatabase(async (database) => {
  for (const [index, [path, body]] of paths.entries()) {
    for (const version of [1, 2]) {
      const { container, resource } = await database.containers.create(
        { id: `c${index}v${version}`, partitionKey: { paths: [path], kind: 'Hash', version } });
      assert.deepEqual(resource.partitionKey, { paths: [path], kind: 'Hash', version });
      const value = path === '/id' ? 'one' : 'Human Resources';
      await container.items.create({ id: 'one', ...body(value), n: 1 });
      const item = container.item('one', value);
      assert.equal((await item.read()).resource.n, 1, path);
      await item.replace({ id: 'one', ...body(value), n: 2 });
      assert.equal((await item.read()).resource.n, 2, path);
      assert.equal((await container.item('one', 'Other').read()).statusCode, 404, path);
      assert.equal((await item.delete()).statusCode, 204, path);
    }
  }
}));

scenario('key.values', inContainer('/pk', async (container) => {
  const values = ['text', '', 'é中文😀', '5', 5, 5.25, -17, 0, 1e300, true, false, null];
  for (const [n, pk] of values.entries()) await container.items.create({ id: 'same', pk, n });
  for (const [n, pk] of values.entries()) {
    const { statusCode, resource } = await container.item('same', pk).read();
    assert.equal(statusCode, 200, JSON.stringify(pk));
    assert.equal(resource.n, n);
    assert.strictEqual(resource.pk, pk);
  }
}));

scenario('key.undefined', inContainer('/pk', async (container) => {
  assert.equal((await container.items.create({ id: 'loose', n: 1 })).statusCode, 201);
  assert.equal((await container.item('loose', undefined).read()).resource.n, 1);
  assert.equal((await container.item('loose', null).read()).statusCode, 404);
  await refused(container.items.create({ id: 'loose' }), 409);
  assert.equal((await container.item('loose', undefined).delete()).statusCode, 204);
}));

scenario('key.mismatch', inContainer('/pk', async (container) => {
  await container.items.create({ id: 'one', pk: 'a', n: 1 });
  await refused(container.item('one', 'a').replace({ id: 'one', pk: 'b', n: 2 }), 400, 1001);
  assert.equal((await container.item('one', 'a').read()).resource.n, 1);
}));

function hierarchical(levels) {
  return inDatabase(async (database) => {
    const names = ['tenant', 'user', 'session'].slice(0, levels);
    const { container, resource } = await database.containers.create({
      id: 'levels', partitionKey: { paths: names.map((name) => `/${name}`), kind: 'MultiHash', version: 2 },
    });
    assert.equal(resource.partitionKey.kind, 'MultiHash');
    const key = ['Contoso', 'alice', 7].slice(0, levels);
    const other = ['Contoso', 'bob', 7].slice(0, levels);
    const body = (values) => Object.fromEntries(names.map((name, index) => [name, values[index]]));
    await container.items.create({ id: 'one', ...body(key), n: 1 });
    await container.items.create({ id: 'one', ...body(other), n: 2 });
    await refused(container.items.create({ id: 'one', ...body(key) }), 409);
    assert.equal((await container.item('one', key).read()).resource.n, 1);
    assert.equal((await container.item('one', other).read()).resource.n, 2);
    assert.equal((await container.item('one', ['Contoso', 'carol', 7].slice(0, levels)).read()).statusCode, 404);
    const partial = await refused(container.item('one', key.slice(0, -1)).read(), 400, 1001);
    assert.match(partial.message, /Partition key provided either doesn't correspond to definition/);
    assert.equal((await container.item('one', key).delete()).statusCode, 204);
    assert.equal((await container.item('one', other).read()).resource.n, 2);
  });
}

scenario('key.hierarchical_two', hierarchical(2));
scenario('key.hierarchical_three', hierarchical(3));
