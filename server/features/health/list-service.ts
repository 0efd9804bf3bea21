import { LRUCache } from "lru-cache";
import { z } from "zod";
import { healthLimits } from "@/domain/health/limits";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, type OnDb, prisma, query, transaction } from "@/server/platform/db";
import { processWide } from "@/server/platform/process-wide";
import { int4, json, nullable, text } from "@/server/platform/rows";

/** By name of a metric: its id, and the position of its values. */
export type Places = ReadonlyMap<string, { id: number; position: number }>;

/** The metrics that a device has sent: the list to which the values of its points belong. */
export interface DeviceList {
  organizationId: string;
  id: number;
  places: Places;
}

/** A connection or transaction, and the organization whose metrics it is about. */
export interface Scope extends OnDb {
  organizationId: string;
}

/** Why names have no place in a list. */
export type Refused = ReadonlyMap<string, "device" | "organization">;

/** The list of a device with names that it has sent now, the places that it had before, and the names that have none. */
export interface Grown {
  list: DeviceList;
  before: Places;
  refused: Refused;
}

interface NamedDevice {
  organizationId: string;
  uid: string;
}

const lists = processWide("metricLists", () => new LRUCache<string, DeviceList>({ max: 20_000 }));

/** The list of a device as it was last read; undefined where it is to be read first. */
export function getKnownList({ uid, organizationId }: NamedDevice): DeviceList | undefined {
  const list = lists.get(uid);
  return list?.organizationId === organizationId ? list : undefined;
}

const loadedRow = {
  uid: text,
  organization_id: text,
  list: int4,
  names: json(z.array(z.object({ id: z.number(), name: z.string() }))),
};

/** Reads the lists of devices that have one. */
export async function loadLists(devices: readonly NamedDevice[]): Promise<void> {
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

/**
 * Adds names to the lists of devices of one organization, of which those beyond its limits or a device's have no place.
 * Devices that do not exist are not in the result. In the transaction of `scope`, if it is one.
 */
export async function growLists(
  scope: Scope,
  uids: readonly string[],
  names: readonly string[],
): Promise<Map<string, Grown>> {
  const grown = await transaction(scope, (tx) => growInTransaction(tx, uids, names));
  // What another transaction has not committed may be taken back.
  if (scope.db === prisma) for (const [uid, { list }] of grown) lists.set(uid, list);
  return grown;
}

async function growInTransaction(
  tx: Scope,
  uids: readonly string[],
  names: readonly string[],
): Promise<Map<string, Grown>> {
  const devices = await query(
    tx,
    { uid: text, list: nullable(int4) },
    Prisma.sql`select uid, metric_list as list from devices
      where uid = any(${[...uids]}::text[]) and organization_id = ${tx.organizationId} order by uid for no key update`,
  );
  const grown = new Map<string, Grown>();
  for (const before of new Set(devices.map(({ list }) => list))) {
    const alike = devices.filter(({ list }) => list === before).map(({ uid }) => uid);
    const after = await growList(tx, before, names);
    if (after.list.id !== before) {
      await execute(
        tx,
        Prisma.sql`update devices set metric_list = ${after.list.id}::int
          where uid = any(${alike}::text[]) and organization_id = ${tx.organizationId}`,
      );
    }
    for (const uid of alike) grown.set(uid, after);
  }
  return grown;
}

/** A list with these names besides; null is that of devices which have sent none. */
async function growList(tx: Scope, before: number | null, names: readonly string[]): Promise<Grown> {
  const known = before === null ? [] : await readNames(tx, before);
  const refused = new Map<string, "device" | "organization">();
  const unknown = names.filter((name) => !known.some((each) => each.name === name));
  const wanted = unknown.slice(0, healthLimits.perDevice - known.length);
  for (const name of unknown.slice(wanted.length)) refused.set(name, "device");
  const added = await addNames(tx, wanted);
  for (const name of wanted) if (!added.some((each) => each.name === name)) refused.set(name, "organization");

  const all = [...known, ...added].sort((a, b) => a.id - b.id);
  const ids = all.map((each) => each.id);
  const id = before !== null && added.length === 0 ? before : await ensureList(tx, ids);
  const list = { organizationId: tx.organizationId, id, places: toPlaces(all) };
  return { list, before: toPlaces(known), refused };
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
