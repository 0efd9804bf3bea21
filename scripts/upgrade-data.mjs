// What `npm run test:upgrade` adds to an installation, reads of it and compares.
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Waits for a state. Throws when it does not come. */
export async function until(label, seconds, check) {
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; await sleep(50)) {
    const found = await check().catch(() => false);
    if (found) return found;
  }
  throw new Error(`${label} did not happen within ${seconds} s`);
}

const sample = (name) => fs.readFileSync(path.join(import.meta.dirname, "../public/samples", name));
const condition = {
  type: "threshold",
  topic: "/motor/state",
  field: "temperature",
  operator: "gt",
  value: 80,
  window: "2s",
};

/** Uploads a file below an address, as the API's guides say. */
async function upload(call, at, name, bytes) {
  const size = bytes.length;
  const { uid: session } = await call("POST", `${at}/init/`, { files: [{ path: name, size_bytes: size }] });
  const { urls } = await call("POST", `${at}/urls/`, { session_uid: session, file_paths: [name] });
  const headers = { "content-type": "application/octet-stream" };
  const sent = await fetch(urls[0].put_url, { method: "PUT", headers, body: bytes });
  const etag = sent.headers.get("etag")?.replaceAll('"', "");
  await call("POST", `${at}/confirm/`, { session_uid: session, files: [{ path: name, etag, size_bytes: size }] });
  await call("POST", `${at}/finalize/`, { session_uid: session });
}

/** Adds one of each through a web process, and waits until workers have made of it what they make. */
export async function addData({ call }, label) {
  const device = await call("POST", "/fleet/devices/", { name: label, type: "arm", tags: [label] });
  const own = (method, at, body) => call(method, at, body, { "x-service-device-token": device.device_token });
  await own("POST", "/fleet/devices/me/heartbeat/", { firmware_version: "1.2.3", metrics: { battery: 0.5 } });
  const actions = [{ type: "flag_for_review", severity: "warning" }];
  const rule = await call("POST", "/fleet/rules/", {
    name: `Too hot, ${label}`,
    condition,
    actions,
    scope: { tags: [label] },
  });
  const { uid: recording } = await own("POST", "/fleet/recordings/", { name: `Run ${label}` });
  await upload(own, `/fleet/recordings/${recording}/upload`, `${label}.mcap`, sample("overheating-arm.mcap"));
  await until(`the reading of ${label}`, 120, async () =>
    ["ready", "error"].includes((await call("GET", `/fleet/recordings/${recording}/`)).status),
  );
  const { status } = await call("GET", `/fleet/recordings/${recording}/`);
  if (status !== "ready") throw new Error(`the recording of ${label} is ${status}`);
  await until(
    `the alert of ${label}`,
    60,
    async () => (await call("GET", `/fleet/alerts/?rule=${rule.uid}`)).results.length === 1,
  );
  const timestamp = "2026-01-01T09:00:25.501Z";
  await call("POST", "/fleet/events/", { recording_id: recording, type: "anomaly", label, timestamp, tags: [label] });
  const dataset = await call("POST", "/datasets/", { name: `Set ${label}`, data_type: "image" });
  const at = `/datasets/${dataset.owner_name}/${dataset.slug}`;
  await upload(call, `${at}/upload`, "crossing.png", sample("crossing.png"));
  await until(`the item of ${label}`, 60, async () => (await call("GET", `${at}/items/`)).results.length === 1);
}

/** What changes by itself: with the time, with what others add, and with the process that answers. */
const changing =
  /^(last_seen_at|status|updated_at|.*url|.*_link|.*_text|.*_count|count|metrics|online|offline|duration|age.*|state.*)$/;

function withoutChanging(value) {
  if (Array.isArray(value)) return value.map(withoutChanging);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !changing.test(name))
      .map(([name, member]) => [name, withoutChanging(member)]),
  );
}

/** Everything that was added, by kind and uid. */
export async function readData({ call }) {
  const found = new Map();
  const add = (kind, rows) => {
    for (const row of rows) found.set(`${kind} ${row.uid ?? row.key}`, withoutChanging(row));
  };
  for (const [kind, at] of [
    ["device", "/fleet/devices/"],
    ["recording", "/fleet/recordings/"],
    ["event", "/fleet/events/"],
    ["rule", "/fleet/rules/"],
    ["alert", "/fleet/alerts/"],
  ])
    for (let next = `${at}?limit=100`; next;) {
      const page = await call("GET", next);
      add(kind, page.results);
      next = page.next === null ? null : `${at}${new URL(page.next, "http://localhost").search}`;
    }
  for (const dataset of (await call("GET", "/datasets/?limit=100")).results) {
    add("dataset", [dataset]);
    add("item", (await call("GET", `/datasets/${dataset.owner_name}/${dataset.slug}/items/`)).results);
  }
  return found;
}

/** Whether `value` has what `before` has; members that only one version knows do not count. */
export function holds(value, before) {
  if (Array.isArray(before))
    return Array.isArray(value) && before.length === value.length && before.every((each, n) => holds(value[n], each));
  if (typeof before !== "object" || before === null) return value === before;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(before).every(([name, member]) => !(name in value) || holds(value[name], member));
}
