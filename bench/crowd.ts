import path from "node:path";
import sharp from "sharp";
import { addEvents } from "@/bench/lists";
import { makeFile, upload } from "@/bench/made-file";
import { until, type Product } from "@/bench/product";
import { int8, nullable, queryRows } from "@/server/platform/rows";
import { toByteStream } from "@/server/platform/storage/byte-stream";
import { DiskStore } from "@/server/platform/storage/disk";

/** Size of the long recording, whose IMU writes a thousand messages per second. */
const points = 1_000_000;
const pointsMegabytes = 270;

export interface Crowd {
  device: string;
  recording: string;
  /** The dataset of 100,000 items, and of the exports. */
  dataset: string;
  /** The address of that dataset's page. */
  datasetPath: string;
  /** Nanoseconds. */
  start: bigint;
}

/**
 * Fills the organization like a large fleet: 10,000 devices, 5,000 alerts, 1,000,000 events, a million points per
 * field.
 */
export async function addCrowd(product: Product): Promise<Crowd> {
  const { database, organizationId } = product;
  await database.query(
    `with written as (
       insert into devices (uid, organization_id, name, type, status, tags, firmware_version, last_seen_at, token_hash, token_last_four, updated_at)
       select 'dev_' || gen_random_uuid(), $1, 'robot-' || lpad(n::text, 5, '0'),
         (array['arm','amr','drone','humanoid'])[1 + n % 4], (array['online','online','online','offline','maintenance'])[1 + n % 5],
         array['hall-' || n % 20], '2.' || n % 7 || '.0', now() - (n || ' seconds')::interval, 'bench-' || n, 'none', now()
       from generate_series(1, 10000) n
       returning organization_id, tags, uid)
     insert into device_tags (organization_id, tag, device_id) select organization_id, tag, uid from written, unnest(tags) as tag`,
    [organizationId],
  );
  const device = await product.call<{ uid: string }>("POST", "/fleet/devices/", {
    name: "long-runner",
    tags: ["bench"],
  });
  const rule = await product.call<{ uid: string }>("POST", "/fleet/rules/", {
    name: "Motor too hot",
    condition: { type: "threshold", topic: "/motor_1", field: "temperature", operator: "gt", value: 75 },
    actions: [{ type: "flag_for_review", severity: "error" }],
  });
  const { file } = await makeFile(product, pointsMegabytes);
  const { recording } = await upload(product, device.uid, file);
  const get = () => product.call<{ status: string }>("GET", `/fleet/recordings/${recording}/`);
  await until("the long recording's processing", 300, async () => (await get()).status === "ready");
  const [made] = await queryRows(
    database,
    { samples: int8, start: nullable(int8) },
    `select max(s.sample_count) as samples, min(r.start_ns) as start
     from series s join recordings r on r.uid = s.recording_id where s.recording_id = $1`,
    [recording],
  );
  const { samples, start } = made ?? { samples: 0, start: 0 };
  if (Number(samples) < points * 0.95) throw new Error(`the long recording has ${samples} points a field`);
  await database.query(
    `insert into alerts (uid, organization_id, rule_id, rule_name, rule_version, device_id, device_name, severity, severity_rank, status,
       message, dedupe_key, triggered_at, triggered_ns, resolved_at, updated_at)
     select 'alt_' || gen_random_uuid(), $1, $2, 'Motor too hot', 1, d.uid, d.name,
       (array['info','warning','error','critical'])[1 + n % 4], n % 4, case when n % 2 = 0 then 'open' when n % 3 = 0 then 'acknowledged' else 'resolved' end,
       'temperature was ' || n % 100, 'bench ' || n, now() - (n || ' minutes')::interval, 0,
       case when n % 2 = 1 and n % 3 > 0 then now() end, now()
     from (select uid, name, row_number() over (order by uid) as n from devices where organization_id = $1 limit 5000) d`,
    [organizationId, rule.uid],
  );
  const [counted] = await queryRows(
    database,
    { count: int8 },
    "select count(*) from events where organization_id = $1",
    [organizationId],
  );
  const missing = 1_000_000 - Number(counted?.count ?? 0);
  if (missing > 0) await addEvents(product, missing, { recordingId: recording, deviceId: device.uid });
  const { uid: dataset, path: datasetPath } = await addExports(product);
  await addGroups(product);
  await database.query("analyze");
  return { device: device.uid, recording, dataset, datasetPath, start: BigInt(start ?? 0) };
}

