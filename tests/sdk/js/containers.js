'use strict';

const { assert, assertTiles, eventually, randomId, refused, scenario } = require('../node/support.js');
const { names, resourceQueries } = require('../node/resource_queries.js');
const { inContainer, inDatabase } = require('./client.js');
const { askOn, byId } = require('./databases.js');

scenario('container.lifecycle', inDatabase(async (database) => {
  const created = await database.containers.create({ id: 'one', partitionKey: '/pk' });
  assert.equal(created.statusCode, 201);
  const read = await database.container('one').read();
  assert.equal(read.statusCode, 200);
  assert.deepEqual(read.resource, created.resource);
  for (const { headers } of [created, read]) {
    assert.equal(headers['x-ms-alt-content-path'], `dbs/${database.id}`);
    assert.equal(Buffer.from(headers['x-ms-content-path'].replace('-', '/'), 'base64').length, 4);
    assert.match(headers['x-ms-session-token'], /^\d+:\d+#\d+$/);
  }
  for (const name of ['_rid', '_self', '_etag', '_docs', '_sprocs', '_triggers', '_udfs', '_conflicts']) {
    assert.equal(typeof read.resource[name], 'string', name);
  }
  const { resources } = await database.containers.readAll().fetchAll();
  assert.deepEqual(resources.map((each) => each.id), ['one']);
  assert.equal((await database.container('one').delete()).statusCode, 204);
  await refused(database.container('one').read(), 404);
}));

scenario('container.conflict', inContainer('/pk', async (container, database) => {
  await refused(database.containers.create({ id: container.id, partitionKey: '/pk' }), 409);
}));

scenario('container.create_if_not_exists', inDatabase(async (database) => {
  const first = await database.containers.createIfNotExists({ id: 'one', partitionKey: '/pk' });
  assert.equal(first.statusCode, 201);
  const second = await database.containers.createIfNotExists({ id: 'one', partitionKey: '/pk' });
  assert.equal(second.statusCode, 200);
  assert.equal(second.resource._rid, first.resource._rid);
}));

scenario('container.query_by_id', inContainer('/pk', async (container, database) => {
  await database.containers.create({ id: 'other', partitionKey: '/pk' });
  const found = await database.containers.query(byId(container.id)).fetchAll();
  assert.deepEqual(found.resources.map((each) => each.id), [container.id]);
  assert.deepEqual((await database.containers.query(byId(randomId('none'))).fetchAll()).resources, []);
}));

scenario('container.query', inDatabase(async (database) => {
  for (const id of names('c-')) await database.containers.create({ id, partitionKey: '/pk' });
  await resourceQueries('c-', askOn(database.containers));
}));

scenario('container.defaults', inDatabase(async (database) => {
  const { resource } = await database.containers.create({ id: 'plain', partitionKey: '/pk' });
  assert.deepEqual(resource.partitionKey.paths, ['/pk']);
  assert.equal(resource.partitionKey.kind, 'Hash');
  assert.equal(resource.indexingPolicy.indexingMode, 'consistent');
  assert.equal(resource.indexingPolicy.automatic, true);
  assert.deepEqual(resource.indexingPolicy.includedPaths.map((each) => each.path), ['/*']);
  assert.deepEqual(resource.indexingPolicy.excludedPaths.map((each) => each.path), ['/"_etag"/?']);
  assert.equal(resource.conflictResolutionPolicy.mode, 'LastWriterWins');
  assert.equal(resource.conflictResolutionPolicy.conflictResolutionPath, '/_ts');
  assert.equal(resource.defaultTtl, undefined);
}));

scenario('container.policies', inDatabase(async (database) => {
  const definition = {
    id: 'policies',
    partitionKey: { paths: ['/tenant'], kind: 'Hash', version: 2 },
    defaultTtl: 3600,
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ['/email'] }, { paths: ['/name/first', '/name/last'] }] },
    indexingPolicy: {
      indexingMode: 'consistent',
      automatic: true,
      includedPaths: [{ path: '/*' }],
      excludedPaths: [{ path: '/payload/*' }, { path: '/"_etag"/?' }],
      compositeIndexes: [[{ path: '/name', order: 'ascending' }, { path: '/age', order: 'descending' }]],
    },
  };
  const created = (await database.containers.create(structuredClone(definition))).resource;
  const read = (await database.container('policies').read()).resource;
  for (const resource of [created, read]) {
    assert.deepEqual(resource.partitionKey, definition.partitionKey);
    assert.equal(resource.defaultTtl, 3600);
    assert.deepEqual(resource.uniqueKeyPolicy.uniqueKeys.map((each) => each.paths), [['/email'], ['/name/first', '/name/last']]);
    assert.equal(resource.indexingPolicy.indexingMode, 'consistent');
    assert.deepEqual(resource.indexingPolicy.includedPaths.map((each) => each.path), ['/*']);
    assert.deepEqual(resource.indexingPolicy.excludedPaths.map((each) => each.path), ['/payload/*', '/"_etag"/?']);
    assert.deepEqual(resource.indexingPolicy.compositeIndexes, definition.indexingPolicy.compositeIndexes);
  }
}));

