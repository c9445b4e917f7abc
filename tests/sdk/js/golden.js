// The golden queries (tests/golden/sql) through the SDK, which plans and merges them instead of the server.
'use strict';

const fs = require('node:fs');
const { assert, runAll, scenario, userPart } = require('../node/support.js');
const { inDatabase } = require('./client.js');

// Queries this SDK cannot merge over several partitions; all others must return the server's rows.
const FILES = {
  aggregates: 'adds up numbers beside what is no number; does not compare null',
  order_by: 'refuses an order of different types',
  order_by_composite: 'refuses an order of different types',
  order_by_strings: 'rounds integers above 2^53',
  functions_type: 'DOCUMENTID is missing in the server',
};
const QUERIES = [
  [/COUNT\(1\) FROM \(SELECT DISTINCT/, 'does not know how to count distinct rows'],
  [/^SELECT VALUE \(COUNT\(/, 'refuses aggregates in expressions'],
  [/^SELECT VALUE 1 FROM \(SELECT .* GROUP BY/, 'each partition has its own groups in a subquery'],
  [/^SELECT DISTINCT VALUE c.v FROM c WHERE IS_PRIMITIVE/, 'drops rows that are null'],
  [/^SELECT DISTINCT VALUE udf.even/, 'drops rows that are false'],
  [/^SELECT DISTINCT c.w FROM c ORDER BY/, 'refuses an order of different types'],
  [/GROUP BY c.team ORDER BY/, 'does not order groups'],
  [/^SELECT c.team, SUM\(c.age\)/, 'adds up numbers beside what is no number'],
];

scenario('query.golden', inDatabase(async (database) => {
  const problems = [];
  let count = 0;
  for (const { file, container: definition, items, functions, queries } of JSON.parse(fs.readFileSync(process.env.ORRERY_GOLDEN))) {
    if (FILES[file]) continue;
    const { container } = await database.containers.create({ ...definition, id: file });
    for (const item of items) await container.items.create(item);  // in turn: queries without ORDER BY show the order
    await Promise.all(functions.map((each) => container.scripts.userDefinedFunctions.create(each)));
    for (const { query, ordered, rows } of queries) {
      if (QUERIES.some(([pattern]) => pattern.test(query.query))) continue;
      count += 1;
      for (const maxItemCount of [1, 1000]) {
        const found = await container.items.query(query, { maxItemCount }).fetchAll()
          .then(({ resources }) => texts(resources, ordered), (error) => [String(error.message)]);
        const wanted = texts(rows, ordered);
        if (found.join() !== wanted.join()) problems.push(`${file}, ${query.query}: ${found}, not ${wanted}`);
      }
    }
  }
  assert.ok(count > 300, `${count} queries`);
  assert.ok(problems.length === 0, `${problems.length} of ${count} differ, as ${problems[0]}`);
}));

function texts(rows, ordered) {
  const found = rows.map((row) => text(row));
  return ordered ? found : found.sort();
}

// Ignores the order of members, and system properties.
function text(value) {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(text)}]`;
  const members = userPart(value);
  return `{${Object.keys(members).sort().map((name) => `${name}:${text(members[name])}`)}}`;
}

runAll();
