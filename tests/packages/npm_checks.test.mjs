// The package is CommonJS; modules can import its names too.

import assert from "node:assert";
import { test } from "node:test";
import { startOrrery } from "orrery";

test("can be imported", async () => {
  const server = await startOrrery();
  assert.ok((await fetch(`${server.endpoint}ready`)).ok);
  await server.close();
});
