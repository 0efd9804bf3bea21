import { LRUCache } from "lru-cache";
import pMap from "p-map";
import { z } from "zod";
import { type FlatMetrics, type IgnoredMetric, ignoredReasons } from "@/domain/health/flatten";
import { healthLimits } from "@/domain/health/limits";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, type OnDb, prisma, query, transaction } from "@/server/platform/db";
import { processWide } from "@/server/platform/process-wide";
import { int4, json, nullable, text } from "@/server/platform/rows";

/** The metrics that a device has sent: the list to which the values of its points belong. */
interface DeviceList {
  organizationId: string;
  id: number;
  /** By name: the id, and the position of its values. */
  places: ReadonlyMap<string, { id: number; position: number }>;
}

/** A text or boolean of a heartbeat; `fresh` when the device has never sent its name before. */
interface StateRow {
  name: number;
  path: readonly string[];
  value: string | boolean;
  fresh: boolean;
}

/** The metrics of a heartbeat as rows: `values` by position in the list, null where it has no number. */
export interface PointRow {
  list: number;
  values: (number | null)[];
  states: StateRow[];
  ignored: IgnoredMetric[];
}

const lists = processWide("metricLists", () => new LRUCache<string, DeviceList>({ max: 20_000 }));

/** A transaction, and the organization whose metrics it is about. */
interface Scope extends OnDb {
  organizationId: string;
}

/** A heartbeat of a device, and the metrics that it has. */
export interface DeviceMetrics {
  organizationId: string;
  uid: string;
  metrics: FlatMetrics;
}

/** The same for a heartbeat each of many devices: null for those that do not exist. Not within a transaction. */
export async function placeEach(devices: readonly DeviceMetrics[]): Promise<(PointRow | null)[]> {
  const known = ({ uid, organizationId }: DeviceMetrics) => {
    const list = lists.get(uid);
    return list?.organizationId === organizationId ? list : undefined;
  };
  const missing = devices.filter((each) => !known(each));
  if (missing.length > 0) await loadLists(missing);
  return pMap(
    devices,
    async (each) => {
      const rows = await placeMetrics({ ...each, db: prisma }, each.uid, [each.metrics]);
      return rows?.[0] ?? null;
    },
    { concurrency: 4 },
  );
}

/**
 * Finds where the metrics of a device's heartbeats belong, and adds names that it has not sent before; those beyond the
 * limits of device or organization are ignored. A row for each heartbeat; null when there is no such device.
 */
export async function placeMetrics(
  ctx: Scope,
  deviceUid: string,
  heartbeats: readonly FlatMetrics[],
): Promise<PointRow[] | null> {
  const names = [...new Set(heartbeats.flatMap(({ numbers, states }) => [...numbers.keys(), ...states.keys()]))];
  const cached = lists.get(deviceUid);
  if (cached?.organizationId === ctx.organizationId && names.every((name) => cached.places.has(name))) {
    return heartbeats.map((metrics) => toRow(metrics, cached, cached.places, new Map()));
  }
  const grown = await transaction(ctx, (tx) => growList(tx, deviceUid, names));
  if (!grown) return null;
  // What another transaction has not committed may be taken back.
  if (ctx.db === prisma) lists.set(deviceUid, grown.list);
  return heartbeats.map((metrics) => toRow(metrics, grown.list, grown.before, grown.refused));
}

type Places = DeviceList["places"];

/** Names that have no place, with the reason. */
type Refused = ReadonlyMap<string, keyof typeof ignoredReasons>;

function toRow(
  { numbers, states, ignored }: FlatMetrics,
  list: DeviceList,
  before: Places,
  refused: Refused,
): PointRow {
  const row: PointRow = { list: list.id, values: [], states: [], ignored: [...ignored] };
  const ignore = (name: string) => {
    const reason = refused.get(name);
    if (reason && row.ignored.length < healthLimits.ignored) row.ignored.push({ name, reason: ignoredReasons[reason] });
  };
  for (const [name, value] of numbers) {
    const place = list.places.get(name);
    if (!place) {
      ignore(name);
      continue;
    }
    while (row.values.length <= place.position) row.values.push(null);
    row.values[place.position] = value;
  }
  for (const [name, { path, value }] of states) {
    const place = list.places.get(name);
    if (place) row.states.push({ name: place.id, path, value, fresh: !before.has(name) });
    else ignore(name);
  }
  return row;
}

const loadedRow = {
  uid: text,
  organization_id: text,
  list: int4,
  names: json(z.array(z.object({ id: z.number(), name: z.string() }))),
};

