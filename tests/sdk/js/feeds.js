'use strict';

const { assert, scenario } = require('../node/support.js');
const { inContainer, inDatabase, itemFeed, newClient } = require('./client.js');

scenario('feed.containers', inDatabase(async (database) => {
  for (let n = 0; n < 5; n += 1) await database.containers.create({ id: `c${n}`, partitionKey: '/pk' });
  const pages = await pagesOf(database.containers.readAll({ maxItemCount: 2 }));
  assert.ok(pages.length >= 3 && pages.every((page) => page.length <= 2), `pages of ${pages.map((page) => page.length)}`);
  assert.deepEqual(pages.flat().sort(), ['c0', 'c1', 'c2', 'c3', 'c4']);
}));

scenario('feed.paging', inContainer('/pk', async (container) => {
  const ids = await fill(container);
  for (const maxItemCount of [1, 3, -1]) {
    const pages = await pagesOf(itemFeed(container, { maxItemCount }));
    assert.deepEqual(pages.flat().sort(), ids, `page size ${maxItemCount}`);
    if (maxItemCount > 0) {
      assert.ok(pages.every((page) => page.length <= maxItemCount), `page size ${maxItemCount}`);
      assert.ok(pages.length >= Math.ceil(25 / maxItemCount));
    }
  }
}));

scenario('feed.resume', inContainer('/pk', async (container, database) => {
  const ids = await fill(container);
  const first = itemFeed(container, { maxItemCount: 3 });
  const seen = [];
  let token;
  for (let page = 0; page < 2; page += 1) {
    const { resources, continuationToken } = await first.fetchNext();
    seen.push(...resources.map((item) => item.id));
    token = continuationToken;
  }
  assert.ok(token && token.length <= 1024, 'continuation token');
  const again = newClient().database(database.id).container(container.id);
  const rest = await pagesOf(itemFeed(again, { maxItemCount: 4, continuationToken: token }));
  assert.deepEqual([...seen, ...rest.flat()].sort(), ids);
}));

async function fill(container) {
  const ids = Array.from({ length: 25 }, (_, n) => `item-${String(n).padStart(2, '0')}`);
  await Promise.all(ids.map((id, n) => container.items.create({ id, pk: `key-${n % 12}` })));
  return ids;
}

async function pagesOf(iterator) {
  const pages = [];
  while (iterator.hasMoreResults()) {
    const { resources } = await iterator.fetchNext();
    if (resources) pages.push(resources.map((each) => each.id));
  }
  return pages;
}
