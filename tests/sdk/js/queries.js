'use strict';

const { assert, churn, partitions, refused, scenario } = require('../node/support.js');
const { byN, idsByN, queried, sum } = require('../node/queries.js');
const { inContainer, newClient } = require('./client.js');

function inQueried(body) {
  return inContainer('/pk', async (container, database) => {
    await Promise.all(queried.map((item) => container.items.create(item)));
    await body(container, database);
  });
}

const all = async (container, query, options) => (await container.items.query(query, options).fetchAll()).resources;

// The same container through a client that records the headers of its requests.
function watched(container, database) {
  const sent = [];
  const client = newClient({
    plugins: [{
      on: 'request',
      plugin: async (context, _, next) => {
        if (context.operationType === 'query' && context.path.endsWith('/docs')) sent.push(context.headers);
        return next(context);
      },
    }],
  });
  return { own: client.database(database.id).container(container.id), sent };
}

async function pagesOf(iterator) {
  const pages = [];
  while (iterator.hasMoreResults()) {
    const { resources } = await iterator.fetchNext();
    if (resources) pages.push(resources);
  }
  return pages;
}

scenario('query.filter', inQueried(async (container) => {
  const found = await all(container, {
    query: 'SELECT VALUE c.id FROM c WHERE c.n >= @low AND c.n < @high',
    parameters: [{ name: '@low', value: 10 }, { name: '@high', value: 25 }],
  });
  assert.deepEqual(found.sort(), idsByN.slice(10, 25).sort());
  const joined = await all(container, 'SELECT c.id, t FROM c JOIN t IN c.tags WHERE t = "tag-3"');
  assert.deepEqual(joined.map(({ id }) => id).sort(),
    queried.filter((item) => item.tags[1] === 'tag-3').map(({ id }) => id));
  assert.equal((await container.items.readAll().fetchAll()).resources.length, 60);
}));

scenario('query.paging', inQueried(async (container) => {
  for (const maxItemCount of [1, 7, -1]) {
    const pages = await pagesOf(container.items.query('SELECT * FROM c', { maxItemCount }));
    assert.deepEqual(pages.flat().map(({ id }) => id).sort(), queried.map(({ id }) => id), `page size ${maxItemCount}`);
    if (maxItemCount > 0) assert.ok(pages.every((page) => page.length <= maxItemCount), `page size ${maxItemCount}`);
  }
}));

scenario('query.one_key', inQueried(async (container, database) => {
  const wanted = queried.filter((item) => item.pk === 'key-3').map(({ id }) => id);
  const { own, sent } = watched(container, database);
  const byOption = await all(own, 'SELECT VALUE c.id FROM c', { partitionKey: 'key-3' });
  assert.deepEqual(byOption.sort(), wanted);
  assert.ok(sent.length > 0 && sent.every((headers) => headers['x-ms-documentdb-partitionkey'] === '["key-3"]'));
  const ordered = await all(own, 'SELECT VALUE c.n FROM c ORDER BY c.n DESC', { partitionKey: 'key-3' });
  assert.deepEqual(ordered, byN.filter((item) => item.pk === 'key-3').map(({ n }) => n).reverse());
  // The key in the filter: the plan has one range, and the metrics of the answer come from it.
  for (const query of ['SELECT VALUE c.id FROM c WHERE c.pk = "key-3"',
    'SELECT VALUE c.id FROM c WHERE c.pk = "key-3" ORDER BY c.id']) {
    sent.length = 0;
    assert.deepEqual((await all(own, query)).sort(), wanted);
    const ranges = new Set(sent.map((headers) => headers['x-ms-documentdb-partitionkeyrangeid']).filter(Boolean));
    assert.ok(churn || ranges.size <= 1, `${query} went to ranges ${[...ranges]}`);
  }
  sent.length = 0;
  await all(own, 'SELECT VALUE c.id FROM c ORDER BY c.id');
  const ranges = new Set(sent.map((headers) => headers['x-ms-documentdb-partitionkeyrangeid']).filter(Boolean));
  if (partitions) assert.equal(ranges.size, partitions);
}));

