// The device telemetry program of the partitioning article, with @azure/cosmos.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { assert, runAll, scenario } = require('../node/support.js');
const { inDatabase } = require('./client.js');

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

  await setLatestState(container);
  await queries(container);

  await container.item('XMS-001-FE24C', 'XMS-0001').delete();
  assert.equal((await container.item('XMS-001-FE24C', 'XMS-0001').read()).statusCode, 404);
}

// The procedure works on the readings of one device, in one transaction.
async function setLatestState(container) {
  const body = fs.readFileSync(path.join(process.env.ORRERY_SCRIPTS, 'set_latest_state_across_readings.js'), 'utf8');
  await container.scripts.storedProcedures.create({ id: 'SetLatestStateAcrossReadings', body });
  const procedure = container.scripts.storedProcedure('SetLatestStateAcrossReadings');
  const { resource: done } = await procedure.execute('XMS-0001', ['XMS-001-FE24C']);
  assert.equal(done.latest, true);
  const { resource: state } = await container.item('latestState', 'XMS-0001').read();
  assert.deepEqual(state.metrics, done.metrics);
  assert.equal(state.metrics.Temperature.value, 104);
}

// A query for one device reads one partition, a query for all devices all; parallelism does not change the order.
async function queries(container) {
  for (let n = 0; n < 20; n += 1) {
    await container.items.create({
      id: `reading-${n}`, deviceId: `XMS-${n % 7}`, metricType: n % 4 ? 'Temperature' : 'Pressure', metricValue: 95 + n,
    });
  }
  const all = async (query, options) => (await container.items.query(query, options).fetchAll()).resources;
  const one = await all('SELECT * FROM r WHERE r.metricType = "Temperature" AND r.deviceId = "XMS-0001"');
  assert.deepEqual(one.map(({ metricValue }) => metricValue), [104]);
  const hot = 'SELECT VALUE r.metricValue FROM r WHERE r.metricType = "Temperature" AND r.metricValue > 100';
  const wanted = [101, 102, 104, 104, 105, 106, 108, 109, 110, 112, 113, 114];
  assert.deepEqual((await all(hot)).sort((a, b) => a - b), wanted);
  for (const maxDegreeOfParallelism of [0, 10, -1]) {
    const options = { maxDegreeOfParallelism, bufferItems: maxDegreeOfParallelism !== 0, maxItemCount: 3 };
    assert.deepEqual(await all(`${hot} ORDER BY r.metricValue`, options), wanted, `parallelism ${maxDegreeOfParallelism}`);
  }
}

scenario('telemetry', inDatabase(telemetry));

runAll();
