'use strict';

const { assert, randomId, refused, scenario } = require('../node/support.js');
const { client, inDatabase } = require('./client.js');

// Sends the offer back with another content, as the SDK's samples do.
async function replaceContent(offer, change, options) {
  const { resource } = await client.offer(offer.id).read();
  return client.offer(offer.id).replace({ ...resource, content: { ...resource.content, ...change } }, options);
}

const settingsOf = ({ resource }) => resource.content.offerAutopilotSettings;

scenario('offer.manual', inDatabase(async (database) => {
  const { container } = await database.containers.create({ id: 'c', partitionKey: '/pk', throughput: 600 });
  const { resource: offer } = await container.readOffer();
  const replaced = await replaceContent(offer, { offerThroughput: 50000 });
  assert.equal(replaced.statusCode, 200);
  assert.equal(replaced.resource.content.offerThroughput, 50000);
  assert.notEqual(replaced.resource._etag, offer._etag);
  assert.equal(replaced.headers['x-ms-cosmos-min-throughput'], '500');
  assert.equal(replaced.headers['x-ms-offer-replace-pending'], 'false');
  assert.equal((await container.readOffer()).resource.content.offerThroughput, 50000);
  for (const [offerThroughput, words] of [[400, 'Highest RUs provisioned 50000'], [550, 'increments of 100']]) {
    const error = await refused(replaceContent(offer, { offerThroughput }), 400);
    assert.match(error.message, new RegExp(words));
  }
  const accessCondition = { type: 'IfMatch', condition: offer._etag };
  await refused(replaceContent(offer, { offerThroughput: 700 }, { accessCondition }), 412);
  await refused(client.offer(offer.id).replace({ ...offer, _rid: 'NotAllowed' }), 400);
}));

scenario('offer.autoscale', inDatabase(async (database) => {
  const autoUpgradePolicy = { throughputPolicy: { incrementPercent: 10 } };
  const { container } = await database.containers.create({
    id: 'c', partitionKey: '/pk', maxThroughput: 4000, autoUpgradePolicy,
  });
  const { resource: offer } = await container.readOffer();
  const settings = offer.content.offerAutopilotSettings;
  assert.equal(settings.maxThroughput, 4000);
  assert.deepEqual(settings.autoUpgradePolicy, autoUpgradePolicy);
  const larger = await replaceContent(offer, { offerAutopilotSettings: { ...settings, maxThroughput: 8000 } });
  assert.equal(settingsOf(larger).maxThroughput, 8000);
  assert.deepEqual(settingsOf(larger).autoUpgradePolicy, autoUpgradePolicy);
  assert.equal(settingsOf(await container.readOffer()).maxThroughput, 8000);
  await refused(replaceContent(offer, { offerAutopilotSettings: { maxThroughput: 4500 } }), 400);
  await refused(replaceContent(offer, { offerAutopilotSettings: undefined, offerThroughput: 400 }), 400);
}));

scenario('offer.migrate', inDatabase(async (database) => {
  const { container } = await database.containers.create({ id: 'c', partitionKey: '/pk', throughput: 1500 });
  const { resource: offer } = await container.readOffer();
  const migrate = (header) => replaceContent(offer, {}, { initialHeaders: { [`x-ms-cosmos-migrate-offer-to-${header}`]: 'true' } });
  assert.equal(settingsOf(await migrate('autopilot')).maxThroughput, 2000);
  await replaceContent(offer, { offerAutopilotSettings: { maxThroughput: 6000 } });
  const manual = await migrate('manual-throughput');
  assert.equal(settingsOf(manual), undefined);
  assert.equal(manual.resource.content.offerThroughput, 6000);
}));

scenario('offer.shared', async () => {
  const { database } = await client.databases.create({ id: randomId('js'), throughput: 500 });
  try {
    const { container: sharing } = await database.containers.create({ id: 'sharing', partitionKey: '/pk' });
    const { container: own } = await database.containers.create({ id: 'own', partitionKey: '/pk', throughput: 400 });
    const { resource: offer } = await database.readOffer();
    assert.equal(offer.content.offerThroughput, 500);
    assert.equal((await sharing.readOffer()).resource, undefined);
    assert.equal((await own.readOffer()).resource.content.offerThroughput, 400);
    await replaceContent(offer, { offerThroughput: 900 });
    assert.equal((await database.readOffer()).resource.content.offerThroughput, 900);
    assert.equal((await own.readOffer()).resource.content.offerThroughput, 400);
  } finally {
    await database.delete();
  }
});
