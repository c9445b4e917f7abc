// The device telemetry program of the partitioning article, with @azure/cosmos.
'use strict';

const assert = require('node:assert/strict');
const crypto = require('node:crypto');
const { CosmosClient } = require('@azure/cosmos');

async function main() {
  const client = new CosmosClient({ endpoint: process.env.ORRERY_ENDPOINT, key: process.env.ORRERY_KEY });
  const { database } = await client.databases.create({ id: `db-${crypto.randomBytes(6).toString('hex')}` });
  try {
    await telemetry(database);
  } finally {
    await database.delete();
  }
}

async function telemetry(database) {
  const { container } = await database.containers.create({ id: 'coll', partitionKey: '/deviceId', throughput: 20000 });

  await container.items.create({
    id: 'XMS-001-FE24C',
    deviceId: 'XMS-0001',
    metricType: 'Temperature',
    metricValue: 105.0,
    unit: 'Fahrenheit',
    readingTime: new Date().toISOString(),
  });

  const { resource: reading } = await container.item('XMS-001-FE24C', 'XMS-0001').read();
  assert.equal(reading.metricValue, 105);

  reading.metricValue = 104;
  reading.readingTime = new Date().toISOString();
  await container.item(reading.id, reading.deviceId).replace(reading);
  const { resource: updated } = await container.item('XMS-001-FE24C', 'XMS-0001').read();
  assert.equal(updated.metricValue, 104);
  assert.equal(updated.readingTime, reading.readingTime);

  await container.item('XMS-001-FE24C', 'XMS-0001').delete();
  assert.equal((await container.item('XMS-001-FE24C', 'XMS-0001').read()).statusCode, 404);
}

if (new RegExp(process.env.ORRERY_SCENARIO || '').test('telemetry')) {
  main().then(
    () => { console.log('pass telemetry'); process.exit(0); },
    (error) => { console.log(`fail telemetry: ${error.message}`); process.exit(1); });
}
