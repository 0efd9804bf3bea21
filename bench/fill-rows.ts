import type pg from "pg";
import { queryRows, text } from "@/server/platform/rows";

/** How many rows of each kind a fleet has that is as large as its events say. */
export interface FleetSize {
  events: number;
  devices: number;
  recordings: number;
  alerts: number;
  deliveries: number;
  evaluations: number;
  topics: number;
  items: number;
}

/** The proportions of 3 million events of 2,000 devices; a smaller fleet has fewer devices, but no fewer than 200. */
export const fleetSize = (events: number): FleetSize => ({
  events,
  devices: Math.max(200, Math.ceil(events / 1_500)),
  recordings: Math.ceil(events / 30),
  alerts: Math.ceil(events / 15),
  deliveries: Math.ceil(events / 6),
  evaluations: Math.ceil(events / 3),
  topics: Math.ceil(events / 5),
  items: Math.ceil(events / 15),
});

/** Milliseconds since 1970 of the first recording, and between one recording and the next: 60 days at any size. */
const began = Date.UTC(2026, 0, 1);
const days = 60;

/**
 * Functions of a session: an identifier like those that Muster makes, of a time and a number, and a number below another
 * one that looks random. The same numbers make the same rows.
 */
const functions = `
  create or replace function pg_temp.made_uid(prefix text, ms bigint, n bigint) returns text language sql immutable as $$
    select prefix || substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7' || substr(m, 1, 3) || '-a' || substr(m, 4, 3) || '-' || substr(m, 7, 12)
    from (select lpad(to_hex(ms), 12, '0') as h, md5(prefix || n) as m) x $$;
  create or replace function pg_temp.pick(n bigint, below int) returns int language sql immutable as $$
    select (hashint8(n)::bigint + 2147483648) % below $$;`;

interface Parameters {
  organization: string;
  size: FleetSize;
}

