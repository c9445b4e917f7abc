'use strict';

const { assert, scenario } = require('../node/support.js');
const { call, callOn, client, inCollection, inDatabase, keyedBy, newClient } = require('./client.js');

scenario('feed.containers', inDatabase(async (database) => {
  for (let n = 0; n < 5; n += 1) await call('createCollection', database, { id: `c${n}`, ...keyedBy('/pk') });
  const { pages } = await pagesOf(client.readCollections(database, { maxItemCount: 2 }));
  assert.ok(pages.length >= 3 && pages.every((page) => page.length <= 2), `pages of ${pages.map((page) => page.length)}`);
  assert.deepEqual(pages.flat().sort(), ['c0', 'c1', 'c2', 'c3', 'c4']);
}));

scenario('feed.paging', inCollection(keyedBy('/pk'), async (link) => {
  const ids = await fill(link);
  for (const maxItemCount of [1, 3, -1]) {
    const { pages } = await pagesOf(client.readDocuments(link, { maxItemCount }));
    assert.deepEqual(pages.flat().sort(), ids, `page size ${maxItemCount}`);
    if (maxItemCount > 0) assert.ok(pages.every((page) => page.length <= maxItemCount), `page size ${maxItemCount}`);
  }
}));

scenario('feed.resume', inCollection(keyedBy('/pk'), async (link) => {
  const ids = await fill(link);
  const { pages: start, token } = await pagesOf(client.readDocuments(link, { maxItemCount: 3 }), 2);
  assert.ok(token, 'continuation token');
  const { pages: rest } = await pagesOf(newClient().readDocuments(link, { maxItemCount: 4, continuation: token }));
  assert.deepEqual([...start, ...rest].flat().sort(), ids);
}));

async function fill(link) {
  const ids = Array.from({ length: 25 }, (_, n) => `item-${String(n).padStart(2, '0')}`);
  await Promise.all(ids.map((id, n) => call('createDocument', link, { id, pk: `key-${n % 12}` })));
  return ids;
}

async function pagesOf(iterator, most = Infinity) {
  const pages = [];
  let token;
  while (iterator.hasMoreResults() && pages.length < most) {
    const { body, headers } = await callOn(iterator, 'executeNext');
    if (body) pages.push(body.map((each) => each.id));
    token = headers['x-ms-continuation'];
  }
  return { pages, token };
}
