// Runs the cases of tests/scripts through documentdb.
'use strict';

const { DocumentBase } = require('documentdb');
const { registerCases } = require('../node/script_cases.js');
const { call, client, inDatabase, keyedBy, toArray, under } = require('./client.js');

const { TriggerOperation, TriggerType } = DocumentBase;

registerCases(inDatabase, async (database, id, path) => {
  await call('createCollection', database, { id, ...keyedBy(path) });
  const link = `${database}/colls/${id}`;

  return {
    store: (kind, name, body, operation) => (operation
      ? call('createTrigger', link, {
        id: name, body, triggerType: TriggerType[kind], triggerOperation: TriggerOperation[operation],
      })
      : call(`create${kind}`, link, { id: name, body })),

    async execute({ script, key, parameters, logging }) {
      const options = { ...under(key), ...(logging && { enableScriptLogging: true }) };
      const { body, headers } = await call('executeStoredProcedure', `${link}/sprocs/${script}`, parameters, options);
      return { body, log: headers['x-ms-documentdb-script-log-results'] };
    },

    async write({ do: verb, item, pre, post }, key) {
      const options = { ...under(key), ...(pre && { preTriggerInclude: pre }), ...(post && { postTriggerInclude: post }) };
      const one = `${link}/docs/${item.id}`;
      const calls = {
        create: () => call('createDocument', link, item, options),
        upsert: () => call('upsertDocument', link, item, options),
        replace: () => call('replaceDocument', one, item, options),
        delete: () => call('deleteDocument', one, options),
      };
      return (await calls[verb]()).body;
    },

    query: ({ query, key }) => toArray(client.queryDocuments(
      link, query, key === undefined ? { enableCrossPartitionQuery: true } : under(key))),

    all: () => toArray(client.readDocuments(link)),
  };
});
