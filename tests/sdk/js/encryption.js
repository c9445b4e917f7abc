// Client-side encryption: the server keeps wrapped keys and policies, and sees ciphertext only.
'use strict';

const { EncryptionQueryBuilder } = require('@azure/cosmos');
const { assert, refused, scenario } = require('../node/support.js');
const { client, inDatabase, newClient } = require('./client.js');

// Wraps by adding to every byte, as a key vault would with a real key.
const resolver = {
  encryptionKeyResolverName: 'TEST_VAULT',
  wrapKey: async (id, algorithm, key) => Buffer.from(key.map((byte) => byte + id.length)),
  unwrapKey: async (id, algorithm, wrapped) => Buffer.from(wrapped.map((byte) => byte - id.length)),
};
const encrypting = () => newClient({ clientEncryptionOptions: { keyEncryptionKeyResolver: resolver } });
const metadata = (value) => ({ type: 'TEST_VAULT', name: 'vault', value, algorithm: 'RSA-OAEP' });
const algorithm = 'AEAD_AES_256_CBC_HMAC_SHA256';
const included = (path, encryptionType = 'Deterministic', clientEncryptionKeyId = 'key') => ({
  path, clientEncryptionKeyId, encryptionType, encryptionAlgorithm: algorithm,
});

scenario('encryption.items', inDatabase(async (plain) => {
  const own = encrypting();
  const database = own.database(plain.id);
  await database.createClientEncryptionKey('key', algorithm, metadata('one'));
  const { container } = await database.containers.create({
    id: 'items',
    partitionKey: { paths: ['/pk'], version: 2 },
    clientEncryptionPolicy: {
      includedPaths: [included('/pk'), included('/name'), included('/notes', 'Randomized')], policyFormatVersion: 2,
    },
  });
  const item = { id: '1', pk: 'p', name: 'Ann', notes: { deep: [1, 'two'] }, open: 5 };
  await container.items.create(item);
  await container.items.create({ ...item, id: '2', name: 'Bob' });

  const stored = await client.database(plain.id).container('items').items.query('SELECT * FROM c').fetchAll();
  for (const seen of stored.resources) {
    assert.equal(seen.open, 5);
    assert.ok(!JSON.stringify(seen).includes('two') && !['Ann', 'Bob'].includes(seen.name), JSON.stringify(seen));
  }
  const { resource: read } = await container.item('1', 'p').read();
  assert.deepEqual([read.pk, read.name, read.notes], [item.pk, item.name, item.notes]);

  const query = new EncryptionQueryBuilder('SELECT * FROM c WHERE c.name = @name');
  query.addParameter('@name', 'Bob', '/name');
  const found = await (await container.items.getEncryptionQueryIterator(query)).fetchAll();
  assert.deepEqual(found.resources.map(({ id, name }) => [id, name]), [['2', 'Bob']]);
  own.dispose();
}));

scenario('encryption.keys', inDatabase(async (plain) => {
  const own = encrypting();
  const database = own.database(plain.id);
  await database.createClientEncryptionKey('key', algorithm, metadata('one'));
  await refused(database.createClientEncryptionKey('key', algorithm, metadata('one')), 409);
  await database.rewrapClientEncryptionKey('key', metadata('another'));
  const { clientEncryptionKeyProperties: kept } = await database.readClientEncryptionKey('key');
  assert.equal(kept.encryptionKeyWrapMetadata.value, 'another');
  await refused(plain.containers.create({
    id: 'items', partitionKey: { paths: ['/pk'] },
    clientEncryptionPolicy: { includedPaths: [included('/a', 'Deterministic', 'none')], policyFormatVersion: 1 },
  }), 400);
  own.dispose();
}));
