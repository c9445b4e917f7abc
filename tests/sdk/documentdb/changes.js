// The change feed as this SDK knows it: a feed of documents with `a_im`, which goes on at an etag.
'use strict';

const { assert, scenario } = require('../node/support.js');
const { call, callOn, client, inCollection, keyedBy, newClient, toArray, under } = require('./client.js');

const KEYS = 6;

// Reads until there is nothing new; returns the ids and the last etag. `etag`: where to begin, "*" for now.
async function changes(link, { etag, headers, from = client, ...options } = {}) {
  const ids = [];
  for (;;) {
    const iterator = from.readDocuments(link, {
      a_im: 'Incremental feed',
      maxItemCount: 4,
      ...(etag ? { accessCondition: { type: 'IfNoneMatch', condition: etag } } : {}),
      ...(headers ? { initialHeaders: headers } : {}),
      ...options,
    });
    const page = await callOn(iterator, 'executeNext');
    assert.ok(Number(page.headers['x-ms-request-charge']) >= 1, 'charge');
    assert.ok(page.headers.etag, 'etag');
    etag = page.headers.etag;
    if (!page.body || page.body.length === 0) return { ids, etag };
    for (const item of page.body) {
      assert.ok(item._lsn > 0, '_lsn');
      ids.push(item.id);
    }
  }
}

// Of all ranges of the collection, as a client of this SDK has to read them.
async function ofRanges(link, start = () => ({})) {
  const out = { ids: [], etags: {} };
  for (const { id } of await toArray(client.readPartitionKeyRanges(link))) {
    const { headers, ...more } = start(id);
    const read = await changes(link, { ...more, headers: { ...headers, 'x-ms-documentdb-partitionkeyrangeid': id } });
    out.ids.push(...read.ids);
    out.etags[id] = read.etag;
  }
  return out;
}

async function fill(link, from, count) {
  const ids = [];
  for (let n = from; n < from + count; n += 1) {
    ids.push(`${n}`);
    await call('createDocument', link, { id: `${n}`, pk: `key ${n % KEYS}` });
  }
  return ids;
}

const sorted = (ids) => [...ids].sort();
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

scenario('changes.start', inCollection(keyedBy('/pk'), async (link) => {
  const first = await fill(link, 0, 20);
  const beginning = await ofRanges(link);
  assert.deepEqual(sorted(beginning.ids), sorted(first));
  const now = await ofRanges(link, () => ({ etag: '*' }));
  assert.deepEqual(now.ids, []);
  await sleep(2100);
  const time = new Date().toUTCString();
  const since = await fill(link, 20, 10);
  await call('replaceDocument', `${link}/docs/3`, { id: '3', pk: 'key 3', again: true }, under('key 3'));
  await call('deleteDocument', `${link}/docs/4`, under('key 4'));
  since.push('3');
  const later = await ofRanges(link, () => ({ headers: { 'If-Modified-Since': time } }));
  assert.deepEqual(sorted(later.ids), sorted(since));
  for (const { etags } of [beginning, now]) {
    const again = await ofRanges(link, (id) => ({ etag: etags[id], from: newClient() }));
    assert.deepEqual(sorted(again.ids), sorted(since));
  }
}));

scenario('changes.scopes', inCollection(keyedBy('/pk'), async (link) => {
  const all = await fill(link, 0, 30);
  const ofKey = await changes(link, under('key 2'));
  assert.deepEqual(ofKey.ids, all.filter((id) => Number(id) % KEYS === 2), 'in the order of the changes');
  await call('upsertDocument', link, { id: '8', pk: 'key 2' });
  assert.deepEqual((await changes(link, { ...under('key 2'), etag: ofKey.etag })).ids, ['8']);
  assert.deepEqual(sorted((await ofRanges(link)).ids), sorted(all));
}));
