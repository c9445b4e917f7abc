// Promises, clients and fresh databases for the suite of the old Node SDK, documentdb.
'use strict';

const https = require('node:https');
const { DocumentClient, DocumentBase } = require('documentdb');
const { endpoint, key, randomId } = require('../node/support.js');

function newClient({ masterKey = key, permissionFeed, consistencyLevel, url = endpoint } = {}) {
  const client = new DocumentClient(url, permissionFeed ? { permissionFeed } : { masterKey }, new DocumentBase.ConnectionPolicy(), consistencyLevel);
  // The SDK requests TLS 1.0, which Node no longer supports; an agent's options override a request's.
  client.requestAgent = new https.Agent({ keepAlive: true, secureProtocol: 'TLS_method' });
  return client;
}

const client = newClient();

// call('readDocument', link, options) -> { body, headers }
function callOn(target, method, ...parameters) {
  return new Promise((resolve, reject) => {
    target[method](...parameters, (error, body, headers) => (error ? reject(error) : resolve({ body, headers })));
  });
}

const call = (method, ...parameters) => callOn(client, method, ...parameters);

const toArray = async (iterator) => (await callOn(iterator, 'toArray')).body;

function inDatabase(body) {
  return async () => {
    const database = (await call('createDatabase', { id: randomId('documentdb') })).body;
    const link = `dbs/${database.id}`;
    try {
      await body(link, database);
    } finally {
      await call('deleteDatabase', link);
    }
  };
}

// Passes the collection's name link to `body`. `definition` adds to or overrides the plain "/pk" collection.
function inCollection(definition, body) {
  return inDatabase(async (databaseLink) => {
    await call('createCollection', databaseLink, { id: 'items', ...definition });
    await body(`${databaseLink}/colls/items`, databaseLink);
  });
}

const keyedBy = (path) => ({ partitionKey: { paths: [path], kind: 'Hash' } });

const under = (...values) => ({ partitionKey: values });

async function readBody(link, ...key_) {
  return (await call('readDocument', link, under(...key_))).body;
}

const allIds = async (link) => (await toArray(client.readDocuments(link))).map((item) => item.id).sort();

module.exports = { allIds, call, callOn, client, inCollection, inDatabase, keyedBy, newClient, readBody, toArray, under };
