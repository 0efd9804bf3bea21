import fs from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCameraFile } from "@/bench/camera-file";
import { upload } from "@/bench/made-file";
import { readMemory } from "@/bench/processing";
import { until, type Product } from "@/bench/product";
import { getMedian, report } from "@/bench/report";
import { queryRows, text } from "@/server/platform/rows";

const megabytes = 150;
/** Frames of the short moment: 1.4 seconds of a camera. */
const shortFrames = 41;
const alerts = 1_000;
const rounds = 5;
const frameNs = 1e9 / 30;

interface Dataset {
  uid: string;
  slug: string;
  owner_name: string;
}
interface Moment {
  status: string;
  added: number;
}

const secondsSince = (begun: number): number => (performance.now() - begun) / 1_000;

/** Copies a file as a program does that wants its bytes to last. Resolves to the seconds it took. */
async function copySeconds(location: string): Promise<number> {
  const begun = performance.now();
  const copy = `${location}.copy`;
  fs.copyFileSync(location, copy);
  const handle = await open(copy, "r+");
  await handle.sync();
  await handle.close();
  const seconds = secondsSince(begun);
  fs.rmSync(copy);
  return seconds;
}

/** Adds to a dataset of its own. Resolves once the addition is done, and again once every item is examined. */
async function add(product: Product, body: object, many = false) {
  const { call } = product;
  const dataset = await call<Dataset>("POST", "/datasets/", { name: "moments" });
  const address = `/datasets/${dataset.owner_name}/${dataset.slug}/moments/`;
  const begun = performance.now();
  const { moment_uid: uid } = await call<{ moment_uid: string }>("POST", many ? `${address}many/` : address, body);
  const requested = secondsSince(begun);
  let moment: Moment = { status: "waiting", added: 0 };
  while (moment.status === "waiting" || moment.status === "extracting") {
    await sleep(20);
    moment = await call<Moment>("GET", `${address}${uid}/`);
  }
  if (moment.status !== "done") throw new Error(`the addition is ${moment.status}`);
  const extracted = secondsSince(begun);
  await until("the examination", 600, async () => {
    const { status } = await call<{ status: string }>("GET", `/datasets/${dataset.owner_name}/${dataset.slug}/`);
    return status === "created";
  });
  return { added: moment.added, requested, extracted, examined: secondsSince(begun) };
}

/** What it takes until frames of a recording are items: a short moment, all of 150 MB, and one frame of 1,000 alerts each. */
export async function benchMoments(product: Product): Promise<void> {
  const { call, database, organizationId } = product;
  const location = path.join(product.dataDir, "camera.mcap");
  const camera = await makeCameraFile(location, megabytes * 1e6, { plain: true });
  await sleep(100);
  const { uid: device } = await call<{ uid: string }>("POST", "/fleet/devices/", { name: "camera of moments" });
  const { recording } = await upload(product, device, { location, path: "camera.mcap", size: camera.size });
  const read = () => call<{ status: string }>("GET", `/fleet/recordings/${recording}/`);
  await until("the recording's processing", 300, async () => (await read()).status === "ready");
  const at = (frame: number) => String(camera.start + BigInt(Math.round(frame * frameNs)));
  const range = (from: number, count: number) => ({
    recording_id: recording,
    topics: ["/camera"],
    from: at(from),
    to: at(from + count - 0.5),
  });
  const beside = (name: string, measured: number, target: number, unit: string, note: string) =>
    report({ name, measured, anchor: target, unit, ratio: measured / target, note });

  const dataset = await call<Dataset>("POST", "/datasets/", { name: "previews" });
  const previews: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const begun = performance.now();
    await call("POST", `/datasets/${dataset.owner_name}/${dataset.slug}/moments/preview/`, range(100 * n, shortFrames));
    previews.push(performance.now() - begun);
  }
  beside(`Previewing ${shortFrames} JPEGs`, getMedian(previews), 500, "ms", "beside half a second");

  const shorts: number[] = [];
  for (let n = 0; n < rounds; n++) shorts.push((await add(product, range(100 * n, shortFrames))).examined);
  beside(`${shortFrames} JPEGs until they are items with thumbnails`, getMedian(shorts), 5, "s", "beside the target");

  const { worker } = product.pids();
  if (worker === null) throw new Error("there is no worker");
  const idle = readMemory(worker, "VmRSS");
  fs.writeFileSync(`/proc/${worker}/clear_refs`, "5");
  const copied = await copySeconds(location);
  const all = await add(product, range(0, camera.pictures));
  if (all.added !== camera.pictures) throw new Error(`${all.added} of ${camera.pictures} frames were added`);
  const peak = readMemory(worker, "VmHWM");
  report({
    name: `Extracting ${camera.pictures} JPEGs of ${Math.round(camera.size / 1e6)} MB beside a copy of the file`,
    measured: camera.size / 1e6 / all.extracted,
    anchor: camera.size / 1e6 / copied,
    unit: "MB/s",
    ratio: copied / all.extracted,
    note: `target: 100 MB/s; ${all.extracted.toFixed(1)} s, thumbnails after ${all.examined.toFixed(1)} s`,
  });
  beside("The worker's peak memory meanwhile", peak, idle, "MB", "beside its memory before");

  const rule = await call<{ uid: string }>("POST", "/fleet/rules/", {
    name: "Never",
    condition: { type: "threshold", topic: "/drive", field: "speed", operator: "gt", value: 1e9 },
    actions: [{ type: "flag_for_review", severity: "info" }],
  });
  await database.query(
    `insert into alerts (uid, organization_id, rule_id, rule_name, rule_version, device_id, device_name, severity, severity_rank, status, message,
       dedupe_key, triggered_at, triggered_ns, recording_id, updated_at)
     select 'alt_' || gen_random_uuid(), $1, $7, 'Never', 1, $2, 'camera', 'info', 0, 'open', 'bench', 'moments ' || n, now(),
       $3::bigint + n::bigint * $4::bigint, $5, now() from generate_series(0, $6::int - 1) n`,
    [organizationId, device, String(camera.start), Math.round(frameNs), recording, alerts, rule.uid],
  );
  const rows = await queryRows(database, { uid: text }, "select uid from alerts where recording_id = $1", [recording]);
  const many = await add(product, { alerts: rows.map(({ uid }) => uid), after_ms: 20 }, true);
  beside(`Asking for a frame of ${rows.length} alerts each`, many.requested * 1_000, 1_000, "ms", "beside a second");
  report({
    name: `A frame of ${rows.length} alerts each until all ${many.added} are stored`,
    measured: many.extracted,
    anchor: many.requested,
    unit: "s",
    ratio: many.extracted / many.requested,
    note: `beside the request; with thumbnails after ${many.examined.toFixed(1)} s`,
  });
  await call("DELETE", `/fleet/recordings/${recording}/`);
  fs.rmSync(location);
}
