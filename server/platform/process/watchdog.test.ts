import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { queryRows, text } from "@/server/platform/rows";
import { bundleProgram, killNow } from "@/server/testing/child-program";
import { cloneTemplate, onServer } from "@/server/testing/database";

/** A process whose main thread does not answer. */

const run = inject("testRun");
const environment = { SILENT_MS: "2000", CPU_MS: "500", LOOK_MS: "100", METRICS_PORT: "0", LOG_LEVEL: "fatal" };
const isolated = ["--fork", "--pid", "--kill-child"];
const hasNamespaces = spawnSync("unshare", [...isolated, "true"]).status === 0;
if (!hasNamespaces) process.stdout.write("skipped: the first process of a container; this user may not make one\n");

let program: Awaited<ReturnType<typeof bundleProgram>>;
let url: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  program = await bundleProgram("deaf-process");
  url = await cloneTemplate(run.adminUrl, run.template, `run_${run.id}_${path.basename(path.dirname(program.file))}`);
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(killNow));
});
afterAll(() => program.remove());

/** Starts the process, by itself or below another program, and reads its probes. */
async function start(more: Record<string, string> = {}, [file, ...args]: string[] = [process.execPath]) {
  const child = spawn(file ?? "", [...args, program.file], {
    env: { ...process.env, ...environment, DATABASE_URL: url, ...more },
    stdio: ["pipe", "pipe", "inherit", "ipc"],
  });
  children.push(child);
  let log = "";
  child.stdout?.on("data", (piece: Buffer) => (log += piece.toString()));
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  const read = async (at: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${at}`);
    return { status: response.status, body: (await response.json()) as { deaf_seconds?: number } };
  };
  return { child, read, log: () => log };
}

const deaf = { status: "not ready", checks: { process: "deaf" }, deaf_seconds: expect.any(Number) as unknown };

describe.each(["web", "worker"])("a %s process", (role) => {
  test("that does not answer and uses the processor is unready, ends, and is counted", async () => {
    const { child, read, log } = await start({ DEAF_ROLE: role, SILENT_MS: "8000" });
    expect((await read("/readyz")).status).toBe(200);
    const ended = once(child, "exit");
    child.send("spin");
    const probes = () => Promise.all(["/readyz", "/healthz"].map(read));
    await vi.waitFor(
      async () =>
        expect(await probes()).toEqual([
          { status: 503, body: deaf },
          { status: 200, body: { status: "ok" } },
        ]),
      { timeout: 60_000 },
    );
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(JSON.parse(log())).toMatchObject({ level: "fatal", part: "watchdog" });
    const roles = await onServer(url, (client) => queryRows(client, { role: text }, "select role from deaf_processes"));
    expect(roles).toContainEqual({ role });
  });
});

test("a process that does not answer and uses no processor time is unready, and is left to others", async () => {
  // More than answering the probes takes.
  const { child, read } = await start({ SILENT_MS: "1000", CPU_MS: "1500" });
  child.send("block");
  // Six times as long as one that used the processor would live.
  await vi.waitFor(async () => expect((await read("/readyz")).body.deaf_seconds).toBeGreaterThan(6), {
    timeout: 40_000,
    interval: 1_000,
  });
  expect((await read("/healthz")).status).toBe(503);
  child.stdin?.write("x");
  await vi.waitFor(async () => expect((await read("/readyz")).status).toBe(200), { timeout: 60_000, interval: 100 });
});

test("a process ends although the database does not respond", async () => {
  const { child } = await start({ DATABASE_URL: "postgresql://nobody@127.0.0.1:9/none" });
  const ended = once(child, "exit");
  child.send("spin");
  expect(await ended).toEqual([null, "SIGKILL"]);
});

test.runIf(hasNamespaces)("the first process of a container ends, which its own signal does not kill", async () => {
  const { child } = await start({}, ["unshare", ...isolated, process.execPath]);
  const ended = once(child, "exit");
  child.send("spin");
  expect(await ended).toEqual([137, null]);
});
