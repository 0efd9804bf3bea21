import { emptyFleet, filledTables, fillFleet, fleetSize } from "@/bench/fill-rows";
import { getMedian } from "@/bench/report";
import { foldItemCounts } from "@/server/features/datasets/item-counts-service";
import { pool, prisma } from "@/server/platform/db";
import { float8, int8, notNull, queryRows, text } from "@/server/platform/rows";
import { makeOrganization } from "@/server/testing/factories";
import { createTrpcCaller, request } from "@/server/testing/requests";

// Fills the database of the environment with fleets of the sizes given and sends what it measures of each to its parent.

/** What one look at a fleet costs: pages of tables and indexes, and the median of its time. */
interface Look {
  name: string;
  pages: number;
  ms: number;
}

export interface FilledFleet {
  events: number;
  looks: Look[];
  /** Bytes of a row by table. */
  bytes: { table: string; rows: number; heap: number; indexes: number }[];
}

const rounds = 9;

/** Pages that the connections of this process read so far; each reports its own when it is asked to. */
async function readPages(): Promise<number> {
  const connections = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  for (const connection of connections) await connection.query("select pg_stat_force_next_flush()");
  for (const connection of connections) connection.release();
  const [row] = await queryRows(
    pool,
    { pages: notNull(float8) },
    `select sum(coalesce(heap_blks_read + heap_blks_hit, 0) + coalesce(idx_blks_read + idx_blks_hit, 0)
       + coalesce(toast_blks_read + toast_blks_hit, 0))::float8 as pages from pg_statio_user_tables`,
  );
  return row?.pages ?? Number.NaN;
}

async function look(name: string, act: () => Promise<unknown>): Promise<Look> {
  await act();
  const before = await readPages();
  await act();
  const pages = (await readPages()) - before;
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await act();
    times.push(performance.now() - began);
  }
  return { name, pages, ms: getMedian(times) };
}

const readBytes = () =>
  queryRows(
    pool,
    { table: notNull(text), rows: notNull(int8), heap: notNull(float8), indexes: notNull(float8) },
    `select relname::text as table, reltuples::bigint as rows, pg_table_size(oid) / reltuples::float8 as heap,
       pg_indexes_size(oid) / reltuples::float8 as indexes from pg_class where oid = any($1::regclass[]) order by relname`,
    [filledTables],
  );

const org = await makeOrganization();
const me = createTrpcCaller(org);

async function measureFleet(events: number): Promise<FilledFleet> {
  await emptyFleet(pool);
  await fillFleet(pool, { organization: org.uid, size: fleetSize(events) });
  await foldItemCounts();
  await pool.query("vacuum analyze item_counts");
  const recording = await prisma.recording.findFirstOrThrow({ where: { status: "ready" }, orderBy: { uid: "desc" } });
  const rule = await prisma.rule.findFirstOrThrow({ where: { name: "Fill 3" } });
  const get = async (path: string) => {
    const { status } = await request("GET", path, { key: org.key });
    if (status !== 200) throw new Error(`${path} responded ${status}`);
  };
  const lists = [
    ...[
      "",
      "order_by=timestamp",
      "type=error",
      "severity=critical,error",
      "tags=hall-3",
      "type=anomaly&severity=info",
    ].map((query) => `events/?${query}`),
    `events/?recording_id=${recording.uid}`,
    `events/?device_id=${recording.deviceId}&type=error`,
    `events/?metadata_filter=${encodeURIComponent('{"value": 12.3}')}`,
    ...["", "status=open", "severity=critical", "status=open&severity=critical"].map((query) => `alerts/?${query}`),
    `alerts/?device_id=${recording.deviceId}`,
    `alerts/?rule_id=${rule.uid}&status=resolved`,
    `alerts/?rule_id=${rule.uid}&device_id=${recording.deviceId}`,
    ...["", "status=error", "ordering=-size_bytes"].map((query) => `recordings/?${query}`),
    "devices/?status=offline",
  ];
  const looks: Look[] = [];
  for (const list of lists)
    looks.push(await look(`list ${list.replace(/(dev|rec|rul)_[0-9a-f-]+/g, "$1")}`, () => get(`/fleet/${list}`)));
  const screens: Record<string, () => Promise<unknown>> = {
    "inbox, open": () => me.alerts.inbox({}),
    "inbox, resolved": () => me.alerts.inbox({ tab: "resolved" }),
    "counts of the inbox": () => me.alerts.inboxCounts({}),
    "open alerts in the rail": () => me.alerts.openBadge({}),
    "tiles of the overview": () => me.overview.tiles({ since: "2026-01-01T00:00:00Z" }),
    "activity of 30 days": () => me.overview.activity({ range: "30d" }),
    "list of devices": () => me.fleet.devices({}),
    "list of recordings": () => me.recordings.overview({}),
    "list of events": () => me.events.overview({}),
    "histogram of all events": () => me.events.histogram({}),
    "histogram of a week": () => me.events.histogram({ since: "2026-02-01T00:00:00Z", until: "2026-02-08T00:00:00Z" }),
    "counts of items by dataset": () => me.datasets.overview({}),
  };
  for (const [name, act] of Object.entries(screens)) looks.push(await look(name, act));
  const bytes = (await readBytes()).map((each) => ({ ...each, rows: Number(each.rows) }));
  return { events, looks, bytes };
}

for (const events of process.argv.slice(2).map(Number)) process.send?.(await measureFleet(events));
await prisma.$disconnect();
await pool.end();
process.disconnect();
