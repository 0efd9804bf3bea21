import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { until, type Product } from "@/bench/product";
import { runUpload } from "@/cli/upload-run";
import { generateRecording } from "@/engine/testing/generate-recording";
import type { Fleet } from "@/faults/fleet";
import { quiet } from "@/faults/quiet";
import { promise } from "@/faults/verdict";
import { int4, nullable, queryRows, text } from "@/server/platform/rows";

/** All rows that belong to a recording, byte for byte, with their timestamps. */
const readState = async ({ database }: Product, uid: string, rule: string): Promise<string[]> => {
  const part = (name: string, from: string) =>
    `select '${name}' as part, coalesce(jsonb_agg(to_jsonb(x) order by to_jsonb(x)::text), '[]')::text as rows from (${from}) x`;
  const parts = await queryRows(
    database,
    { part: text, rows: text },
    [
      part("recording", "select * from recordings where uid = $1"),
      part("topics", "select * from topics where recording_id = $1"),
      part("series", "select recording_id, topic, field, md5(data) from series where recording_id = $1"),
      part("stored series", "select * from series_packs where recording_id = $1"),
      part("evaluations", "select * from rule_evaluations where recording_id = $1"),
      part("hits", "select * from rule_hits where recording_id = $1"),
      part("events", "select * from events where recording_id = $1"),
      part("alerts", "select * from alerts where recording_id = $1"),
      part("messages", "select n.* from notifications n join alerts a on a.uid = n.alert_id where a.recording_id = $1"),
      part("rule", "select hit_count, last_hit_ns from rules where uid = $2"),
    ].join(" union all "),
    [uid, rule],
  );
  return parts.map(({ part: name, rows }) => `${name}: ${rows}`);
};

interface Paused {
  recording: string;
  pid: number;
}

/** The statement with which a worker asks for the rules to run on a recording, before it reads its files. */
const asksForRules = "%version, condition, actions, scope, demo from rules%";

/**
 * Uploads the file, and pauses the worker where it has begun its job and asks for the rules. A lock holds it there,
 * outside of any transaction, so that it is there whatever the machine and the file.
 */
async function pauseMidway(product: Product, fleet: Fleet, location: string): Promise<Paused> {
  const device = fleet.devices[0]!;
  const holder = await product.database.connect();
  try {
    await holder.query("begin");
    await holder.query("lock table rules in access exclusive mode");
    const { recording } = await runUpload(
      {
        origin: product.url,
        credential: fleet.key,
        device: device.uid,
        files: [{ location, path: path.basename(location), size: fs.statSync(location).size }],
        name: "pause",
        tags: [],
        wait: false,
        stateFolder: path.join(product.dataDir, "uploaders", "pause"),
      },
      { line: () => {}, begin: () => {}, progress: () => {}, end: () => {} },
    );
    const isHeld = async () => {
      const { rowCount } = await product.database.query(
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like $1",
        [asksForRules],
      );
      return rowCount === 1;
    };
    await until("a worker that asks for the rules", 60, isHeld);
    const { worker } = product.pids();
    if (worker === null) throw new Error("there is no worker");
    process.kill(worker, "SIGSTOP");
    return { recording, pid: worker };
  } finally {
    await holder.query("rollback");
    holder.release();
  }
}

/**
 * Pauses a worker in the middle of a recording until another has taken the job over and finished it. Once resumed, the
 * first one must not change anything. Nothing else may be under way: a paused worker would keep its locks.
 */
export async function proveTakeover(product: Product, fleet: Fleet, location: string): Promise<void> {
  const { uid: rule } = await product.call<{ uid: string }>("POST", "/fleet/rules/", {
    name: "warm",
    condition: { type: "threshold", topic: "/motor_*", field: "temperature", operator: "gt", value: 70 },
    actions: [
      { type: "create_event", event_type: "anomaly", label: "warm" },
      { type: "flag_for_review", severity: "critical" },
    ],
  });
  const { recording, pid } = await pauseMidway(product, fleet, location);
  const pausedAt = performance.now();
  const second = product.addWorker();
  const isReady = async () =>
    (await product.database.query("select 1 from recordings where uid = $1 and status = 'ready'", [recording])).rows
      .length > 0;
  let before: string[] = [];
  try {
    await until("the completion by the other worker", 90, isReady);
    console.log(
      `       another worker finished it ${((performance.now() - pausedAt) / 1_000).toFixed(1)} s after the pause began`,
    );
    await quiet(product, 60);
    before = await readState(product, recording, rule);
  } finally {
    process.kill(pid, "SIGCONT");
  }
  const handoverLines = () =>
    fs
      .readFileSync(product.log, "utf8")
      .split("\n")
      .filter((line) => line.includes("superseded by another worker"));
  await until("the paused worker's log line", 60, async () => handoverLines().length > 0).catch(() => {});
  await sleep(1_500);
  const after = await readState(product, recording, rule);
  promise(
    "a paused worker logs that another took its job over",
    handoverLines().length > 0 ? [] : ["no such line in its log"],
  );
  promise(
    "a paused worker changes nothing of what the other finished",
    before.flatMap((text, at) =>
      text === after[at] ? [] : [`before ${text.slice(0, 300)}`, `after  ${after[at]?.slice(0, 300)}`],
    ),
  );
  const [found] = await queryRows(
    product.database,
    { alerts: int4, events: int4, hits: nullable(int4) },
    `select (select count(*)::int from alerts where recording_id = $1) as alerts,
       (select count(*)::int from events where recording_id = $1) as events,
       (select hit_count from rule_evaluations where rule_id = $2 and recording_id = $1) as hits`,
    [recording, rule],
  );
  const { alerts = 0, events = 0, hits = 0 } = found ?? {};
  promise(
    "its alert is there once, with an event for each hit",
    alerts === 1 && events === Number(hits) && events > 0 ? [] : [JSON.stringify(found)],
  );
  second.kill("SIGTERM");
  if (second.exitCode === null) await once(second, "exit");
}

/** A file that takes a worker some seconds. */
export async function makeLongRecording(folder: string, megabytes: number): Promise<string> {
  const location = path.join(folder, "long.mcap");
  await generateRecording({ path: location, bytes: megabytes * 1e6, compression: "zstd" });
  return location;
}