/** The statements that fill each table, in the order in which they need each other. */
function statements({ organization: org, size }: Parameters): [table: string, statement: string][] {
  const stepMs = Math.floor((days * 86_400_000) / size.recordings);
  const device = (n: string) => `pg_temp.made_uid('dev_', ${began}, ${n})`;
  const pickDevice = (recording: string) => device(`pg_temp.pick(${recording} * 7, ${size.devices})`);
  const getStart = (recording: string) => `(${began} + (${recording})::bigint * ${stepMs})`;
  const recording = (n: string) => `pg_temp.made_uid('rec_', ${getStart(n)}, ${n})`;
  const rule = (n: string) => `pg_temp.made_uid('rul_', ${began}, ${n})`;
  const at = (ms: string) => `to_timestamp(${ms} / 1000.0)`;
  const channel = `pg_temp.made_uid('ch_', ${began}, pg_temp.pick(n, 5))`;
  const status = (n: string, first: string, second: string, third: string) =>
    `case when pg_temp.pick(${n}, 100) < 3 then '${first}' when pg_temp.pick(${n}, 100) < 5 then '${second}' else '${third}' end`;
  const severity = (n: string) => `(array['info','warning','error','critical'])[1 + pg_temp.pick(${n} * 3, 4)]`;
  const series = (count: number) => `generate_series(0::bigint, ${count - 1}::bigint) n`;
  return [
    [
      "devices",
      `insert into devices (uid, organization_id, name, type, status, tags, firmware_version, metadata, token_hash, token_last_four, updated_at)
       select ${device("n")}, '${org}', 'robot-' || n, (array['amr','arm','drone','forklift'])[1 + n % 4],
         case when n % 20 = 0 then 'offline' else 'online' end, array['hall-' || n % 5], '2.' || n % 7 || '.0',
         jsonb_build_object('serial', md5(n::text), 'site', 'site-' || n % 12), 'fill ' || n, 'fill', now()
       from ${series(size.devices)}`,
    ],
    [
      "recordings",
      `insert into recordings (uid, organization_id, device_id, device_name, name, status, size_bytes, topic_count, message_count, tags,
         started_at, ended_at, start_ns, end_ns, processed_at, created_at, updated_at)
       select ${recording("n")}, '${org}', ${pickDevice("n")}, 'robot-' || pg_temp.pick(n * 7, ${size.devices}), 'run ' || n,
         ${status("n", "error", "uploaded", "ready")}, 1000000 + pg_temp.pick(n, 200000000), 6, 120000, array['shift-' || n % 3],
         ${at(getStart("n"))}, ${at(`(${getStart("n")} + 600000)`)}, ${getStart("n")} * 1000000, (${getStart("n")} + 600000) * 1000000,
         ${at(getStart("n"))}, ${at(getStart("n"))}, now()
       from ${series(size.recordings)}`,
    ],
    [
      "topics",
      `insert into topics (recording_id, name, organization_id, device_id, schema_name, encoding, message_count, frequency_hz, fields)
       select ${recording("r")}, '/sensors/topic_' || n % 6, '${org}', ${pickDevice("r")}, 'sensor_msgs/msg/Imu', 'cdr', 20000, 100,
         '[{"path":"linear_acceleration.x","kind":"number","min":-9.81,"max":9.81},{"path":"angular_velocity.z","kind":"number","min":-1,"max":1}]'
       from (select n, n / 6 as r from ${series(size.topics)}) x`,
    ],
    [
      "rules",
      `insert into rules (uid, organization_id, name, condition_type, condition, actions, updated_at)
       select ${rule("n")}, '${org}', 'Fill ' || n, 'threshold', '{}', '[]', now() from ${series(10)} on conflict do nothing`,
    ],
    [
      "rule_evaluations",
      `insert into rule_evaluations (rule_id, recording_id, organization_id, device_id, version, status, hit_count, action_results, evaluated_at)
       select ${rule("n % 10")}, ${recording("r")}, '${org}', ${pickDevice("r")}, 1, 'evaluated', pg_temp.pick(n, 3), '[]', ${at(getStart("r"))}
       from (select n, n / 10 as r from ${series(size.evaluations)}) x`,
    ],
    [
      "events",
      `insert into events (uid, organization_id, recording_id, device_id, type, severity, label, timestamp_ns, duration_ns, tags, metadata,
         source, rule_id, created_by_id, created_at)
       select pg_temp.made_uid('evt_', ${getStart("r")} + 700000, n), '${org}', ${recording("r")}, ${pickDevice("r")},
         (array['error','warning','info','state_change','anomaly','custom'])[1 + pg_temp.pick(n, 6)], ${severity("n")},
         'wheel slip ' || n % 50, (${getStart("r")} + n % 30 * 20000) * 1000000 + pg_temp.pick(n, 1000000), case when n % 10 = 0 then 2000000000 end,
         case when n % 3 = 0 then array['slip', 'hall-' || n % 5] else array['slip'] end,
         jsonb_build_object('value', pg_temp.pick(n, 1000) / 10.0, 'zone', 'z' || n % 40),
         case when n % 2 = 0 then 'rule' else 'device' end, case when n % 2 = 0 then ${rule("n % 10")} end,
         case when n % 2 = 1 then ${pickDevice("r")} end, ${at(`(${getStart("r")} + 700000)`)}
       from (select n, n / 30 as r from ${series(size.events)}) x`,
    ],
    [
      "event_tags",
      `insert into event_tags (organization_id, tag, timestamp_ns, event_id)
       select e.organization_id, tag, e.timestamp_ns, e.uid from events e, unnest(e.tags) as tag where e.organization_id = '${org}'`,
    ],
    [
      "alerts",
      `insert into alerts (uid, organization_id, rule_id, rule_name, rule_version, device_id, device_name, recording_id, severity, severity_rank,
         status, message, evidence, dedupe_key, triggered_at, triggered_ns, resolved_at, resolution_reason, assignee_id, created_at, updated_at)
       select pg_temp.made_uid('alt_', ${getStart("r")} + 700000, n), '${org}', ${rule("n % 10")}, 'Fill ' || n % 10, 1, ${pickDevice("r")},
         'robot-' || pg_temp.pick(r * 7, ${size.devices}), ${recording("r")}, ${severity("n")}, pg_temp.pick(n * 3, 4),
         ${status("n", "open", "acknowledged", "resolved")}, '/motor/temp value ' || pg_temp.pick(n, 1000) / 10.0 || ' above 80 for 5 s',
         jsonb_build_object('topic', '/motor/temp', 'field', 'value', 'value', pg_temp.pick(n, 1000) / 10.0, 'threshold', 80),
         ${rule("n % 10")} || ':' || ${pickDevice("r")} || ':' || ${recording("r")}, ${at(`(${getStart("r")} + 5000)`)},
         (${getStart("r")} + 5000) * 1000000, case when pg_temp.pick(n, 100) >= 5 then ${at(`(${getStart("r")} + 900000)`)} end,
         case when pg_temp.pick(n, 100) >= 5 then (array['fixed','expected','false_alarm'])[1 + n % 3] end,
         case when pg_temp.pick(n, 4) = 0 then pg_temp.made_uid('', ${began}, n % 20) end, ${at(`(${getStart("r")} + 700000)`)}, now()
       from (select n, n / 2 as r from ${series(size.alerts)}) x`,
    ],
    [
      "channels",
      `insert into channels (uid, organization_id, name, type, config, updated_at)
       select ${channel}, '${org}', 'fill ' || n, 'webhook', '{}', now() from ${series(20)} on conflict do nothing`,
    ],
    [
      "notifications",
      `insert into notifications (uid, organization_id, channel_id, alert_id, event, status, attempts, status_code, dedupe_key, payload, created_at, updated_at)
       select pg_temp.made_uid('', ${getStart("r")} + 700000, n), '${org}', ${channel}, a.uid, 'opened', 'delivered', 1, 200,
         a.uid || ':' || ${channel} || ':opened:' || n, jsonb_build_object('event', 'opened'), a.created_at, now()
       from (select n, n * 2 / 5 as r from ${series(size.deliveries)}) x
       join lateral (select uid, created_at from alerts where uid = pg_temp.made_uid('alt_', ${getStart("r / 2")} + 700000, r)) a on true`,
    ],
    [
      "datasets",
      `insert into datasets (uid, organization_id, name, slug, data_type, item_count, updated_at)
       values (pg_temp.made_uid('', ${began}, 1), '${org}', 'fill', 'fill', 'image', ${size.items}, now()) on conflict do nothing`,
    ],
    [
      "items",
      `insert into items (uid, organization_id, dataset_id, key, status, media_type, metadata, storage_key, size_bytes, annotation_count, tint,
         sha256, added_by_id, created_at, updated_at)
       select pg_temp.made_uid('', ${getStart("r")} + 700000, n), '${org}', pg_temp.made_uid('', ${began}, 1), 'frames/' || n || '.jpg',
         ${status("n", "pending", "in_progress", "completed")}, 'image/jpeg', jsonb_build_object('width', 1920, 'height', 1080,
           'source', jsonb_build_object('recording_id', ${recording("r")}, 'device_name', 'robot-' || pg_temp.pick(r * 7, ${size.devices}))),
         'datasets/fill/' || md5(n::text), 400000, pg_temp.pick(n, 3), '#' || substr(md5(n::text), 1, 6), md5(n::text) || md5('x' || n),
         null, ${at(`(${getStart("r")} + 700000)`)}, now()
       from (select n, n / 2 as r from ${series(size.items)}) x`,
    ],
  ];
}

