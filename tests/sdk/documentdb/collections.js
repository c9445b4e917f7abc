'use strict';

const { assert, assertTiles, randomId, refused, scenario } = require('../node/support.js');
const { names, resourceQueries } = require('../node/resource_queries.js');
const { allIds, call, client, inCollection, inDatabase, keyedBy, toArray } = require('./client.js');
const { byId } = require('./databases.js');

const rangesOf = async (link) => (await toArray(client.readPartitionKeyRanges(link)))
  .map((range) => ({ min: range.minInclusive, max: range.maxExclusive }));

scenario('container.lifecycle', inDatabase(async (database) => {
  const created = (await call('createCollection', database, { id: 'one', ...keyedBy('/pk') })).body;
  assert.equal(created.id, 'one');
  assert.deepEqual((await call('readCollection', `${database}/colls/one`)).body, created);
  assert.deepEqual((await toArray(client.readCollections(database))).map((each) => each.id), ['one']);
  await call('deleteCollection', `${database}/colls/one`);
  await refused(call('readCollection', `${database}/colls/one`), 404);
}));

scenario('container.conflict', inCollection(keyedBy('/pk'), async (_, database) => {
  await refused(call('createCollection', database, { id: 'items', ...keyedBy('/pk') }), 409);
}));

async function collectionIfNotExists(database, id) {
  const found = await toArray(client.queryCollections(database, byId(id)));
  return found.length ? { created: false, body: found[0] }
    : { created: true, ...await call('createCollection', database, { id, ...keyedBy('/pk') }) };
}

scenario('container.create_if_not_exists', inDatabase(async (database) => {
  const first = await collectionIfNotExists(database, 'one');
  const second = await collectionIfNotExists(database, 'one');
  assert.deepEqual([first.created, second.created], [true, false]);
  assert.equal(second.body._rid, first.body._rid);
}));

scenario('container.query', inDatabase(async (database) => {
  for (const id of names('c-')) await call('createCollection', database, { id, ...keyedBy('/pk') });
  await resourceQueries('c-', (query, maxItemCount) => toArray(
    client.queryCollections(database, query, { maxItemCount })));
}));

scenario('container.query_by_id', inCollection(keyedBy('/pk'), async (_, database) => {
  await call('createCollection', database, { id: 'other', ...keyedBy('/pk') });
  const found = await toArray(client.queryCollections(database, byId('items')));
  assert.deepEqual(found.map((each) => each.id), ['items']);
  assert.deepEqual(await toArray(client.queryCollections(database, byId(randomId('none')))), []);
}));

scenario('container.defaults', inCollection(keyedBy('/pk'), async (link) => {
  const { body } = await call('readCollection', link);
  assert.deepEqual(body.partitionKey.paths, ['/pk']);
  assert.equal(body.partitionKey.kind, 'Hash');
  assert.equal(body.indexingPolicy.indexingMode, 'consistent');
  assert.equal(body.indexingPolicy.automatic, true);
  assert.deepEqual(body.indexingPolicy.includedPaths, [{
    path: '/*',
    indexes: [{ kind: 'Range', dataType: 'Number', precision: -1 }, { kind: 'Hash', dataType: 'String', precision: 3 }],
  }]);
  assert.deepEqual(body.indexingPolicy.excludedPaths, []);
  assert.equal(body.conflictResolutionPolicy.mode, 'LastWriterWins');
  assert.equal(body.conflictResolutionPolicy.conflictResolutionPath, '/_ts');
  assert.equal(body.defaultTtl, undefined);
}));

scenario('container.policies', inDatabase(async (database) => {
  const definition = {
    id: 'policies',
    partitionKey: { paths: ['/tenant'], kind: 'Hash', version: 2 },
    defaultTtl: 3600,
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/email'] }, { paths: ['/name/first', '/name/last'] }] },
    indexingPolicy: {
      indexingMode: 'consistent', automatic: true, includedPaths: [{ path: '/*' }],
      excludedPaths: [{ path: '/payload/*' }, { path: '/"_etag"/?' }],
      compositeIndexes: [[{ path: '/name', order: 'ascending' }, { path: '/age', order: 'descending' }]],
    },
  };
  const created = (await call('createCollection', database, structuredClone(definition))).body;
  const read = (await call('readCollection', `${database}/colls/policies`)).body;
  for (const body of [created, read]) {
    assert.deepEqual(body.partitionKey, definition.partitionKey);
    assert.equal(body.defaultTtl, 3600);
    assert.deepEqual(body.uniqueKeyPolicy.uniqueKeys.map((each) => each.paths), [['/email'], ['/name/first', '/name/last']]);
    assert.deepEqual(body.indexingPolicy.includedPaths.map((each) => each.path), ['/*']);
    assert.deepEqual(body.indexingPolicy.excludedPaths.map((each) => each.path), ['/payload/*', '/"_etag"/?']);
    assert.deepEqual(body.indexingPolicy.compositeIndexes, definition.indexingPolicy.compositeIndexes);
  }
}));

