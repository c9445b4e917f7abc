// Repairs the SDK (4.10) for queries over ranges that are gone. It keeps the 410 among the rows of the range, looks for
// a row, finds none, and sends the same request to the same range again, without end. Thrown, the error leads it to
// the ranges that hold the keys now.
'use strict';

const path = require('node:path');

const folder = path.dirname(require.resolve('@azure/cosmos'));
const { DocumentProducer } = require(path.join(folder, 'queryExecutionContext/documentProducer.js'));

const bufferMore = DocumentProducer.prototype.bufferMore;
DocumentProducer.prototype.bufferMore = async function (node) {
  const headers = await bufferMore.call(this, node);
  if (this.gotSplit()) throw this.fetchResults.shift().error;
  return headers;
};
