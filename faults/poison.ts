import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { upload } from "@/bench/made-file";
import { startProduct, until, type Product } from "@/bench/product";
import { complain, runMuster } from "@/faults/muster";
import { makeRecordings } from "@/faults/recordings";
import type { FaultRun } from "@/faults/run";
import { makeLongRecording } from "@/faults/takeover";
import { promise, verdict } from "@/faults/verdict";
import { endsAlone, jobs } from "@/server/platform/jobs/definitions";
import { queueJobs } from "@/server/platform/jobs/graphile";
import { bool, int4, nullable, queryRows, text } from "@/server/platform/rows";

/** All that is tried of a recording, each after the return of a worker and the release of the job. */
const endSeconds = 600;

/** Kills the worker whenever it processes the recording, until it is no longer `processing`. Resolves to how often. */
async function poison(product: Product, recording: string): Promise<number> {
  let killed = 0;
  const find = () =>
    queryRows(
      product.database,
      { status: text, reading: nullable(bool), attempts: nullable(int4) },
      `select r.status, j.reading, j.attempts::int as attempts from recordings r
         left join ${queueJobs} j on j.task = any($2) and j.payload->>'recordingId' = r.uid where r.uid = $1`,
      [recording, [jobs.processRecording.name, jobs.processSmallRecording.name]],
    );
  let attempt = 0;
  for (const end = performance.now() + endSeconds * 1_000; performance.now() < end; await sleep(20)) {
    const [row] = await find();
    if (row && row.status !== "processing") return killed;
    const { worker } = product.pids();
    if (!row?.reading || row.attempts === null || row.attempts === attempt || worker === null) continue;
    attempt = row.attempts;
    process.kill(worker, "SIGKILL");
    killed++;
  }
  return killed;
}

/** A recording that ends its worker each time, and a job that fails for good. */
export async function provePoison({ folder, at }: FaultRun): Promise<void> {
  const product = await startProduct();
  const failedBefore = verdict().failed;
  try {
    const { uid: device } = await product.call<{ uid: string }>("POST", "/fleet/devices/", { name: "robot" });
    const long = await makeLongRecording(folder, 60);
    const file = { location: long, path: path.basename(long), size: fs.statSync(long).size };
    const { recording } = await upload(product, device, file);
    const began = performance.now();
    const poisoning = poison(product, recording);
    const others: string[] = [];
    for (const made of await makeRecordings(folder, 12))
      others.push((await upload(product, device, made.file)).recording);
    const killed = await poisoning;
    const seconds = (performance.now() - began) / 1_000;
    console.log(`${at()}  the worker was killed ${killed} times`);
    const read = (uid: string) =>
      product.call<{ status: string; error_message: string | null }>("GET", `/fleet/recordings/${uid}/`);
    const end = await read(recording);
    promise(
      `a recording that killed its worker ${killed} times is an error after ${seconds.toFixed(0)} s: ${end.error_message}`,
      end.status === "error" ? [] : [`it is ${end.status}`],
    );
    const expected = 1 + endsAlone;
    promise(
      `it was read ${expected} times: once beside others, and then alone`,
      killed === expected ? [] : [`${killed} times`],
    );
    const unready = async () => {
      const states = await Promise.all(others.map(async (uid) => ({ uid, ...(await read(uid)) })));
      return states.filter(({ status }) => status !== "ready").map(({ uid, status }) => `${uid} is ${status}`);
    };
    await until("the others", 120, async () => (await unready()).length === 0).catch(() => {});
    promise(`the ${others.length} recordings uploaded meanwhile are ready`, await unready());
    await product.call("POST", `/fleet/recordings/${recording}/reprocess/`);
    await until("its processing", 120, async () => (await read(recording)).status === "ready").catch(() => {});
    const again = await read(recording);
    promise("processed again without kills, it is ready", again.status === "ready" ? [] : [`it is ${again.status}`]);
    await proveExhausted(product);
  } finally {
    if (verdict().failed > failedBefore)
      fs.copyFileSync(product.log, path.join(os.tmpdir(), "muster-faults-poison.log"));
    await product.stop();
  }
}

/** A job without attempts left, as one of a later version would be, is listed and can be retried. */
async function proveExhausted(product: Product): Promise<void> {
  const task = jobs.deleteStoredObjects.name;
  const [added] = await queryRows(
    product.database,
    { id: text },
    `select id::text from graphile_worker.add_job($1, json_build_object('prefix', 7), max_attempts => 1)`,
    [task],
  );
  const id = added?.id ?? "";
  const isExhausted = async () => {
    const found = await queryRows(
      product.database,
      { id: text },
      `select j.id::text from ${queueJobs} j where j.id = $1::bigint and j.exhausted`,
      [id],
    );
    return found.length > 0;
  };
  await until("the failure of the job", 60, isExhausted);
  const environment = { DATA_DIR: product.dataDir };
  const listed = await runMuster(["jobs", "list", "--failed"], environment);
  promise(
    "jobs list --failed shows a job without attempts left",
    complain("jobs list", listed, { code: 0, texts: [id, task, "exhausted", "1/1"] }),
  );
  const retried = await runMuster(["jobs", "retry", id], environment);
  promise("jobs retry runs it again", complain("jobs retry", retried, { code: 0, texts: ["1 job runs again"] }));
  // It cannot succeed, so it runs again if it is exhausted again: the retry has given it an attempt.
  const again = await until("another failure of the job", 60, isExhausted).then(
    () => [],
    (error) => [String(error)],
  );
  promise("and it runs with an attempt of its own", again);
}
