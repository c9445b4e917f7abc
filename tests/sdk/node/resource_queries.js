'use strict';

const { assert, refused } = require('./support.js');

const names = (prefix) => ['b', 'c', 'a'].map((letter) => prefix + letter);

// Queries over resources of one kind with these names. `ask(spec, pageSize)` gives all rows.
async function resourceQueries(prefix, ask) {
  const [b, c, a] = names(prefix);
  const asked = (query, values = {}, pageSize = undefined) => ask({
    query,
    parameters: Object.entries({ like: `${prefix}_`, ...values }).map(([name, value]) => ({ name: `@${name}`, value })),
  }, pageSize);
  const sorted = 'SELECT r.id FROM r WHERE r.id LIKE @like ORDER BY r.id DESC';
  for (const pageSize of [undefined, 1]) {
    assert.deepEqual(await asked(sorted, {}, pageSize), [{ id: c }, { id: b }, { id: a }]);
  }
  assert.deepEqual(await asked('SELECT VALUE COUNT(1) FROM r WHERE STARTSWITH(r.id, @prefix)', { prefix }), [3]);
  assert.deepEqual(await asked('SELECT VALUE r.id FROM r WHERE r.id IN (@a, @none) OR r.id = @c ORDER BY r.id',
    { a, c, none: `${prefix}none` }), [a, c]);
  const [first, ...rest] = await asked('SELECT TOP 1 * FROM r WHERE r.id LIKE @like AND r.id != @a ORDER BY r.id', { a });
  assert.deepEqual(rest, []);
  assert.equal(first.id, b);
  assert.equal(typeof first._rid, 'string');
  await refused(asked('SELECT * FORM r'), 400);
}

module.exports = { names, resourceQueries };
