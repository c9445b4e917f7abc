// Shared by both Node suites: the harness, polling, and signed raw requests for what an SDK cannot send.
'use strict';

const assert = require('node:assert/strict');
const crypto = require('node:crypto');
const https = require('node:https');

const endpoint = process.env.ORRERY_ENDPOINT;
const key = process.env.ORRERY_KEY;
const partitions = Number(process.env.ORRERY_PARTITIONS) || undefined;
const churn = Boolean(process.env.ORRERY_CHURN); // partitions are split and merged all the time
const readonlyKey = process.env.ORRERY_READONLY_KEY;
const otherKey = Buffer.alloc(64, 7).toString('base64');

const scenarios = [];
const SCENARIO_MS = 90_000;

function scenario(name, body) {
  scenarios.push({ name, body });
}

async function runAll() {
  const only = new RegExp(process.env.ORRERY_SCENARIO || '');
  let failed = false;
  // Without a server, documentdb would retry for minutes in every scenario.
  const noServer = await raw('GET', '').then(() => undefined, (error) => error);
  for (const { name, body } of scenarios.filter((each) => only.test(each.name))) {
    try {
      if (noServer) throw noServer;
      await limited(body());
      console.log(`pass ${name}`);
    } catch (error) {
      failed = true;
      console.log(`fail ${name}: ${describe(error)}`);
    }
  }
  process.exit(failed ? 1 : 0); // the SDKs keep timers and sockets alive
}

