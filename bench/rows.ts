import { uidAt } from "@/bench/consoles";
import type { Product } from "@/bench/product";
import { float8, queryRows, text } from "@/server/platform/rows";

const recordings = 4_000;

/** What one recording of a robot with ten rules causes: 6 topics, 10 evaluations, 30 events, an alert, three deliveries, items. */
const fills: Readonly<Record<string, string>> = {
  recordings: `insert into recordings (uid, organization_id, device_id, device_name, name, status, format, size_bytes, topic_count,
      message_count, tags, started_at, ended_at, start_ns, end_ns, processed_at, processing_seconds, processing_cpu_seconds, updated_at)
    select 'rec_' || ${uidAt("t.at")}, $1, $2, 'robot-0042', 'run-' || n || '.mcap', 'ready', 'mcap', 100000000, 6, 250000, '{}', t.at,
      t.at + interval '10 minutes', extract(epoch from t.at)::int8 * 1000000000, extract(epoch from t.at)::int8 * 1000000000 + 600000000000,
      t.at, 0.31, 0.52, t.at
    from generate_series(1, ${recordings}) n, lateral (select now() - (${recordings} - n) * interval '5 minutes' as at) t`,
  topics: `insert into topics (recording_id, name, organization_id, device_id, schema_name, encoding, message_count, frequency_hz,
      first_ns, last_ns, median_period_ns, fields)
    select uid, '/sensors/imu_' || n, organization_id, device_id, 'sensor_msgs/msg/Imu', 'cdr', 60000, 100, start_ns, end_ns, 10000000,
      (select jsonb_agg(jsonb_build_object('path', 'linear_acceleration.' || p, 'kind', 'number', 'min', -9.80665, 'max', 9.80665))
        from unnest(array['x','y','z']) p)
    from recordings, generate_series(1, 6) n where device_id = $2 and organization_id = $1 order by uid, n`,
  rule_evaluations: `insert into rule_evaluations (rule_id, recording_id, organization_id, device_id, version, status, duration_ms, evaluated_at)
    select (array(select uid from rules where organization_id = $1 order by uid limit 10))[n], r.uid, $1, $2, 1, 'evaluated', 3, r.processed_at
    from recordings r, generate_series(1, 10) n where device_id = $2 and organization_id = $1 order by r.uid, n`,
  events: `with written as (
      insert into events (uid, organization_id, recording_id, device_id, type, severity, label, timestamp_ns, tags, metadata, source)
      select 'evt_' || ${uidAt("r.processed_at + n * interval '1 millisecond'")}, $1, r.uid, $2, 'anomaly', 'warning', 'Motor ' || n || ' too hot',
        r.start_ns + n::int8 * 1000000000, array['auto'], jsonb_build_object('value', 75.5 + n, 'threshold', 75), 'rule'
      from recordings r, generate_series(1, 30) n where device_id = $2 and organization_id = $1 order by r.uid, n
      returning organization_id, tags, timestamp_ns, uid)
    insert into event_tags (organization_id, tag, timestamp_ns, event_id)
    select organization_id, tag, timestamp_ns, uid from written, unnest(tags) as tag`,
  alerts: `insert into alerts (uid, organization_id, rule_id, rule_name, rule_version, device_id, device_name, recording_id, severity,
      severity_rank, status, message, evidence, dedupe_key, triggered_at, triggered_ns, updated_at)
    select 'alt_' || ${uidAt("r.processed_at")}, $1, (select uid from rules where organization_id = $1 limit 1), 'Motor too hot', 1, $2, 'robot-0042',
      r.uid, 'error', 2, 'open', 'temperature was 76.5 for 3 s', '{"topic": "/motor_1", "field": "temperature", "value": 76.5}', md5(r.uid) || md5(r.name),
      r.started_at, r.start_ns, now()
    from recordings r, generate_series(1, 1) n where device_id = $2 and organization_id = $1 order by r.uid, n`,
  webhook_deliveries: `with written as (
      insert into webhook_deliveries (uid, organization_id, subscription_id, event_type, payload, object_id, status, attempts,
        response_status, response_body, duration_ms, created_at, updated_at)
      select ${uidAt("r.processed_at + n * interval '1 millisecond'")}, $1, md5('hook')::uuid, 'recording.processed',
        json_build_object('event', 'recording.processed', 'recording_uid', r.uid, 'device_uid', $2::text, 'name', r.name, 'status', 'ready'),
        r.uid, 'delivered', 1, 200, 'ok', 40, r.processed_at, r.processed_at
      from recordings r, generate_series(1, 3) n where device_id = $2 and organization_id = $1 order by r.uid, n
      returning uid, created_at)
    insert into webhook_attempts (uid, delivery_id, started_at, duration_ms, ok, status_code, response)
    select gen_random_uuid(), uid, created_at, 40, true, 200, 'ok' from written`,
  items: `insert into items (uid, organization_id, dataset_id, key, status, media_type, metadata, storage_key, thumbnail_key, tint, size_bytes)
    select ${uidAt("r.processed_at + n * interval '1 millisecond'")}, $1, (select uid from datasets where organization_id = $1 limit 1), r.name || '/front/' || n || '.jpg', 'unattempted', 'image/jpeg',
      '{"width": 1280, "height": 720}', 'datasets/' || $1 || '/' || md5(r.uid) || n, 'datasets/' || $1 || '/' || md5(r.uid) || n || '.webp',
      '#556677', 100000
    from recordings r, generate_series(1, 5) n where device_id = $2 and organization_id = $1 order by r.uid, n`,
};
const tables = [...Object.keys(fills), "event_tags", "webhook_attempts"];