/** Reads the lists of devices that have one. */
async function loadLists(devices: readonly DeviceMetrics[]): Promise<void> {
  const rows = await query(
    { db: prisma },
    loadedRow,
    Prisma.sql`select d.uid, d.organization_id, l.id as list,
      coalesce((select json_agg(json_build_object('id', n.id, 'name', n.name) order by n.id)
        from metric_names n where n.id = any(l.names)), '[]'::json) as names
      from devices d join metric_lists l on l.id = d.metric_list where d.uid = any(${devices.map(({ uid }) => uid)}::text[])`,
  );
  for (const { uid, organization_id: organizationId, list: id, names } of rows) {
    lists.set(uid, { organizationId, id, places: toPlaces(names) });
  }
}

interface Grown {
  list: DeviceList;
  before: Places;
  refused: Refused;
}

/** The list of a device with these names besides, inside a transaction. */
async function growList(tx: Scope, deviceUid: string, names: readonly string[]): Promise<Grown | null> {
  const { organizationId } = tx;
  const [device] = await query(
    tx,
    { list: nullable(int4) },
    Prisma.sql`select metric_list as list from devices
      where uid = ${deviceUid} and organization_id = ${organizationId} for no key update`,
  );
  if (!device) return null;
  const known = device.list === null ? [] : await readNames(tx, device.list);
  const refused = new Map<string, keyof typeof ignoredReasons>();
  const unknown = names.filter((name) => !known.some((each) => each.name === name));
  const wanted = unknown.slice(0, healthLimits.perDevice - known.length);
  for (const name of unknown.slice(wanted.length)) refused.set(name, "device");
  const added = await addNames(tx, wanted);
  for (const name of wanted) if (!added.some((each) => each.name === name)) refused.set(name, "organization");

  const all = [...known, ...added].sort((a, b) => a.id - b.id);
  const id =
    device.list !== null && added.length === 0
      ? device.list
      : await ensureList(
          tx,
          all.map((each) => each.id),
        );
  if (id !== device.list) {
    await execute(tx, Prisma.sql`update devices set metric_list = ${id}::int where uid = ${deviceUid}`);
  }
  return { list: { organizationId, id, places: toPlaces(all) }, before: toPlaces(known), refused };
}

interface NameRow {
  id: number;
  name: string;
}
const nameRow = { id: int4, name: text };

const toPlaces = (names: readonly NameRow[]): Places =>
  new Map(names.map(({ id, name }, position) => [name, { id, position }]));

const readNames = (tx: Scope, list: number): Promise<NameRow[]> =>
  query(
    tx,
    nameRow,
    Prisma.sql`select n.id, n.name from metric_lists l join metric_names n on n.id = any(l.names)
      where l.id = ${list}::int order by n.id`,
  );

/** The names with their ids; those that the organization has no room for are left out. */
async function addNames(tx: Scope, names: readonly string[]): Promise<NameRow[]> {
  if (names.length === 0) return [];
  // What another device of the fleet has sent is there already: a fleet that returns does not wait for itself.
  const known = await findNames(tx, names);
  if (known.length === names.length) return known;
  const { organizationId } = tx;
  // One at a time, so that together they stay within the limit.
  await execute(tx, Prisma.sql`select pg_advisory_xact_lock(hashtextextended(${`metrics ${organizationId}`}, 0))`);
  const wanted = Prisma.sql`unnest(${[...names]}::text[]) with ordinality as w(name, place)`;
  await execute(
    tx,
    Prisma.sql`insert into metric_names (organization_id, name)
      select ${organizationId}, w.name from ${wanted}
      where not exists (select from metric_names n where n.organization_id = ${organizationId} and n.name = w.name)
      order by w.place
      limit greatest(0, ${healthLimits.perOrganization}::int
        - (select count(*) from metric_names n where n.organization_id = ${organizationId}))`,
  );
  return findNames(tx, names);
}

const findNames = (tx: Scope, names: readonly string[]): Promise<NameRow[]> =>
  query(
    tx,
    nameRow,
    Prisma.sql`select id, name from metric_names
      where organization_id = ${tx.organizationId} and name = any(${[...names]}::text[]) order by id`,
  );

/** The list with exactly these names. */
async function ensureList(tx: Scope, names: readonly number[]): Promise<number> {
  const found = await findList(tx, names);
  if (found !== undefined) return found;
  await execute(
    tx,
    Prisma.sql`insert into metric_lists (organization_id, names) values (${tx.organizationId}, ${[...names]}::int[])
      on conflict do nothing`,
  );
  const made = await findList(tx, names);
  if (made === undefined) throw new Error("a list of metrics was deleted while it was made");
  return made;
}

async function findList(tx: Scope, names: readonly number[]): Promise<number | undefined> {
  const [list] = await query(
    tx,
    { id: int4 },
    Prisma.sql`select id from metric_lists
      where organization_id = ${tx.organizationId} and names = ${[...names]}::int[]`,
  );
  return list?.id;
}
