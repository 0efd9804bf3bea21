import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
// oxlint-disable-next-line no-restricted-imports -- the time between two signals decides what they mean
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { locateCluster } from "@/server/platform/database/cluster";
import { killEmbeddedDatabase } from "@/server/platform/database/embedded";
import { findServer } from "@/server/platform/database/server-process";
import { readStartTime } from "@/server/platform/process/file-lock.mjs";
import { bundlePrograms } from "@/server/testing/command-line";
import { scratchDatabase, testFolder } from "@/server/testing/database";

const bundle = path.resolve(`.test/stopping-${process.pid}`);
const dataDir = path.join(testFolder, "data", inject("testRun").id, "stopping");
const lock = path.join(dataDir, "muster.lock");
/** After this time a further signal is a separate request. */
const untilNextRequestMs = 2_500;

/** A program with the output it has written so far, and the processes that its output names. */
class Program {
  output = "";
  readonly exit: Promise<[code: number | null, signal: string | null]>;

  constructor(readonly process: ChildProcess) {
    this.exit = once(process, "exit") as Promise<[number | null, string | null]>;
    for (const stream of [process.stdout, process.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.output += chunk.toString()));
    }
  }

  /** Waits for `text` in the output. Throws what was written when the program ends without it. */
  async writes(text: string): Promise<void> {
    const { process } = this;
    const isOver = () => process.exitCode !== null || process.signalCode !== null;
    await vi.waitUntil(() => this.output.includes(text) || isOver(), { timeout: 60_000, interval: 10 });
    if (!this.output.includes(text)) throw new Error(`It ended with:\n${this.output}`);
  }

  pids(): number[] {
    return [...this.output.matchAll(/(?:"pid":|is process )(\d+)/g)].map(([, pid]) => Number(pid));
  }

  running(): number[] {
    return [...new Set(this.pids())].filter((pid) => readStartTime(pid) !== "");
  }

  /** Closes the reading end of its output. */
  loseOutput(): void {
    this.process.stdout?.destroy();
    this.process.stderr?.destroy();
  }
}

const programs: Program[] = [];

function run(file: string, args: string[], environment: Record<string, string> = {}): Program {
  const env = { ...process.env, LOG_LEVEL: "info", ...environment };
  const program = new Program(spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] }));
  programs.push(program);
  return program;
}

const supervised = (parts: "cooperative" | "unresponsive" = "cooperative") =>
  run(process.execPath, [path.join(bundle, "supervised.mjs")], { DATABASE_URL: "", DATA_DIR: dataDir, PARTS: parts });

/** A supervisor whose web and worker processes are both ready to be stopped. */
async function started(parts?: "cooperative" | "unresponsive"): Promise<Program> {
  const program = supervised(parts);
  for (const text of ["is ready", "web is process", "worker is process"]) await program.writes(text);
  return program;
}

const database = () => findServer(locateCluster(dataDir))?.pid;
const remains = (program: Program) => ({
  running: program.running(),
  database: database(),
  locked: fs.existsSync(lock),
});
const nothing = { running: [], database: undefined, locked: false };
/** Expects exit code 0 and no remaining processes, database or lock. */
async function expectCleanExit(program: Program): Promise<void> {
  expect(await program.exit).toEqual([0, null]);
  expect(remains(program)).toEqual(nothing);
}

beforeAll(async () => {
  const log = `import { logFor } from "@/server/platform/log";
    for (let n = 0; n < 5_000; n++) logFor("test").info("x".repeat(100));
    process.exit(7);`;
  const standalone = `import { onStop } from "@/server/platform/process/stopping"; import { logFor } from "@/server/platform/log";
    onStop(() => new Promise(() => logFor("test").info("stopping")), 60_000);
    setInterval(() => {}, 1_000);
    logFor("test").info("started");`;
  fs.mkdirSync(bundle, { recursive: true });
  fs.writeFileSync(path.join(bundle, "log.ts"), log);
  fs.writeFileSync(path.join(bundle, "standalone.ts"), standalone);
  const entryPoints = ["server/testing/supervised.ts", path.join(bundle, "log.ts"), path.join(bundle, "standalone.ts")];
  await bundlePrograms(entryPoints, bundle);
});

