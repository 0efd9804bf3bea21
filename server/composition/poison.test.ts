import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { env } from "@/server/platform/env";
import { queueJobs } from "@/server/platform/jobs/graphile";
import { int4, nullable, queryRows, text } from "@/server/platform/rows";
import { bundleProgram, killNow, startProgram } from "@/server/testing/child-program";
import { cloneTemplate, onServer } from "@/server/testing/database";
import { unique } from "@/server/testing/factories";

/** A recording that takes the worker down, beside one that does not. */

const run = inject("testRun");
const folder = path.join(env.DATA_DIR, unique("poison"));
const programs: { file: string; remove: () => void }[] = [];
let url: string;
let child: ChildProcess | undefined;
let isOver = false;
let port: number | null = null;
const ends: (string | null)[] = [];

async function bundle(name: string): Promise<string> {
  const program = await bundleProgram(name);
  programs.push(program);
  return program.file;
}

/** Starts a worker whenever it ends, as a supervisor does, or Kubernetes. It may end before it says that it has started. */
async function keepStarting(file: string, settings: Record<string, string>): Promise<void> {
  while (!isOver) {
    child = fork(file, { execArgv: [], env: { ...process.env, ...settings } });
    child.once("message", (message: { metricsPort: number }) => (port = message.metricsPort));
    await once(child, "exit");
    ends.push(child.signalCode);
  }
}

beforeAll(async () => {
  url = await cloneTemplate(run.adminUrl, run.template, `run_${run.id}_${unique("poison").replaceAll(/\W/g, "_")}`);
});
afterAll(async () => {
  isOver = true;
  if (child) await killNow(child);
  for (const program of programs) program.remove();
  fs.rmSync(folder, { recursive: true, force: true });
});

const read = (uid: string) =>
  onServer(url, async (client) => {
    const statement =
      "select status, error_message, (select count(*)::int from topics where recording_id = uid) as topics from recordings where uid = $1";
    const [row] = await queryRows(client, { status: text, error_message: nullable(text), topics: int4 }, statement, [
      uid,
    ]);
    return row;
  });

test("a recording that takes the worker down is an error, and one that was read beside it becomes ready", async () => {
  const settings = { DATABASE_URL: url, DATA_DIR: folder, LOG_LEVEL: "silent", ROLE: "worker", METRICS_PORT: "0" };
  const seed = await bundle("seed-recordings");
  const [, { uids }] = await startProgram<{ uids: string[] }>(seed, { ...settings, VALUES: "20000" });
  const [poison = "", innocent = ""] = uids;

  const limits = { SILENT_MS: "4000", CPU_MS: "1500", LOOK_MS: "100" };
  void keepStarting(await bundle("spinning-worker"), { ...settings, ...limits, POISON: poison, INNOCENT: innocent });
  const wait = { timeout: 90_000, interval: 200 };
  await vi.waitFor(async () => {
    expect(await read(innocent)).toEqual({ status: "ready", error_message: null, topics: 1 });
    const reason = "reading this took the worker down";
    expect(await read(poison)).toEqual({ status: "error", error_message: reason, topics: 0 });
  }, wait);
  const left = await onServer(url, (client) =>
    queryRows(
      client,
      { task: text },
      `select j.task from ${queueJobs} j where j.task like 'recordings.process%' and j.payload->>'recordingId' = any($1)`,
      [[poison, innocent]],
    ),
  );
  expect(left).toEqual([]);
  // It ended the worker beside the other one, and then alone.
  expect(ends).toEqual(["SIGKILL", "SIGKILL"]);
  const lines = async () => (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).split("\n");
  const counted = 'muster_deaf_processes_ended_total{role="worker"} 2';
  await vi.waitFor(async () => expect(await lines()).toContain(counted), wait);
  expect(await lines()).toContain('muster_suspects{task="recordings.process-small"} 1');
}, 200_000);
