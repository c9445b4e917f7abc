// Runs the cases of tests/scripts through @azure/cosmos.
'use strict';

const { TriggerOperation, TriggerType } = require('@azure/cosmos');
const { registerCases } = require('../node/script_cases.js');
const { inDatabase, itemFeed } = require('./client.js');

registerCases(inDatabase, async (database, id, path) => {
  const { container } = await database.containers.create({ id, partitionKey: path });
  const { items, scripts } = container;
  const feeds = { StoredProcedure: scripts.storedProcedures, UserDefinedFunction: scripts.userDefinedFunctions };

  return {
    store: (kind, name, body, operation) => (feeds[kind]
      ? feeds[kind].create({ id: name, body })
      : scripts.triggers.create({
        id: name, body, triggerType: TriggerType[kind], triggerOperation: TriggerOperation[operation],
      })),

    async execute({ script, key, parameters, logging }) {
      const options = logging ? { enableScriptLogging: true } : {};
      const { resource, headers } = await scripts.storedProcedure(script).execute(key, parameters, options);
      return { body: resource, log: headers['x-ms-documentdb-script-log-results'] };
    },

    async write({ do: verb, item, pre, post }, key) {
      const options = { ...(pre && { preTriggerInclude: [pre] }), ...(post && { postTriggerInclude: [post] }) };
      const one = container.item(item.id, key);
      const calls = {
        create: () => items.create(item, options),
        upsert: () => items.upsert(item, options),
        replace: () => one.replace(item, options),
        delete: () => one.delete(options),
      };
      return (await calls[verb]()).resource;
    },

    query: async ({ query, key }) => (await items.query(query, key === undefined ? {} : { partitionKey: key }).fetchAll()).resources,

    all: async () => (await itemFeed(container).fetchAll()).resources,
  };
});