afterEach(async () => {
  for (const program of programs.splice(0)) {
    for (const pid of program.running()) process.kill(pid, "SIGKILL");
    program.process.kill("SIGKILL");
  }
  await killEmbeddedDatabase(dataDir);
});

afterAll(() => {
  fs.rmSync(bundle, { recursive: true, force: true });
  fs.rmSync(dataDir, { recursive: true, force: true });
});

describe("the supervisor", () => {
  test("leaves nothing running when it is stopped while its database starts", async () => {
    const program = supervised();
    await vi.waitUntil(() => database() !== undefined, { timeout: 60_000, interval: 5 });
    program.process.kill("SIGTERM");
    await expectCleanExit(program);
  });

  test("ends after its child processes although its output is lost while it stops", async () => {
    const program = await started();
    expect(program.running()).toHaveLength(3);
    program.process.kill("SIGTERM");
    await program.writes('"stopping"');
    program.loseOutput();
    await expectCleanExit(program);
  });

  test("keeps running without its output, and ends when it is stopped", async () => {
    const program = await started();
    program.loseOutput();
    const [killed] = program.pids().filter((pid) => pid !== program.process.pid);
    if (killed) process.kill(killed, "SIGKILL"); // which it logs
    await sleep(500);
    program.process.kill("SIGTERM");
    await expectCleanExit(program);
  });

  test("treats signals within two seconds as one request, and lets its child processes finish", async () => {
    const program = await started();
    for (const signal of ["SIGINT", "SIGINT", "SIGTERM", "SIGHUP"] as const) program.process.kill(signal);
    expect(await program.exit).toEqual([0, null]);
    expect(program.output).toContain('"stopped"');
    expect(remains(program)).toEqual(nothing);
  });

  test("kills unresponsive child processes and the database at a second signal", async () => {
    const program = await started("unresponsive");
    program.process.kill("SIGTERM");
    await sleep(untilNextRequestMs);
    expect(program.running()).toHaveLength(3);
    program.process.kill("SIGTERM");
    expect(await program.exit).toEqual([1, null]);
    await expect.poll(() => remains(program)).toEqual(nothing);
  });
});

describe("a process without a supervisor", () => {
  test("ends immediately at a second signal", async () => {
    const program = run(process.execPath, [path.join(bundle, "standalone.mjs")]);
    await program.writes('"started"');
    program.process.kill("SIGTERM");
    await program.writes('"stopping"');
    await sleep(untilNextRequestMs);
    expect(program.running()).toHaveLength(1);
    program.process.kill("SIGTERM");
    expect(await program.exit).toEqual([1, null]);
  });

  test.each(["closed", "never read"])("ends although it has much to log and its output is %s", async (output) => {
    const program = run(process.execPath, [path.join(bundle, "log.mjs")]);
    if (output === "closed") program.loseOutput();
    else program.process.stdout?.pause();
    expect(await program.exit).toEqual([7, null]);
  });
});

describe("npm", () => {
  // Runs the sources, so that no build is needed.
  const worker = async () => {
    // A folder of its own: the files of the supervisor's database belong to another installation.
    const folder = fs.mkdtempSync(`${dataDir}-`);
    onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
    const environment = { DATABASE_URL: await scratchDatabase(inject("testRun")), DATA_DIR: folder };
    const program = run("npm", ["run", "dev", "--", "--role", "worker"], environment);
    await program.writes('"worker started"');
    expect(program.running()).toHaveLength(1);
    return program;
  };

  test("ends after its worker when it is stopped", async () => {
    const program = await worker();
    program.process.kill("SIGTERM");
    expect(await program.exit).toEqual([0, null]);
    expect(program.running()).toEqual([]);
  });

  test("leaves nothing running when it is killed", async () => {
    const program = await worker();
    program.process.kill("SIGKILL");
    await vi.waitFor(() => expect(program.running()).toEqual([]), { timeout: 60_000, interval: 50 });
  });
});
