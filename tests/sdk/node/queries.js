// The items that both Node suites query, and the expected results.
'use strict';

// 60 items under 12 keys; `n` is unique, `mod` has ties, `grade` is missing in every third.
const queried = Array.from({ length: 60 }, (_, n) => ({
  id: `q-${String(n).padStart(2, '0')}`,
  pk: `key-${n % 12}`,
  n: (n * 37) % 60,
  mod: (n % 5) + 1, // not 0: some SDKs drop falsy rows
  name: `name-${String((n * 7) % 60).padStart(2, '0')}`,
  ...(n % 3 ? { grade: n } : {}),
  tags: ['all', `tag-${n % 4}`],
}));

const byN = [...queried].sort((a, b) => a.n - b.n);
const idsByN = byN.map((item) => item.id);
const sum = queried.reduce((total, item) => total + item.n, 0);

module.exports = { byN, idsByN, queried, sum };