scenario('container.index_paths', inDatabase(async (database) => {
  const number = { kind: 'Hash', dataType: 'Number', precision: 2 };
  const indexingPolicy = {
    indexingMode: 'Lazy', automatic: true,
    includedPaths: [{ path: '/', indexes: [number] }], excludedPaths: [{ path: '/"systemMetadata"/*' }],
  };
  const created = (await call('createCollection', database, { id: 'items', ...keyedBy('/pk'), indexingPolicy })).body;
  const read = await call('readCollection', `${database}/colls/items`, { populateQuotaInfo: true });
  for (const policy of [created.indexingPolicy, read.body.indexingPolicy]) {
    assert.deepEqual(policy, {
      ...indexingPolicy, indexingMode: 'lazy',
      includedPaths: [{ path: '/', indexes: [number, { kind: 'Hash', dataType: 'String', precision: 3 }] }],
    });
  }
  assert.equal(read.headers['x-ms-documentdb-collection-lazy-indexing-progress'], '100');
  const link = `${database}/colls/items`;
  for (const n of [2, 3, 1]) await call('createDocument', link, { id: `${n}`, pk: 'a', n, systemMetadata: n });
  const ordered = (path) => toArray(client.queryDocuments(link, `SELECT VALUE c.n FROM c ORDER BY c.${path}`, { partitionKey: ['a'] }));
  assert.deepEqual(await ordered('n'), [1, 2, 3]);
  await refused(ordered('systemMetadata'), 400);
}));

scenario('container.quota', inCollection(keyedBy('/pk'), async (link) => {
  for (let n = 0; n < 20; n++) await call('createDocument', link, { id: `${n}`, pk: `${n}` });
  const { headers } = await call('readCollection', link, { populateQuotaInfo: true });
  assert.match(headers['x-ms-resource-quota'], /;collectionSize=10485760/);
  assert.match(headers['x-ms-resource-usage'], /;documentsCount=20;/);
}));

scenario('container.replace', inCollection(keyedBy('/pk'), async (link) => {
  const before = (await call('readCollection', link)).body;
  const indexingPolicy = {
    indexingMode: 'consistent', automatic: true,
    includedPaths: [{ path: '/*' }], excludedPaths: [{ path: '/big/*' }, { path: '/"_etag"/?' }],
  };
  await call('replaceCollection', link, { id: 'items', partitionKey: before.partitionKey, defaultTtl: 60, indexingPolicy });
  const after = (await call('readCollection', link)).body;
  assert.equal(after.defaultTtl, 60);
  assert.deepEqual(after.indexingPolicy.excludedPaths.map((each) => each.path), ['/big/*', '/"_etag"/?']);
  assert.equal(after._rid, before._rid);
  assert.notEqual(after._etag, before._etag);
}));

scenario('container.partition_key_fixed', inCollection(keyedBy('/pk'), async (link) => {
  await refused(call('replaceCollection', link, { id: 'items', ...keyedBy('/other') }), 400);
  assert.deepEqual((await call('readCollection', link)).body.partitionKey.paths, ['/pk']);
}));

scenario('container.throughput', inDatabase(async (database) => {
  for (const offerThroughput of [400, 20000]) {
    const { body } = await call('createCollection', database, { id: `ru${offerThroughput}`, ...keyedBy('/pk') }, { offerThroughput });
    const offers = await toArray(client.queryOffers(
      { query: 'SELECT * FROM root r WHERE r.resource=@link', parameters: [{ name: '@link', value: body._self }] }));
    assert.deepEqual(offers.map((offer) => offer.content.offerThroughput), [offerThroughput]);
    assert.equal(offers[0].offerResourceId, body._rid);
    assert.equal((await call('readOffer', offers[0]._self)).body.content.offerThroughput, offerThroughput);
  }
}));

scenario('container.partitions', inCollection(keyedBy('/pk'), async (link) => {
  assertTiles(await rangesOf(link));
}));

scenario('container.without_key', inCollection({}, async (link) => {
  assert.equal((await call('readCollection', link)).body.partitionKey, undefined);
  assertTiles(await rangesOf(link), 1);
  for (const id of ['1', '2', '3']) await call('createDocument', link, { id, n: 1 });
  await refused(call('createDocument', link, { id: '1' }), 409);
  assert.equal((await call('readDocument', `${link}/docs/1`)).body.n, 1);
  await call('replaceDocument', `${link}/docs/1`, { id: '1', n: 2 });
  await call('upsertDocument', link, { id: '2', n: 2 });
  assert.equal((await call('readDocument', `${link}/docs/2`)).body.n, 2);
  assert.equal((await toArray(client.readDocuments(link, { maxItemCount: 1 }))).length, 3);
  await call('deleteDocument', `${link}/docs/1`);
  await refused(call('readDocument', `${link}/docs/1`), 404);
  assert.deepEqual(await allIds(link), ['2', '3']);
}));

scenario('links.self', inDatabase(async (_, database) => {
  assert.equal((await call('readDatabase', database._self)).body.id, database.id);
  const collection = (await call('createCollection', database._self, { id: 'one', ...keyedBy('/pk') })).body;
  assert.equal((await call('readCollection', collection._self)).body.id, 'one');
  assert.deepEqual((await toArray(client.readCollections(database._self))).map((each) => each.id), ['one']);
  assert.deepEqual((await toArray(client.queryCollections(database._self, byId('one')))).map((each) => each.id), ['one']);
  const item = (await call('createDocument', collection._self, { id: 'item', pk: 'p', n: 1 })).body;
  await refused(call('createDocument', collection._self, { id: 'item', pk: 'p' }), 409);
  const key = { partitionKey: ['p'] };
  assert.equal((await call('readDocument', item._self, { ...key })).body.n, 1);
  await call('replaceDocument', item._self, { id: 'item', pk: 'p', n: 2 }, { ...key });
  await call('upsertDocument', collection._self, { id: 'second', pk: 'q' });
  assert.deepEqual(await allIds(collection._self), ['item', 'second']);
  assert.equal((await call('readDocument', `dbs/${database.id}/colls/one/docs/item`, { ...key })).body.n, 2);
  await call('deleteDocument', item._self, { ...key });
  await refused(call('readDocument', item._self, { ...key }), 404);
  await call('deleteCollection', collection._self);
  await refused(call('readCollection', collection._self), 404);
}));
