// Clients and fresh databases for the @azure/cosmos suite.
'use strict';

if (process.env.ORRERY_CHURN) require('./gone_ranges.js');

const { CosmosClient } = require('@azure/cosmos');
const { endpoint, key, randomId } = require('../node/support.js');

function newClient(options = {}) {
  return new CosmosClient({ endpoint, key, ...options });
}

const client = newClient();

// Runs `body` in a separate database and always deletes it.
function inDatabase(body) {
  return async () => {
    const { database } = await client.databases.create({ id: randomId('js') });
    try {
      await body(database);
    } finally {
      await database.delete();
    }
  };
}

function inContainer(partitionKey, body) {
  return inDatabase(async (database) => {
    const { container } = await database.containers.create({ id: 'items', partitionKey });
    await body(container, database);
  });
}

// Reads the item feed: items.readAll() would send "SELECT * from c"; without a query the SDK sends a GET.
function itemFeed(container, options = {}) {
  return container.items.query(undefined, options);
}

async function allIds(container) {
  const { resources } = await itemFeed(container).fetchAll();
  return resources.map((item) => item.id).sort();
}

module.exports = { allIds, client, inContainer, inDatabase, itemFeed, newClient };