/** 1,000 groups, in a hundred of which are nine each, with ten devices in every one. */
async function addGroups({ database, organizationId }: Product): Promise<void> {
  await database.query(
    `insert into device_groups (uid, organization_id, name, parent_id, ancestors, updated_at)
     select 'grp_bench-' || n, $1, 'line ' || n, case when n > 100 then 'grp_bench-' || 1 + n % 100 end,
       case when n > 100 then array['grp_bench-' || 1 + n % 100] else '{}' end, now()
     from generate_series(1, 1000) n`,
    [organizationId],
  );
  await database.query(
    `insert into device_group_members (group_id, device_id)
     select 'grp_bench-' || 1 + n % 1000, d.uid
     from (select uid, row_number() over (order by uid) as n from devices where organization_id = $1) d`,
    [organizationId],
  );
}

/** How many items the dataset has. */
export const crowdItems = 100_000;

/** A dataset of 100,000 items, which share one thumbnail. */
export async function addManyItems(product: Product): Promise<{ uid: string; path: string }> {
  const { database, organizationId, call, dataDir } = product;
  const { uid, owner_name, slug } = await call<{ uid: string; owner_name: string; slug: string }>(
    "POST",
    "/datasets/",
    { name: "crossings" },
  );
  const thumbnail = await sharp({ create: { width: 320, height: 240, channels: 3, background: "#567" } })
    .webp()
    .toBuffer();
  const key = `datasets/${organizationId}/${uid}/thumbnail`;
  await new DiskStore(path.join(dataDir, "files")).put(key, toByteStream(thumbnail), thumbnail.length);
  await database.query(
    `insert into items (uid, organization_id, dataset_id, key, status, media_type, metadata, storage_key, thumbnail_key, tint, size_bytes)
     select gen_random_uuid(), $1, $2, (array['front','rear'])[1 + n % 2] || '/' || n || '.jpg', 'unattempted', 'image/jpeg',
       jsonb_build_object('width', 640 * (1 + n % 3), 'height', 480), $3 || '-' || n, $3, '#556677', 1000
     from generate_series(1, ${crowdItems}) n`,
    [organizationId, uid, key],
  );
  await database.query(`update datasets set item_count = ${crowdItems}, status = 'created' where uid = $1`, [uid]);
  return { uid, path: `/datasets/${owner_name}/${slug}` };
}

/** 10,000 exports of one dataset of 100,000 items, most of them finished; five are under way and a few wait. */
async function addExports(product: Product): Promise<{ uid: string; path: string }> {
  const { database, organizationId } = product;
  const { uid, path: address } = await addManyItems(product);
  await database.query(
    `insert into exports (uid, organization_id, name, format, status, datasets, slices, projects, total_task_count,
       exported_task_count, storage_key, size_bytes, started_at, completed_at, expires_at, created_at, updated_at)
     select gen_random_uuid(), $1, 'crossings ' || n, (array['YOLO','avala-json-external'])[1 + n % 2], s.status, array[$2], '{}', '{}',
       10000, case s.status when 'exporting' then 4100 else 10000 end, case s.status when 'exported' then 'exports/bench/' || n end,
       n * 1000, now(), case when s.status in ('exported', 'failed') then now() end,
       case s.status when 'exported' then now() + interval '5 days' end, now() - (n || ' minutes')::interval, now() + interval '1 hour'
     from generate_series(1, 10000) n,
       lateral (select case when n <= 5 then 'exporting' when n <= 20 then 'requested' when n % 10 = 0 then 'failed' else 'exported' end as status) s`,
    [organizationId, uid],
  );
  return { uid, path: address };
}
