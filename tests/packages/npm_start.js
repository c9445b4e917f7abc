"use strict";

// Prints how long it takes from the call of startOrrery() to the first answer, and until it is closed.

const { startOrrery } = require("orrery");

const ROUNDS = 15;
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1].toFixed(0);

async function main() {
  const starts = [], ends = [];
  for (let i = 0; i < ROUNDS; ++i) {
    let begun = performance.now();
    const server = await startOrrery();
    const answer = await fetch(`${server.endpoint}ready`);
    await answer.text();
    starts.push(performance.now() - begun);
    begun = performance.now();
    await server.close();
    ends.push(performance.now() - begun);
  }
  console.log(`first answer after ${median(starts)} ms (${Math.min(...starts).toFixed(0)} to ` +
              `${Math.max(...starts).toFixed(0)}), closed in ${median(ends)} ms`);
}

main();
