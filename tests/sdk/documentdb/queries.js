// This SDK supports only the query plan that comes with 400/1004.
'use strict';

const { assert, refused, scenario } = require('../node/support.js');
const { idsByN, queried, sum } = require('../node/queries.js');
const { call, callOn, client, inCollection, keyedBy, newClient, toArray } = require('./client.js');

function inQueried(body) {
  return inCollection(keyedBy('/pk'), async (link) => {
    await Promise.all(queried.map((item) => call('createDocument', link, item)));
    await body(link);
  });
}

const all = (link, query, options) => toArray(
  client.queryDocuments(link, query, { enableCrossPartitionQuery: true, ...options }));

async function pagesOf(iterator) {
  const pages = [];
  let headers;
  while (iterator.hasMoreResults()) {
    const page = await callOn(iterator, 'executeNext');
    if (page.body) pages.push(page.body);
    headers = page.headers ?? headers;
  }
  return { pages, headers };
}

scenario('query.filter', inQueried(async (link) => {
  const found = await all(link, {
    query: 'SELECT VALUE c.id FROM c WHERE c.n >= @low AND c.n < @high',
    parameters: [{ name: '@low', value: 10 }, { name: '@high', value: 25 }],
  });
  assert.deepEqual(found.sort(), idsByN.slice(10, 25).sort());
  const joined = await all(link, 'SELECT c.id, t FROM c JOIN t IN c.tags WHERE t = "tag-3"');
  assert.deepEqual(joined.map(({ id }) => id).sort(),
    queried.filter((item) => item.tags[1] === 'tag-3').map(({ id }) => id));
}));

scenario('query.paging', inQueried(async (link) => {
  for (const maxItemCount of [1, 7, -1]) {
    const { pages } = await pagesOf(client.queryDocuments(link, 'SELECT * FROM c',
      { enableCrossPartitionQuery: true, maxItemCount }));
    assert.deepEqual(pages.flat().map(({ id }) => id).sort(), queried.map(({ id }) => id), `page size ${maxItemCount}`);
    if (maxItemCount > 0) assert.ok(pages.every((page) => page.length <= maxItemCount), `page size ${maxItemCount}`);
  }
}));

scenario('query.one_key', inQueried(async (link) => {
  const wanted = queried.filter((item) => item.pk === 'key-3').map(({ id }) => id);
  const byOption = await toArray(client.queryDocuments(link, 'SELECT VALUE c.id FROM c', { partitionKey: 'key-3' }));
  assert.deepEqual(byOption.sort(), wanted);
  // Without the cross-partition switch a query may address only one partition.
  const query = 'SELECT VALUE c.id FROM c WHERE c.pk = "key-3"';
  assert.deepEqual((await toArray(client.queryDocuments(link, query))).sort(), wanted);
  await refused(toArray(client.queryDocuments(link, 'SELECT VALUE c.id FROM c')), 400);
}));

scenario('query.order_by', inQueried(async (link) => {
  assert.deepEqual(await all(link, 'SELECT VALUE c.id FROM c ORDER BY c.n'), idsByN);
  assert.deepEqual(await all(link, 'SELECT VALUE c.id FROM c ORDER BY c.n DESC'), [...idsByN].reverse());
  assert.deepEqual(await all(link, 'SELECT VALUE c.mod FROM c ORDER BY c.mod'), queried.map(({ mod }) => mod).sort());
}));

scenario('query.parallel', inQueried(async (link) => {
  // Ties between partitions come in any order, because this SDK compares them incorrectly.
  for (const query of ['SELECT VALUE c.id FROM c ORDER BY c.n', 'SELECT VALUE c.mod FROM c ORDER BY c.mod DESC',
    'SELECT VALUE c.id FROM c WHERE c.n > 20']) {
    const serial = await all(link, query, { maxDegreeOfParallelism: 0 });
    for (const [maxDegreeOfParallelism, maxItemCount] of [[1, 1], [10, 3], [-1, 7]]) {
      const options = { maxDegreeOfParallelism, maxItemCount };
      assert.deepEqual(await all(link, query, options), serial, `${query} ${JSON.stringify(options)}`);
    }
  }
}));

scenario('query.top', inQueried(async (link) => {
  const top = 'SELECT TOP 5 VALUE c.id FROM c ORDER BY c.n';
  assert.deepEqual(await all(link, top, { maxItemCount: 2 }), idsByN.slice(0, 5));
  assert.equal((await all(link, 'SELECT TOP 13 VALUE c.id FROM c', { maxItemCount: 4 })).length, 13);
}));

scenario('query.aggregates', inQueried(async (link) => {
  assert.deepEqual(await all(link, 'SELECT VALUE COUNT(1) FROM c'), [60]);
  assert.deepEqual(await all(link, 'SELECT VALUE SUM(c.n) FROM c', { maxItemCount: 1 }), [sum]);
  assert.deepEqual(await all(link, 'SELECT VALUE AVG(c.n) FROM c'), [29.5]);
  assert.deepEqual(await all(link, 'SELECT VALUE MAX(c.n) FROM c'), [59]);
  assert.deepEqual(await all(link, 'SELECT VALUE MIN(c.n) FROM c'), [0]);
}));

scenario('query.resume', inQueried(async (link) => {
  const seen = [];
  let token;
  do {
    const options = { enableCrossPartitionQuery: true, maxItemCount: 4, continuation: token };
    const page = await callOn(newClient().queryDocuments(link, 'SELECT VALUE c.id FROM c', options), 'executeNext');
    seen.push(...(page.body ?? []));
    token = page.headers['x-ms-continuation'];
    assert.ok(seen.length <= 60, 'no end');
  } while (token);
  assert.deepEqual(seen.sort(), queried.map(({ id }) => id));
}));

scenario('query.metrics', inQueried(async (link) => {
  const { pages, headers } = await pagesOf(client.queryDocuments(link, 'SELECT * FROM c WHERE c.mod = 1',
    { partitionKey: 'key-1', populateQueryMetrics: true }));
  assert.equal(pages.flat().length, 1);
  assert.match(JSON.stringify(headers['x-ms-documentdb-query-metrics']), /outputDocumentCount/i);
}));

scenario('query.refused', inQueried(async (link) => {
  for (const [query, code] of [['SELECT * FROM c WHERE', 'SC1002'], ['SELEC * FROM c', 'SC1001'],
    ['SELECT VALUE NOPE(c.n) FROM c', 'SC2005'], ['SELECT * FROM c ORDER BY LOWER(c.name)', '2206']]) {
    const error = await refused(all(link, query), 400);
    assert.ok(String(error.body).includes(code), `${query}: ${error.body}`);
  }
}));

// As before partitioned collections existed: no switch, no key.
scenario('query.without_key', inCollection({}, async (link) => {
  for (const { id, n } of queried) await call('createDocument', link, { id, n });
  const ordered = client.queryDocuments(link, 'SELECT VALUE c.id FROM c ORDER BY c.n', { maxItemCount: 7 });
  assert.deepEqual(await toArray(ordered), idsByN);
  assert.deepEqual(await toArray(client.queryDocuments(link, 'SELECT VALUE COUNT(1) FROM c')), [60]);
  assert.equal((await toArray(client.queryDocuments(link, 'SELECT * FROM c WHERE c.n < 10'))).length, 10);
}));