/** The tables that are filled, in the order in which rows may be removed. */
export const filledTables = [
  "items",
  "notifications",
  "alerts",
  "event_tags",
  "events",
  "rule_evaluations",
  "topics",
  "recordings",
  "devices",
] as const;

/**
 * Fills an empty fleet of an organization. Indexes that are not keys are made afterwards, in the order of a table that was
 * just rewritten, so that bytes do not depend on how the rows came.
 */
export async function fillFleet(database: pg.Pool, parameters: Parameters): Promise<void> {
  const client = await database.connect();
  try {
    await client.query("set maintenance_work_mem = '256MB'");
    await client.query("set synchronous_commit = off");
    await client.query(functions);
    const indexes = await queryRows(
      client,
      { name: text, definition: text },
      `select c.relname::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i join pg_class c on c.oid = i.indexrelid
       where i.indrelid = any($1::regclass[]) and not i.indisunique`,
      [filledTables],
    );
    for (const { name } of indexes) await client.query(`drop index "${name}"`);
    for (const [table, statement] of statements(parameters)) {
      const from = performance.now();
      await client.query(statement);
      if (performance.now() - from > 5_000)
        console.log(`  ${table}: ${Math.round((performance.now() - from) / 1_000)} s`);
      await client.query(`analyze ${table}`);
    }
    for (const { definition } of indexes) await client.query(definition);
    for (const table of filledTables) await client.query(`vacuum analyze ${table}`);
  } finally {
    client.release();
  }
}

/** Removes what was filled. */
export async function emptyFleet(database: pg.Pool): Promise<void> {
  await database.query(`truncate ${filledTables.join(", ")}, item_counts cascade`);
}