function limited(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${SCENARIO_MS} ms`)), SCENARIO_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

function describe(error) {
  const at = /\/(\w+\.js:\d+)/.exec((error.stack || '').split('\n').filter(isOurs)[0] || '');
  const text = error.message || error.body || JSON.stringify(error);
  const code = error.code && !text.includes(error.code) ? `${error.code} ` : '';
  return `${code}${text}`.replace(/\s+/g, ' ').slice(0, 400) + (at ? ` (${at[1]})` : '');
}

const isOurs = (line) => line.includes('/tests/sdk/') && !line.includes('support.js');

// Expects `promise` to fail with this status and, if given, this sub-status.
async function refused(promise, code, substatus) {
  let answer;
  try {
    answer = await promise;
  } catch (error) {
    assert.equal(error.code, code, `wanted ${code}, got ${describe(error)}`);
    if (substatus !== undefined) assert.equal(error.substatus, substatus);
    return error;
  }
  return assert.fail(`wanted ${code}, got success: ${JSON.stringify(answer?.resource ?? answer?.body)}`);
}

// Calls `probe` until it returns a truthy value. The deadline is generous: only a hang should reach it.
async function eventually(what, probe) {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

// A signed request without the SDK. `link` is the plain name path ("dbs/d/colls/c/docs/x").
function raw(method, link, { body, headers = {} } = {}) {
  const segments = link.split('/');
  const isFeed = segments.length % 2 === 1;
  const type = segments[isFeed ? segments.length - 1 : segments.length - 2];
  const signedLink = isFeed ? segments.slice(0, -1).join('/') : link;
  const date = new Date().toUTCString();
  const text = `${method.toLowerCase()}\n${type}\n${signedLink}\n${date.toLowerCase()}\n\n`;
  const signature = crypto.createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
  const options = {
    method,
    headers: {
      authorization: encodeURIComponent(`type=master&ver=1.0&sig=${signature}`),
      'x-ms-date': date,
      'x-ms-version': '2020-07-15',
      'content-type': 'application/json',
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
      ...headers,
    },
  };
  const url = new URL(segments.map(encodeURIComponent).join('/'), endpoint);
  return new Promise((resolve, reject) => {
    const request = https.request(url, options, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({
        status: response.statusCode,
        substatus: Number(response.headers['x-ms-substatus'] ?? 0),
        headers: response.headers,
        text: Buffer.concat(chunks).toString('utf8'),
      }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

const partitionKeyHeader = (...values) => ({ 'x-ms-documentdb-partitionkey': JSON.stringify(values) });

const randomId = (prefix) => `${prefix}-${crypto.randomBytes(6).toString('hex')}`;

// The item as the user wrote it, without system properties.
function userPart(item) {
  return Object.fromEntries(Object.entries(item).filter(
    ([name]) => !['_rid', '_self', '_etag', '_ts', '_attachments'].includes(name)));
}

function assertSystemProperties(item) {
  for (const name of ['_rid', '_self', '_etag', '_attachments']) assert.equal(typeof item[name], 'string', name);
  assert.ok(Number.isInteger(item._ts) && Math.abs(item._ts - Date.now() / 1000) < 600, '_ts');
}

// Expects the ranges to cover the key space without gap or overlap, in the configured number.
function assertTiles(ranges, wanted = partitions) {
  const sorted = [...ranges].sort((a, b) => (a.min < b.min ? -1 : 1));
  assert.equal(sorted[0].min, '');
  assert.equal(sorted[sorted.length - 1].max, 'FF');
  sorted.slice(1).forEach((range, index) => assert.equal(range.min, sorted[index].max));
  if (wanted) assert.equal(ranges.length, wanted);
}

// "0:3#12" or, for API versions before 2018-06-18, "0:12" -> ["0", 12n].
function parseSessionToken(token) {
  const match = /^(\d+):(?:-?\d+#)?(\d+)/.exec(token);
  assert.ok(match, `session token ${token}`);
  return [match[1], BigInt(match[2])];
}

function nested(depth) {
  let value = 'deep';
  for (let level = 0; level < depth; level += 1) value = level % 2 ? [value] : { in: value };
  return value;
}

// JSON that a store could get wrong, except for numbers beyond JavaScript's precision.
const difficult = {
  zulu: 1, alpha: 2, 'mike "quoted"\\': 3, 'nul\u0000name': 4, '': 5, 中文: 6,
  text: 'é ñ 中文 \u2028\u2029 \u0000\u0001\u001f \u007f "quotes" \\back\\ /slash/ \b\f\n\r\t',
  pairs: '😀 𝒳 \uD834\uDD1E',
  empty: { object: {}, array: [], string: '', nested: [[], {}, [{}]] },
  literals: [true, false, null],
  numbers: [0, -1, 0.1, 1e21, 1.5e-7, 1.7976931348623157e308, 5e-324, 9007199254740991, -9007199254740991, 4.35],
  deep: nested(100),
};

const numbersText = '[9007199254740993,18446744073709551616,-123456789012345678901234567890,1.0,1.50,1e2,1E+2,'
  + '0.1000000000000000055511151231257827,1e400,-0,-0.0,5e-324]';

const person = {
  id: '1', firstName: 'Thomas', lastName: 'Andersen',
  addresses: [{ line1: '100 Some Street', line2: 'Unit 1', city: 'Seattle', state: 'WA', zip: 98012 }],
  contactDetails: [{ email: 'thomas@andersen.com' }, { phone: '+1 555 555-5555', extension: 5555 }],
};

const unusualIds = ['a b', ' leading', 'é中文😀', 'plus+plus', '100%', '%20', "q'u\"o", 'a&b=c;d', 'x'.repeat(255),
  '~!@$^*()_{}|:<>,.'];

// For the server with throttling: an item that costs what is earned in about three seconds, and others of about 100
// request units each.
const throttled = {
  endpoint: process.env.ORRERY_THROTTLED_ENDPOINT,
  large: { id: 'large', pk: 'a', text: 'x'.repeat(1_950_000) },
  items: Array.from({ length: 16 }, (_, number) => ({
    id: `item${number}`,
    pk: 'a',
    ...Object.fromEntries(Array.from({ length: 500 }, (__, index) => [`p${index}`, index])),
  })),
  ids: () => [throttled.large, ...throttled.items].map(({ id }) => id).sort(),
  // 400 request units are there at once; before the rest is earned, nothing else is admitted.
  assertWaited(charge, milliseconds) {
    assert.ok(charge > 1000, `charged ${charge}`);
    assert.ok(milliseconds > ((charge - 400) / 400) * 1000, `${charge} in ${milliseconds} ms`);
  },
};

// A bearer token as test programs for emulators make it: the account key in place of a signature.
function emulatorToken() {
  const claims = { aud: 'https://localhost.localhost', oid: 'tester', exp: Math.floor(Date.now() / 1000) + 3600 };
  const parts = [JSON.stringify({ alg: 'RS256', typ: 'JWT' }), JSON.stringify(claims), key];
  return parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
}

module.exports = {
  assert, assertSystemProperties, assertTiles, churn, difficult, emulatorToken, endpoint, eventually, key, numbersText, otherKey,
  parseSessionToken, partitionKeyHeader, partitions, person, randomId, raw, readonlyKey, refused, runAll, scenario, throttled,
  unusualIds, userPart,
};
