// Attachments and their media, which later SDKs no longer have.
'use strict';

const { Readable } = require('node:stream');
const { DocumentBase } = require('documentdb');
const { assert, refused, scenario } = require('../node/support.js');
const { call, callOn, client, inCollection, inDatabase, keyedBy, newClient, toArray, under } = require('./client.js');

const stream = (...chunks) => Readable.from(chunks, { objectMode: false });
const ids = (found) => found.map((each) => each.id).sort();
const book = { id: 'book', contentType: 'application/text', media: 'http://xstore.', MediaType: 'Book', Author: 'A' };

// Passes the link of a document and the options with its key, by name and by self link.
const onDocument = (body) => inCollection(keyedBy('/pk'), async (link) => {
  await call('createDocument', link, { id: 'first', pk: 'a' });
  const { body: second } = await call('createDocument', link, { id: 'second', pk: 'b' });
  await body(`${link}/docs/first`, (more) => ({ ...under('a'), ...more }));
  await body(second._self, (more) => ({ ...under('b'), ...more }));
});

scenario('attachment.lifecycle', onDocument(async (document, options) => {
  assert.deepEqual(await toArray(client.readAttachments(document, options())), []);
  const { body: made } = await call('createAttachment', document, book, options());
  assert.equal(made.Author, 'A');
  if (document.endsWith('/docs/first')) {
    assert.deepEqual((await call('readAttachment', `${document}/attachments/book`, options())).body, made);
  }
  assert.deepEqual((await call('readAttachment', made._self, options())).body, made);
  await refused(call('createAttachment', document, book, options()), 409);
  const { body: replaced } = await call('replaceAttachment', made._self, { ...made, Author: 'B' }, options());
  assert.equal(replaced.Author, 'B');
  assert.equal(replaced._rid, made._rid);
  assert.notEqual(replaced._etag, made._etag);
  const stale = options({ accessCondition: { type: 'IfMatch', condition: made._etag } });
  await refused(call('replaceAttachment', made._self, made, stale), 412);
  await refused(call('deleteAttachment', made._self, stale), 412);
  const { body: upserted } = await call('upsertAttachment', document, { ...book, Author: 'C' }, options());
  assert.equal(upserted._rid, made._rid);
  await call('upsertAttachment', document, { ...book, id: 'other' }, options());
  assert.deepEqual(ids(await toArray(client.readAttachments(document, options({ maxItemCount: 1 })))), ['book', 'other']);
  const spec = { query: 'SELECT * FROM root r WHERE r.Author=@author', parameters: [{ name: '@author', value: 'C' }] };
  assert.deepEqual(ids(await toArray(client.queryAttachments(document, spec, options()))), ['book']);
  await call('deleteAttachment', made._self, options());
  await refused(call('readAttachment', made._self, options()), 404);
  await refused(call('deleteAttachment', made._self, options()), 404);
}));

scenario('attachment.media', onDocument(async (document, options) => {
  const type = { slug: 'attachment name', contentType: 'application/text' };
  const upload = (method, given, ...chunks) => call(method, document, stream(...chunks), options(given));
  await refused(upload('createAttachmentAndUploadMedia', { ...type, contentType: 'junt/test' }, 'x'), 400);
  const { body: made } = await upload('createAttachmentAndUploadMedia', type, 'first chunk ', 'second chunk');
  assert.equal(made.id, 'attachment name');
  assert.equal(made.contentType, 'application/text');
  assert.match(made.media, /^\/media\/./);
  await refused(upload('createAttachmentAndUploadMedia', type, 'x'), 409);
  const read = await call('readMedia', made.media);
  assert.equal(read.body, 'first chunk second chunk');
  assert.equal(read.headers['content-type'], 'application/text');
  await call('updateMedia', made.media, stream('modified'), type);
  assert.equal((await call('readMedia', made.media)).body, 'modified');
  const { body: upserted } = await upload('upsertAttachmentAndUploadMedia', type, 'upserted');
  assert.equal(upserted._rid, made._rid);
  assert.equal(upserted.media, made.media);
  const streaming = newClient();
  streaming.connectionPolicy.MediaReadMode = DocumentBase.MediaReadMode.Streamed;
  const chunks = [];
  for await (const chunk of (await callOn(streaming, 'readMedia', made.media)).body) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), 'upserted');
  // Without a name it gets one; two attachments may link to the same media.
  const { body: named } = await upload('createAttachmentAndUploadMedia', {}, Buffer.from([0, 255]));
  assert.equal(named.contentType, 'application/octet-stream');
  const { body: shared } = await call('createAttachment', document, { id: 'shared', contentType: made.contentType, media: made.media }, options());
  assert.equal(shared.media, made.media);
  await call('deleteAttachment', shared._self, options());
  assert.equal((await call('readMedia', made.media)).body, 'upserted');
  await call('deleteDocument', made._self.replace(/\/attachments\/.*/, '/'), options());
  await refused(call('readMedia', made.media), 404);
  await refused(call('readAttachment', made._self, options()), 404);
}));

scenario('attachment.without_key', inDatabase(async (databaseLink) => {
  await call('createCollection', databaseLink, { id: 'plain' });
  const link = `${databaseLink}/colls/plain`;
  const { body: document } = await call('createDocument', link, { id: '1' });
  for (const owner of [`${link}/docs/1`, document._self]) {
    const { body: made } = await call('upsertAttachmentAndUploadMedia', owner, stream('text'), { slug: 'a', contentType: 'text/plain' });
    assert.equal((await call('readMedia', made.media)).body, 'text');
    assert.deepEqual(ids(await toArray(client.readAttachments(owner))), ['a']);
    assert.deepEqual(ids(await toArray(client.queryAttachments(owner, 'SELECT * FROM a'))), ['a']);
  }
}));