scenario('query.order_by', inQueried(async (container) => {
  assert.deepEqual(await all(container, 'SELECT VALUE c.id FROM c ORDER BY c.n'), idsByN);
  assert.deepEqual(await all(container, 'SELECT VALUE c.id FROM c ORDER BY c.n DESC'), [...idsByN].reverse());
  const names = await all(container, 'SELECT c.name FROM c WHERE c.mod < 3 ORDER BY c.name');
  assert.deepEqual(names.map(({ name }) => name), queried.filter(({ mod }) => mod < 3).map(({ name }) => name).sort());
  const whole = await all(container, 'SELECT * FROM c WHERE c.n < 3 ORDER BY c.n');
  assert.deepEqual(whole.map(({ id }) => id), idsByN.slice(0, 3));
  const mods = await all(container, 'SELECT VALUE c.mod FROM c ORDER BY c.mod');
  assert.deepEqual(mods, queried.map(({ mod }) => mod).sort());
}));

scenario('query.parallel', inQueried(async (container) => {
  // Without ORDER BY the SDK takes pages from the partitions in turn, so the page size is visible.
  const inOrder = (query, rows) => (query.includes('ORDER BY') ? rows : rows.sort());
  for (const query of ['SELECT VALUE c.id FROM c ORDER BY c.n', 'SELECT VALUE c.id FROM c ORDER BY c.mod DESC',
    'SELECT VALUE c.id FROM c WHERE c.n > 20', 'SELECT DISTINCT VALUE c.mod FROM c']) {
    const serial = inOrder(query, await all(container, query, { maxDegreeOfParallelism: 0, maxItemCount: 1000 }));
    for (const options of [
      { maxDegreeOfParallelism: 1, maxItemCount: 1 }, { maxDegreeOfParallelism: 10, maxItemCount: 3 },
      { maxDegreeOfParallelism: -1, maxItemCount: 7, bufferItems: true },
      { maxDegreeOfParallelism: -1, forceQueryPlan: true },
    ]) {
      const found = inOrder(query, await all(container, query, options));
      assert.deepEqual(found, serial, `${query} ${JSON.stringify(options)}`);
    }
  }
}));

scenario('query.top', inQueried(async (container) => {
  const top = 'SELECT TOP 5 VALUE c.id FROM c ORDER BY c.n';
  assert.deepEqual(await all(container, top, { maxItemCount: 2 }), idsByN.slice(0, 5));
  assert.equal((await all(container, 'SELECT TOP 13 VALUE c.id FROM c', { maxItemCount: 4 })).length, 13);
  assert.deepEqual(await all(container, 'SELECT TOP 0 VALUE c.id FROM c ORDER BY c.n'), []);
  const query = { query: 'SELECT TOP @n VALUE c.n FROM c ORDER BY c.n DESC', parameters: [{ name: '@n', value: 2 }] };
  assert.deepEqual(await all(container, query), [59, 58]);
}));

scenario('query.offset_limit', inQueried(async (container) => {
  for (const maxItemCount of [1, 5, 1000]) {
    const query = 'SELECT VALUE c.id FROM c ORDER BY c.n OFFSET 10 LIMIT 20';
    assert.deepEqual(await all(container, query, { maxItemCount }), idsByN.slice(10, 30));
  }
  assert.equal((await all(container, 'SELECT VALUE c.id FROM c OFFSET 50 LIMIT 100')).length, 10);
}));

scenario('query.distinct', inQueried(async (container) => {
  assert.deepEqual((await all(container, 'SELECT DISTINCT VALUE c.mod FROM c')).sort(), [1, 2, 3, 4, 5]);
  assert.deepEqual(await all(container, 'SELECT DISTINCT VALUE c.mod FROM c ORDER BY c.mod DESC'), [5, 4, 3, 2, 1]);
  assert.equal((await all(container, 'SELECT DISTINCT c.mod, c.pk FROM c', { maxItemCount: 7 })).length, 60);
}));

