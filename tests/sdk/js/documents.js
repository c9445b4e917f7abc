// The content of items: JSON fidelity, sizes, ids.
'use strict';

const { assert, difficult, numbersText, partitionKeyHeader, raw, refused, scenario, unusualIds, userPart,
} = require('../node/support.js');
const { inContainer } = require('./client.js');

const docs = (container) => `dbs/${container.database.id}/colls/${container.id}/docs`;

scenario('json.fidelity', inContainer('/id', async (container) => {
  const item = { ...structuredClone(difficult), id: 'difficult' };
  const created = await container.items.create(structuredClone(item));
  const read = await container.item('difficult', 'difficult').read();
  for (const { resource } of [created, read]) assert.equal(JSON.stringify(userPart(resource)), JSON.stringify(item));
}));

scenario('json.numbers', inContainer('/id', async (container) => {
  const body = `{"id":"numbers","list":${numbersText}}`;
  const created = await raw('POST', docs(container), { body, headers: partitionKeyHeader('numbers') });
  assert.equal(created.status, 201, created.text);
  const read = await raw('GET', `${docs(container)}/numbers`, { headers: partitionKeyHeader('numbers') });
  assert.equal(read.status, 200, read.text);
  for (const { text } of [created, read]) assert.ok(text.includes(`"list":${numbersText}`), text);
}));

scenario('json.duplicates', inContainer('/pk', async (container) => {
  const body = '{"id":"no","pk":5,"n":1,"o":{"a":1,"b":2,"a":3},"n":2,"id":"one","pk":"p"}';
  const created = await raw('POST', docs(container), { body, headers: partitionKeyHeader('p') });
  assert.equal(created.status, 201, created.text);
  assert.ok(created.text.startsWith('{"id":"one","pk":"p","n":2,"o":{"a":3,"b":2},"_rid":'), created.text);
  const { resource } = await container.item('one', 'p').read();
  assert.equal(JSON.stringify(userPart(resource)), '{"id":"one","pk":"p","n":2,"o":{"a":3,"b":2}}');
}));

scenario('json.large', inContainer('/id', async (container) => {
  const payload = 'x'.repeat(1_900_000);
  await container.items.create({ id: 'large', payload });
  assert.equal((await container.item('large', 'large').read()).resource.payload, payload);
}));

scenario('json.too_large', inContainer('/id', async (container) => {
  const payload = 'x'.repeat(2_200_000);
  await refused(container.items.create({ id: 'large', payload }), 413);
  await container.items.create({ id: 'small' });
  await refused(container.item('small', 'small').replace({ id: 'small', payload }), 413);
  assert.equal((await container.item('small', 'small').read()).resource.payload, undefined);
}));

scenario('id.unusual', inContainer('/pk', async (container) => {
  for (const id of unusualIds) {
    await container.items.create({ id, pk: 'p' });
    assert.equal((await container.item(id, 'p').read()).resource?.id, id);
  }
  // The SDK does not escape "?" in the path.
  await container.items.create({ id: 'a?b', pk: 'p' });
  assert.equal((await container.item('a?b', 'p').read()).resource?.id, 'a?b');
  assert.equal((await container.item('a?b', 'p').replace({ id: 'a?b', pk: 'p', n: 1 })).resource.n, 1);
  // It refuses "#", so that is read past it.
  const created = await raw('POST', docs(container), { body: '{"id":"a#b","pk":"p"}', headers: partitionKeyHeader('p') });
  assert.equal(created.status, 201, created.text);
  for (const id of ['a?b', 'a#b']) {
    const read = await raw('GET', `${docs(container)}/${id}`, { headers: partitionKeyHeader('p') });
    assert.equal(read.status, 200, `${id}: ${read.text}`);
    assert.equal(JSON.parse(read.text).id, id);
  }
}));

scenario('id.refused', inContainer('/pk', async (container) => {
  const noGeneration = { disableAutomaticIdGeneration: true };
  await refused(container.items.create({ pk: 'p' }, noGeneration), 400);
  await refused(container.items.create({ id: '', pk: 'p' }, noGeneration), 400);
  const tooLong = await refused(container.items.create({ id: 'x'.repeat(1024), pk: 'p' }), 400);
  assert.match(tooLong.message, /Ensure to provide a unique non-empty string less than '1024' characters\./);
  for (const body of ['{"id":"a\\\\b","pk":"p"}', '{"id":5,"pk":"p"}', '{"id":null,"pk":"p"}']) {
    const answer = await raw('POST', docs(container), { body, headers: partitionKeyHeader('p') });
    assert.equal(answer.status, 400, `${body}: ${answer.text}`);
    assert.equal(typeof JSON.parse(answer.text).message, 'string');
  }
}));