/** Bytes of WAL written so far. */
async function readWal(database: Product["database"]): Promise<number> {
  const statement = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes";
  const [row] = await queryRows(database, { bytes: float8 }, statement);
  return row?.bytes ?? 0;
}

/**
 * Fills tables with rows of usual lengths in the order of their time, as the product does, and prints what a row takes in the
 * table, with its long values, and in its indexes: what docs/operations/sizing.md says.
 */
export async function benchRows({ database, organizationId, call }: Product): Promise<void> {
  const { uid } = await call<{ uid: string }>("POST", "/fleet/devices/", { name: "robot-0042" });
  for (let n = 0; n < 10; n++) {
    await call("POST", "/fleet/rules/", {
      name: `Motor ${n} too hot`,
      condition: { type: "threshold", topic: `/motor_${n}`, field: "temperature", operator: "gt", value: 75 },
      actions: [{ type: "flag_for_review", severity: "error" }],
    });
  }
  await call("POST", "/datasets/", { name: "frames" });
  const wal = new Map<string, number>();
  for (const [name, fill] of Object.entries(fills)) {
    const before = await readWal(database);
    await database.query(fill, [organizationId, uid]);
    wal.set(name, (await readWal(database)) - before);
  }
  await database.query("vacuum analyze");
  const sizes = await queryRows(
    database,
    { name: text, rows: float8, table_bytes: float8, index_bytes: float8 },
    `select c.relname::text as name, c.reltuples::float8 as rows, pg_table_size(c.oid)::float8 as table_bytes,
       pg_indexes_size(c.oid)::float8 as index_bytes
     from pg_class c where c.oid = any($1::regclass[]) order by c.relname`,
    [tables],
  );
  for (const { name, rows, table_bytes: table, index_bytes: indexes } of sizes) {
    const [inTable = 0, inIndexes = 0] = [table / rows, indexes / rows].map(Math.round);
    const written = wal.get(name);
    const note = written === undefined ? "" : `; ${Math.round(written / rows)} of WAL, with its rows of other tables`;
    console.log(`${name}: ${inTable} bytes a row and ${inIndexes} of indexes, of ${rows} rows${note}`);
  }
}
