// Runs the cases of tests/scripts/cases (format: README.md there), one scenario per file, through an SDK's driver.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { assert, refused, scenario, userPart } = require('./support.js');

const folder = process.env.ORRERY_SCRIPTS;

// `open(database, container id, key path)` creates a container and returns a driver that performs steps with the SDK:
// store(kind, id, body, operation), execute(step), write(step, key), query(step) and all(), the items.
function registerCases(inDatabase, open) {
  for (const file of fs.readdirSync(path.join(folder, 'cases')).sort()) {
    const cases = JSON.parse(fs.readFileSync(path.join(folder, 'cases', file), 'utf8'));
    scenario(`script.${path.parse(file).name}`, inDatabase(async (database) => {
      for (const [index, each] of cases.entries()) {
        await runCase(each, await open(database, `case-${index}`, keyPath(each)));
      }
    }));
  }
}

async function runCase(each, driver) {
  await storeScripts(each, driver);
  const keyOf = (item) => item[keyPath(each).slice(1)];
  let stored = [...numbered(each.numbered || 0), ...(each.items || [])];
  for (const item of stored) await driver.write({ do: 'create', item }, keyOf(item));
  for (const [index, step] of each.steps.entries()) {
    try {
      await runStep(step, driver, keyOf);
      // A step without `stored` must leave the items unchanged, especially if it fails.
      stored = step.stored || stored;
      assertAlike(sorted(await driver.all(), keyOf), sorted(stored, keyOf), 'stored');
    } catch (error) {
      error.message = `${each.name}, step ${index + 1}: ${error.message}`;
      throw error;
    }
  }
}

async function storeScripts(each, driver) {
  const text = (id) => each.bodies?.[id] ?? fs.readFileSync(path.join(folder, `${id}.js`), 'utf8');
  for (const id of each.procedures || []) await driver.store('StoredProcedure', id, text(id));
  for (const id of each.udfs || []) await driver.store('UserDefinedFunction', id, text(id));
  for (const [id, operation] of Object.entries(each.pre_triggers || {})) await driver.store('Pre', id, text(id), operation);
  for (const [id, operation] of Object.entries(each.post_triggers || {})) await driver.store('Post', id, text(id), operation);
}

async function runStep(step, driver, keyOf) {
  if (step.error) {
    const { status, sub_status, text = '' } = step.error;
    const error = await refused(answerTo(step, driver, keyOf), status);
    if (sub_status !== undefined) assert.equal(error.substatus ?? 0, sub_status, 'sub-status');
    assert.ok(messageOf(error).includes(text), `"${text}" is not in: ${messageOf(error)}`);
    return;
  }
  const answer = await answerTo(step, driver, keyOf);
  if (step.do === 'query') assertAlike([...answer].sort(byText), [...step.answer].sort(byText), 'rows');
  else if ('answer' in step) assertAlike(answer, step.answer, 'answer');
}

async function answerTo(step, driver, keyOf) {
  if (step.do === 'query') return driver.query(step);
  const items = await driver.all();
  if (step.do !== 'execute') {
    const item = withStored(step.item, items);
    return driver.write({ ...step, item }, keyOf(item));
  }
  const parameters = withStored(step.arguments, items);
  const { body, log } = await driver.execute({ ...step, parameters, logging: typeof step.log === 'string' });
  if ('log' in step) assert.equal(log === undefined ? null : decodeURIComponent(log), step.log, 'log');
  return body;
}

// Replaces {"the stored item": id} by that item with all its system properties.
function withStored(value, items) {
  if (Array.isArray(value)) return value.map((each) => withStored(each, items));
  const id = value?.['the stored item'];
  return id === undefined ? value : items.find((item) => item.id === id);
}

function assertAlike(got, wanted, what) {
  assert.deepEqual(masked(plain(got), wanted), wanted, `${what}: wanted ${JSON.stringify(wanted)}, got ${JSON.stringify(plain(got))}`);
}

// The received value, with "*" wherever "*" is expected.
function masked(got, wanted) {
  if (wanted === '*' && got !== undefined) return '*';
  if (Array.isArray(got)) return got.map((each, index) => masked(each, wanted?.[index]));
  if (got === null || typeof got !== 'object') return got;
  return Object.fromEntries(Object.entries(got).map(([name, value]) => [name, masked(value, wanted?.[name])]));
}

function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(userPart(value)).map(([name, member]) => [name, plain(member)]));
}

const keyPath = (each) => each.key || '/pk';
const numbered = (count) => Array.from({ length: count }, (_, n) => ({ id: `n${n + 1}`, pk: 'a', n: n + 1 }));
const byText = (a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
const sorted = (items, keyOf) => [...items].sort((a, b) => byText([a.id, keyOf(a)], [b.id, keyOf(b)]));
const messageOf = (error) => String(error.body?.message ?? error.body ?? error.message);

module.exports = { registerCases };
