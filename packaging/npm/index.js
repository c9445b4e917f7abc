"use strict";

// A server process that ends with the test that has started it.

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const http = require("node:http");
const os = require("node:os");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");

// The public key of Microsoft's emulators, the default of a server on loopback.
const EMULATOR_KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
const PROGRAM = path.join(__dirname, "program", "bin", "orrery");

// What the settings of a server decide; as options they would contradict what it says about itself.
const OWN_OPTIONS = ["--listen", "--data", "--ephemeral", "--key-file", "--port-file", "--no-throttle", "--config"];
const LOG_LINES = 20;
const STOP_MS = 15_000;

const running = new Set();

// Only what is synchronous happens here. The servers also end by themselves, as their standard input does.
process.on("exit", () => {
  for (const server of running) server._abandon();
});

class OrreryServer {
  constructor(directory, child, key) {
    this._directory = directory;
    this._child = child;
    this._ended = new Promise((resolve) => child.once("exit", resolve));
    this._problem = null;
    child.once("error", (error) => (this._problem = error.message));
    child.once("exit", (code, signal) => (this._problem ??= `exit code ${code ?? signal}`));
    child.stdin.on("error", () => {});
    this.key = key;
    running.add(this);
  }

  async _waitForPort(timeoutMs) {
    const deadline = performance.now() + timeoutMs;
    const portFile = path.join(this._directory, "port");
    // The file appears complete, once requests succeed.
    while (!fs.existsSync(portFile)) {
      if (this._problem) throw new Error(`the server ended: ${this._problem}\n${this._lastLines()}`);
      if (performance.now() > deadline) {
        throw new Error(`the server was not ready after ${timeoutMs} ms\n${this._lastLines()}`);
      }
      await sleep(1);
    }
    this.port = Number(fs.readFileSync(portFile, "utf8"));
    this.endpoint = `http://127.0.0.1:${this.port}/`;
    this.secureEndpoint = `https://localhost:${this.port}/`;
    this.connectionString = `AccountEndpoint=${this.endpoint};AccountKey=${this.key};`;
  }

  get log() {
    return fs.readFileSync(path.join(this._directory, "log"), "utf8");
  }

  _lastLines() {
    return this.log.trimEnd().split("\n").slice(-LOG_LINES).join("\n");
  }

  certificate() {
    return new Promise((resolve, reject) => {
      const request = http.get(`${this.endpoint}_explorer/emulator.pem`, { agent: false }, (answer) => {
        let text = "";
        answer.setEncoding("utf8");
        answer.on("data", (part) => (text += part));
        answer.on("end", () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(text))));
        answer.on("error", reject);
      });
      request.on("error", reject);
    });
  }

  close() {
    this._closed ??= this._close();
    return this._closed;
  }

  async _close() {
    if (this._child.pid !== undefined) {
      this._child.ref();
      this._child.kill("SIGTERM");
      const patience = setTimeout(() => this._child.kill("SIGKILL"), STOP_MS);
      await this._ended;
      clearTimeout(patience);
    }
    running.delete(this);
    fs.rmSync(this._directory, { recursive: true, force: true });
  }

  _abandon() {
    if (this._child.pid !== undefined) this._child.kill("SIGTERM");
    fs.rmSync(this._directory, { recursive: true, force: true });
  }
}

if (Symbol.asyncDispose) {
  OrreryServer.prototype[Symbol.asyncDispose] = OrreryServer.prototype.close;
}

async function startOrrery(settings = {}) {
  const { data, key, throttle = false, options = [], timeoutMs = 30_000, program = PROGRAM } = settings;
  const wrong = options.filter((option) => OWN_OPTIONS.includes(option.split("=")[0]));
  if (wrong.length > 0) throw new TypeError(`use the settings of startOrrery() instead of ${wrong.join(", ")}`);
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "orrery-"));
  const server = new OrreryServer(directory, launch(directory, { data, key, throttle, options, program }),
                                  key ?? EMULATOR_KEY);
  try {
    await server._waitForPort(timeoutMs);
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

function launch(directory, { data, key, throttle, options, program }) {
  const args = ["serve", "--listen", "127.0.0.1:0", "--stop-with-stdin", "--port-file", path.join(directory, "port")];
  args.push(...(data === undefined ? ["--ephemeral"] : ["--data", data]));
  if (!throttle) args.push("--no-throttle");
  if (key !== undefined) {
    const keyFile = path.join(directory, "key");
    fs.writeFileSync(keyFile, key, { mode: 0o600 });
    args.push("--key-file", keyFile);
  }
  const log = fs.openSync(path.join(directory, "log"), "w");
  try {
    // The server stops when the pipe to its standard input ends, however this process does.
    const child = spawn(program, [...args, ...options], { stdio: ["pipe", log, log], env: environment() });
    // A server that nobody closes must not keep this process alive.
    child.unref();
    child.stdin.unref();
    return child;
  } finally {
    fs.closeSync(log);
  }
}

// Settings for other servers must not change this one.
function environment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("ORRERY_")));
}

exports.startOrrery = startOrrery;
exports.EMULATOR_KEY = EMULATOR_KEY;
exports.PROGRAM = PROGRAM;