scenario('query.aggregates', inQueried(async (container) => {
  for (const maxItemCount of [1, 1000]) {
    const one = async (query) => all(container, query, { maxItemCount });
    assert.deepEqual(await one('SELECT VALUE COUNT(1) FROM c'), [60]);
    assert.deepEqual(await one('SELECT VALUE COUNT(c.grade) FROM c'), [40]);
    assert.deepEqual(await one('SELECT VALUE SUM(c.n) FROM c'), [sum]);
    assert.deepEqual(await one('SELECT VALUE AVG(c.n) FROM c'), [29.5]);
    assert.deepEqual(await one('SELECT VALUE MIN(c.n) FROM c WHERE c.mod = 3'),
      [Math.min(...queried.filter(({ mod }) => mod === 3).map(({ n }) => n))]);
    assert.deepEqual(await one('SELECT VALUE MAX(c.name) FROM c'), ['name-59']);
    assert.deepEqual(await one('SELECT VALUE COUNT(1) FROM c WHERE c.n > 1000'), [0]);
    assert.deepEqual(await one('SELECT COUNT(1) AS n, SUM(c.n) AS s, MAX(c.n) AS m FROM c'), [{ n: 60, s: sum, m: 59 }]);
  }
}));

scenario('query.group_by', inQueried(async (container) => {
  for (const maxItemCount of [1, 1000]) {
    const groups = await all(container,
      'SELECT c.mod, COUNT(1) AS n, SUM(c.n) AS s, AVG(c.n) AS a FROM c GROUP BY c.mod', { maxItemCount });
    const wanted = [1, 2, 3, 4, 5].map((mod) => {
      const of = queried.filter((item) => item.mod === mod).map(({ n }) => n);
      const s = of.reduce((x, y) => x + y);
      return { mod, n: of.length, s, a: s / of.length };
    });
    assert.deepEqual(groups.sort((a, b) => a.mod - b.mod), wanted);
    const grades = await all(container, 'SELECT c.grade, COUNT(1) AS n FROM c GROUP BY c.grade', { maxItemCount });
    assert.equal(grades.length, 41);
  }
}));

scenario('query.resume', inQueried(async (container, database) => {
  const again = newClient().database(database.id).container(container.id);
  for (const [query, wanted] of [
    ['SELECT VALUE c.id FROM c', queried.map(({ id }) => id)],
    ['SELECT VALUE c.id FROM c ORDER BY c.n', idsByN],
    ['SELECT VALUE c.id FROM c ORDER BY c.n DESC', [...idsByN].reverse()],
  ]) {
    const options = { maxItemCount: 4, enableQueryControl: true, forceQueryPlan: true };
    const seen = [];
    let token;
    for (let from = container; ; from = again) {
      const page = await from.items.query(query, { ...options, continuationToken: token }).fetchNext();
      seen.push(...(page.resources ?? []));
      token = page.continuationToken;
      if (!token) break;
      assert.ok(seen.length <= 60, 'no end');
    }
    assert.deepEqual(query.includes('ORDER') ? seen : seen.sort(), wanted, query);
  }
}));

scenario('query.gateway_token', inQueried(async (container, database) => {
  const again = newClient().database(database.id).container(container.id);
  const seen = [];
  let token;
  for (let from = container; ; from = again) {
    const page = await from.items.query('SELECT VALUE c.id FROM c', { maxItemCount: 7, continuationToken: token }).fetchNext();
    seen.push(...page.resources);
    token = page.continuationToken;
    if (!token) break;
    const { token: inside, range } = JSON.parse(token);
    assert.ok(typeof inside === 'string' && inside && range.min < range.max, token);
    assert.ok(token.length <= 1024);
  }
  assert.deepEqual(seen.sort(), queried.map(({ id }) => id));
}));

