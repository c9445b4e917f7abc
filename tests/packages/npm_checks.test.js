"use strict";

// What the npm package promises; run in a project in which it is installed.

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const { createHmac } = require("node:crypto");
const fs = require("node:fs");
const https = require("node:https");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { setTimeout: sleep } = require("node:timers/promises");

const { EMULATOR_KEY, PROGRAM, startOrrery } = require("orrery");

const KEY = Buffer.alloc(64, 7).toString("base64");
const PATIENCE_MS = 60_000;

async function request(server, method, link, { kind, resource = "", body, headers = {} }) {
  const date = new Date().toUTCString();
  const text = `${method.toLowerCase()}\n${kind}\n${resource}\n${date.toLowerCase()}\n\n`;
  const signature = createHmac("sha256", Buffer.from(server.key, "base64")).update(text).digest("base64");
  const authorization = encodeURIComponent(`type=master&ver=1.0&sig=${signature}`);
  const answer = await fetch(server.endpoint + link, {
    method,
    body: body && JSON.stringify(body),
    headers: { authorization, "x-ms-date": date, "x-ms-version": "2020-07-15", ...headers },
  });
  return { status: answer.status, body: await answer.json() };
}

async function store(server) {
  const key = { "x-ms-documentdb-partitionkey": '["a"]' };
  const made = [
    await request(server, "POST", "dbs", { kind: "dbs", body: { id: "d" } }),
    await request(server, "POST", "dbs/d/colls", {
      kind: "colls", resource: "dbs/d", body: { id: "c", partitionKey: { paths: ["/pk"], kind: "Hash" } },
    }),
    await request(server, "POST", "dbs/d/colls/c/docs", {
      kind: "docs", resource: "dbs/d/colls/c", body: { id: "1", pk: "a" }, headers: key,
    }),
  ];
  assert.deepStrictEqual(made.map((answer) => answer.status), [201, 201, 201]);
}

async function find(server) {
  const headers = { "x-ms-documentdb-partitionkey": '["a"]' };
  const link = "dbs/d/colls/c/docs/1";
  const found = await request(server, "GET", link, { kind: "docs", resource: link, headers });
  assert.strictEqual(found.body.pk, "a");
}

const answers = (port) => fetch(`http://127.0.0.1:${port}/ready`).then((answer) => answer.ok, () => false);

test("keeps items in memory", async () => {
  const server = await startOrrery();
  assert.strictEqual(server.key, EMULATOR_KEY);
  await store(server);
  await find(server);
  await server.close();
  await server.close();
  assert.strictEqual(await answers(server.port), false);
});

test("keeps data in a directory, under a key", async () => {
  const data = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "orrery-checks-")), "data");
  const first = await startOrrery({ data, key: KEY });
  await store(first);
  await first.close();
  const second = await startOrrery({ data, key: KEY });
  await find(second);
  assert.strictEqual(second.connectionString, `AccountEndpoint=${second.endpoint};AccountKey=${KEY};`);
  const wrong = await request({ ...second, endpoint: second.endpoint, key: EMULATOR_KEY }, "GET", "dbs", { kind: "dbs" });
  assert.strictEqual(wrong.status, 401);
  await second.close();
  fs.rmSync(path.dirname(data), { recursive: true });
});

test("starts several at the same time", async () => {
  const servers = await Promise.all([1, 2, 3, 4].map(() => startOrrery()));
  assert.strictEqual(new Set(servers.map((server) => server.port)).size, 4);
  await Promise.all(servers.map((server) => server.close()));
});

test("serves HTTPS with a certificate that can be trusted", async () => {
  const server = await startOrrery();
  const ca = await server.certificate();
  const status = await new Promise((resolve, reject) => {
    https.get(`${server.secureEndpoint}ready`, { ca, agent: false }, (answer) => resolve(answer.resume().statusCode))
      .on("error", reject);
  });
  assert.strictEqual(status, 200);
  assert.match(server.log, /started/);
  await server.close();
});

test("ignores settings for other servers", async () => {
  process.env.ORRERY_LISTEN = "nonsense";
  try {
    await (await startOrrery()).close();
  } finally {
    delete process.env.ORRERY_LISTEN;
  }
});

test("says why it does not start", async () => {
  await assert.rejects(startOrrery({ options: ["--no-such-option"] }), /--no-such-option/);
  await assert.rejects(startOrrery({ options: ["--listen=127.0.0.1:1"] }), TypeError);
  await assert.rejects(startOrrery({ program: "/nonexistent" }), /ENOENT/);
});

test("keeps no process alive, and ends with it", async () => {
  const left = spawn(process.execPath, ["-e", 'require("orrery").startOrrery().then((s) => console.log(s.port))']);
  assert.strictEqual(await portOf(left).then(ended), true);
  const killed = spawn(process.execPath, [
    "-e", 'require("orrery").startOrrery().then((s) => { console.log(s.port); setInterval(() => {}, 1000); })',
  ]);
  const port = await portOf(killed);
  assert.strictEqual(await answers(port), true);
  killed.kill("SIGKILL");
  assert.strictEqual(await ended(port), true);
});

const portOf = (child) => new Promise((resolve) => child.stdout.once("data", (text) => resolve(Number(text))));

async function ended(port) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(10)) {
    if (!(await answers(port))) return true;
  }
  return false;
}

test("has the program", () => assert.ok(fs.statSync(PROGRAM).mode & 0o100));
