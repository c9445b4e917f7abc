'use strict';

const {
  ChangeFeedMode, ChangeFeedPolicy, ChangeFeedRetentionTimeSpan, ChangeFeedStartFrom, PartitionKeyBuilder,
} = require('@azure/cosmos');
const { assert, refused, scenario } = require('../node/support.js');
const { inContainer, inDatabase, newClient } = require('./client.js');

const KEYS = 6;

// Reads until there is nothing new; returns the ids and the last continuation.
async function changes(container, changeFeedStartFrom, options = {}) {
  const iterator = container.items.getChangeFeedIterator({ maxItemCount: 4, changeFeedStartFrom, ...options });
  const ids = [];
  for (;;) {
    const page = await iterator.readNext();
    if (page.statusCode === 304) return { ids, token: page.continuationToken };
    assert.equal(page.statusCode, 200);
    assert.ok(page.headers['x-ms-request-charge'] >= 1);
    assert.equal(page.count, page.result.length);
    for (const item of page.result) {
      assert.ok(item._lsn > 0, '_lsn');
      ids.push(item.id);
    }
  }
}

async function fill(container, from, count) {
  const ids = [];
  for (let n = from; n < from + count; n += 1) {
    ids.push(`${n}`);
    await container.items.create({ id: `${n}`, pk: `key ${n % KEYS}` });
  }
  return ids;
}

const sorted = (ids) => [...ids].sort();
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

scenario('changes.start', inContainer('/pk', async (container, database) => {
  const first = await fill(container, 0, 20);
  const beginning = await changes(container, ChangeFeedStartFrom.Beginning());
  assert.deepEqual(sorted(beginning.ids), sorted(first));
  const now = await changes(container, ChangeFeedStartFrom.Now());
  assert.deepEqual(now.ids, []);
  await sleep(2100);
  const time = new Date();
  const second = await fill(container, 20, 10);
  await container.item('3', 'key 3').replace({ id: '3', pk: 'key 3', again: true });
  await container.item('4', 'key 4').delete();
  const since = sorted([...second, '3']);
  assert.deepEqual(sorted((await changes(container, ChangeFeedStartFrom.Time(time))).ids), since);
  // The continuation is good for another client.
  const again = newClient().database(database.id).container(container.id);
  for (const { token } of [beginning, now]) {
    assert.deepEqual(sorted((await changes(again, ChangeFeedStartFrom.Continuation(token))).ids), since);
  }
  const all = sorted([...first, ...second].filter((id) => id !== '4'));
  assert.deepEqual(sorted((await changes(container, ChangeFeedStartFrom.Beginning())).ids), all);
}));

scenario('changes.scopes', inContainer('/pk', async (container) => {
  const all = await fill(container, 0, 30);
  const byKey = await changes(container, ChangeFeedStartFrom.Beginning('key 2'));
  assert.deepEqual(byKey.ids, all.filter((id) => Number(id) % KEYS === 2), 'in the order of the changes');
  const ranges = await container.getFeedRanges();
  const byRange = [];
  for (const range of ranges) {
    byRange.push(...(await changes(container, ChangeFeedStartFrom.Beginning(range))).ids);
  }
  assert.deepEqual(sorted(byRange), sorted(all));
}));

scenario('changes.transactions', inContainer('/pk', async (container) => {
  const now = await changes(container, ChangeFeedStartFrom.Now('a'));
  const ids = ['9', '1', '5', '3', '7', '2'];
  await container.items.batch(ids.map((id) => ({ operationType: 'Create', resourceBody: { id, pk: 'a' } })), 'a');
  const iterator = container.items.getChangeFeedIterator({
    maxItemCount: 2, changeFeedStartFrom: ChangeFeedStartFrom.Continuation(now.token) });
  const page = await iterator.readNext();
  assert.deepEqual(page.result.map((item) => item.id), ids, 'on one page, in order');
  assert.equal(new Set(page.result.map((item) => item._lsn)).size, 1);
}));

scenario('changes.hierarchical', inDatabase(async (database) => {
  const { container } = await database.containers.create({
    id: 'h', partitionKey: { paths: ['/tenant', '/user'], kind: 'MultiHash', version: 2 } });
  for (let n = 0; n < 12; n += 1) {
    await container.items.create({ id: `${n}`, tenant: `t${n % 3}`, user: `u${n % 4}` });
  }
  const full = new PartitionKeyBuilder().addValue('t1').addValue('u1').build();
  assert.deepEqual((await changes(container, ChangeFeedStartFrom.Beginning(full))).ids, ['1']);
  const prefix = new PartitionKeyBuilder().addValue('t1').build();
  assert.deepEqual(sorted((await changes(container, ChangeFeedStartFrom.Beginning(prefix))).ids), ['1', '10', '4', '7']);
}));

scenario('changes.versions', inDatabase(async (database) => {
  const changeFeedPolicy = new ChangeFeedPolicy(ChangeFeedRetentionTimeSpan.fromMinutes(5));
  const { resource, container } = await database.containers.create({ id: 'v', partitionKey: '/pk', changeFeedPolicy });
  assert.equal(resource.changeFeedPolicy.retentionDuration, 5);
  const open = (where) => container.items.getChangeFeedIterator({
    changeFeedMode: ChangeFeedMode.AllVersionsAndDeletes, changeFeedStartFrom: where });
  await container.items.create({ id: '0', pk: 'a' });
  const iterator = open(ChangeFeedStartFrom.Now());
  let page = await iterator.readNext();
  while (page.statusCode !== 304) page = await iterator.readNext();
  await container.items.create({ id: '1', pk: 'a' });
  await container.item('1', 'a').replace({ id: '1', pk: 'a', n: 1 });
  await container.item('1', 'a').delete();
  const changed = [];
  for (page = await iterator.readNext(); page.statusCode !== 304; page = await iterator.readNext()) {
    changed.push(...page.result);
  }
  assert.deepEqual(changed.map((change) => change.metadata.operationType), ['create', 'replace', 'delete']);
  assert.deepEqual(changed.map((change) => change.current && change.current.n), [undefined, 1, undefined]);
  assert.equal(changed[2].metadata.previousImageLSN, changed[1].metadata.lsn);
  assert.equal(changed[2].previous.n, 1);
  assert.equal(changed[2].metadata.id, '1');
  await refused(open(ChangeFeedStartFrom.Beginning()).readNext(), 400);
}));

// The iterator of older versions, which is for one key.
scenario('changes.iterator', inContainer('/pk', async (container) => {
  const all = await fill(container, 0, 18);
  const read = async (options) => {
    const iterator = container.items.changeFeed('key 1', { maxItemCount: 2, ...options });
    const ids = [];
    let last;
    while (iterator.hasMoreResults) {
      last = await iterator.fetchNext();
      if (last.statusCode === 304 || last.result.length === 0) break;
      ids.push(...last.result.map((item) => item.id));
    }
    return { ids, token: last.headers.etag };
  };
  const { ids, token } = await read({ startFromBeginning: true });
  assert.deepEqual(ids, all.filter((id) => Number(id) % KEYS === 1));
  await container.items.upsert({ id: '7', pk: 'key 1' });
  assert.deepEqual((await read({ continuation: token })).ids, ['7']);
}));