scenario('query.full_pages', inQueried(async (container) => {
  const wanted = byN.filter((item) => item.pk === 'key-3').map(({ id }) => id);
  assert.equal(wanted.length, 5);
  for (const [query, options] of [
    ['SELECT VALUE c.id FROM c', { partitionKey: 'key-3' }],
    ['SELECT VALUE c.id FROM c ORDER BY c.n', { partitionKey: 'key-3' }],
    ['SELECT VALUE c.id FROM c WHERE c.pk = "key-3"', {}],
    ['SELECT VALUE c.id FROM c WHERE c.pk = "key-3" ORDER BY c.n', {}],
    ['SELECT VALUE c.id FROM c WHERE c.pk = "key-3" ORDER BY c.n', { forceQueryPlan: true }],
  ]) {
    for (const maxItemCount of [1, 5]) {
      const iterator = () => container.items.query(query, { ...options, maxItemCount });
      const ordered = (rows) => (query.includes('ORDER BY') ? rows : [...rows].sort());
      const { resources } = await iterator().fetchAll();
      assert.deepEqual(ordered(resources), ordered(wanted), `${query} ${maxItemCount}`);
      const pages = await pagesOf(iterator());
      assert.ok(pages.every((page) => page.length <= maxItemCount), query);
      assert.deepEqual(ordered(pages.flat()), ordered(wanted), `${query} ${maxItemCount}`);
      const iterated = [];
      for await (const page of iterator().getAsyncIterator()) iterated.push(...page.resources);
      assert.deepEqual(ordered(iterated), ordered(wanted), `${query} ${maxItemCount}`);
    }
  }
}));

scenario('query.lists', inContainer('/pk', async (container) => {
  for (const [id, n] of [['c', 3], ['a', 1], ['d', 2], ['b', 1]]) await container.items.create({ id, pk: 'one', n });
  for (const options of [{}, { partitionKey: 'one' }, { forceQueryPlan: true }]) {
    assert.deepEqual(await all(container, 'SELECT VALUE MAKELIST(c.n) FROM c', options), [[3, 1, 2, 1]]);
    assert.deepEqual(await all(container, 'SELECT VALUE MAKELIST(c.id) FROM c WHERE c.id > "0"', options), [['c', 'a', 'd', 'b']]);
    assert.deepEqual(await all(container, 'SELECT VALUE MAKESET(c.n) FROM c', options), [[3, 1, 2]]);
  }
}));

scenario('query.count', inQueried(async (container) => {
  const { resources, queryMetrics } = await container.items.query('SELECT VALUE COUNT(1) FROM c',
    { partitionKey: 'key-1', populateQueryMetrics: true }).fetchAll();
  assert.deepEqual(resources, [5]);
  const [metrics] = Object.values(queryMetrics);
  assert.equal(metrics.retrievedDocumentCount, 0);
  assert.equal(metrics.retrievedDocumentSize, 0);
  assert.equal(metrics.outputDocumentCount, 1);
}));

scenario('query.index_metrics', inQueried(async (container) => {
  const { indexMetrics } = await container.items.query('SELECT * FROM c',
    { partitionKey: 'key-1', populateIndexMetrics: true }).fetchAll();
  assert.ok(indexMetrics.includes('"SingleIndexes":[{"IndexSpec":"/pk/?"}]'), indexMetrics);
}));

scenario('query.metrics', inQueried(async (container) => {
  for (const [query, options, rows, ranges] of [['SELECT * FROM c', { partitionKey: 'key-1' }, 5, 1],
    ['SELECT * FROM c WHERE c.pk = "key-1" ORDER BY c.n', {}, 5, 1], ['SELECT * FROM c ORDER BY c.n', {}, 60, partitions]]) {
    const { resources, queryMetrics, requestCharge } = await container.items.query(query,
      { populateQueryMetrics: true, ...options }).fetchAll();
    const byRange = Object.values(queryMetrics);
    assert.equal(resources.length, rows);
    assert.equal(byRange.reduce((total, { outputDocumentCount }) => total + outputDocumentCount, 0), rows, query);
    if (ranges) assert.equal(byRange.length, ranges, query);
    assert.ok(requestCharge > 0);
  }
}));

scenario('query.refused', inQueried(async (container) => {
  for (const [query, code] of [['SELECT * FROM c WHERE', 'SC1002'], ['SELEC * FROM c', 'SC1001'],
    ['SELECT VALUE x FROM c', 'SC2001'], ['SELECT VALUE NOPE(c.n) FROM c', 'SC2005'],
    ['SELECT * FROM c ORDER BY LOWER(c.name)', '2206'], ['SELECT * FROM c GROUP BY c.mod', 'SC2041'],
    ['SELECT c.n, COUNT(1) FROM c', 'SC2102']]) {
    const error = await refused(container.items.query(query).fetchAll(), 400);
    assert.ok(JSON.stringify(error.body ?? error.message).includes(code), `${query}: ${JSON.stringify(error.body)}`);
  }
}));