scenario('container.index_paths', inDatabase(async (database) => {
  const { container, resource } = await database.containers.create({
    id: 'items', partitionKey: '/pk',
    indexingPolicy: {
      indexingMode: 'Lazy', automatic: false,
      includedPaths: [{ path: '/', indexes: [{ kind: 'Hash', dataType: 'Number', precision: 2 }] }],
      excludedPaths: [{ path: '/"systemMetadata"/*' }],
    },
  });
  for (const policy of [resource.indexingPolicy, (await container.read()).resource.indexingPolicy]) {
    assert.deepEqual(policy, {
      indexingMode: 'consistent', automatic: true,
      includedPaths: [{ path: '/' }], excludedPaths: [{ path: '/"systemMetadata"/*' }, { path: '/"_etag"/?' }],
    });
  }
  for (const n of [2, 3, 1]) await container.items.create({ id: `${n}`, pk: 'a', n, systemMetadata: n });
  const ordered = (path) => container.items.query(`SELECT VALUE c.n FROM c ORDER BY c.${path}`, { partitionKey: 'a' });
  assert.deepEqual((await ordered('n').fetchAll()).resources, [1, 2, 3]);
  await refused(ordered('systemMetadata').fetchAll(), 400);
}));

scenario('container.quota', inContainer('/pk', async (container) => {
  for (let n = 0; n < 20; n++) await container.items.create({ id: `${n}`, pk: `${n}` });
  const readAll = () => container.read({
    populateQuotaInfo: true, initialHeaders: { 'x-ms-documentdb-populatepartitionstatistics': 'true' },
  });
  const { headers, resource } = await readAll();
  assert.match(headers['x-ms-resource-quota'], /;collectionSize=10485760/);
  assert.match(headers['x-ms-resource-usage'], /;documentsCount=20;/);
  assert.equal(resource.statistics.reduce((sum, each) => sum + each.documentCount, 0), 20);
  const ids = (list) => list.map((each) => each.id).join();
  // Not always at once: partitions may be split between the two requests.
  await eventually('statistics of each range', async () => (
    ids((await readAll()).resource.statistics) === ids((await container.readPartitionKeyRanges().fetchAll()).resources)));
  assert.equal((await container.read()).resource.statistics, undefined);
}));

scenario('container.key_refused', inDatabase(async (database) => {
  const paths = ['/a', '/b', '/c', '/d'];
  const many = await refused(database.containers.create({ id: 'many', partitionKey: { paths, kind: 'MultiHash', version: 2 } }), 400);
  assert.match(many.message, /Too many partition key paths \(4\) specified\. A maximum of 3 is allowed\./);
  const space = await refused(database.containers.create({ id: 'space', partitionKey: { paths: ['/id ds'], kind: 'Hash', version: 2 } }), 400);
  assert.match(space.message, /path '\/id ds' could not be accepted, failed near position '4'\. Partition key paths must contain only valid/);
}));

scenario('container.replace', inContainer('/pk', async (container) => {
  const { resource: before } = await container.read();
  const indexingPolicy = {
    indexingMode: 'consistent', automatic: true,
    includedPaths: [{ path: '/*' }], excludedPaths: [{ path: '/big/*' }, { path: '/"_etag"/?' }],
  };
  const replaced = await container.replace({ id: container.id, partitionKey: before.partitionKey, defaultTtl: 60, indexingPolicy });
  assert.equal(replaced.statusCode, 200);
  const { resource: after } = await container.read();
  assert.equal(after.defaultTtl, 60);
  assert.deepEqual(after.indexingPolicy.excludedPaths.map((each) => each.path), ['/big/*', '/"_etag"/?']);
  assert.equal(after._rid, before._rid);
  assert.notEqual(after._etag, before._etag);
}));

scenario('container.partition_key_fixed', inContainer('/pk', async (container) => {
  await refused(container.replace({ id: container.id, partitionKey: { paths: ['/other'], kind: 'Hash' } }), 400);
  assert.deepEqual((await container.read()).resource.partitionKey.paths, ['/pk']);
}));

scenario('container.throughput', inDatabase(async (database) => {
  for (const throughput of [400, 20000]) {
    const { container } = await database.containers.create({ id: `ru${throughput}`, partitionKey: '/pk', throughput });
    const { resource: offer } = await container.readOffer();
    assert.equal(offer.content.offerThroughput, throughput);
    assert.equal(offer.resource, (await container.read()).resource._self);
  }
}));

scenario('container.partitions', inContainer('/pk', async (container) => {
  const { resources } = await container.readPartitionKeyRanges().fetchAll();
  for (const ranges of [resources, await container.getFeedRanges()]) {
    assertTiles(ranges.map((range) => ({ min: range.minInclusive, max: range.maxExclusive })));
  }
}));
