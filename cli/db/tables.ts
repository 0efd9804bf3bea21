import type pg from "pg";
import { queueMigration } from "@/server/platform/jobs/graphile";
import { arrayOf, bool, notNull, queryRows, text } from "@/server/platform/rows";

/** A part of a partitioned table, with its bounds in UTC: `FOR VALUES FROM (…) TO (…)`. */
export interface Part {
  name: string;
  bounds: string;
}

/** A table that backups contain. `name` is quoted and has its schema. */
export interface Table {
  /** Without quotes: `public.devices`. */
  key: string;
  name: string;
  /** Columns that are not generated, in order, without quotes. */
  columns: string[];
  /** Of a partitioned table, which has all rows of its parts; they are in its schema. */
  parts?: Part[];
}

/** Left out: the state of running processes, and what was applied by which versions, of which the manifest says more. */
const excluded = [
  "public._prisma_migrations",
  "public.releases",
  "public.worker_heartbeats",
  "public.rate_limits",
  "graphile_worker.migrations",
];

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Lists the tables of the product and of its job queue, each after those that it references. Bounds of parts are in the
 * time zone of the session.
 */
export async function listTables(db: pg.ClientBase): Promise<Table[]> {
  const tables = await queryRows(
    db,
    { oid: text, schema: text, table: text, partitioned: bool, columns: arrayOf(text) },
    `select c.oid::text, n.nspname::text as schema, c.relname::text as table, c.relkind = 'p' as partitioned,
      array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = '' order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p') and not c.relispartition
    order by n.nspname desc, c.relname`,
  );
  const references = await queryRows(
    db,
    { source: text, target: text },
    `select conrelid::text as source, confrelid::text as target
    from pg_constraint where contype = 'f' and conrelid <> confrelid`,
  );
  const parts = await listParts(db);
  const waiting = new Map(tables.map((row) => [row.oid, row]));
  const sorted: Table[] = [];
  while (waiting.size > 0) {
    const free = [...waiting.values()].filter(
      ({ oid }) => !references.some(({ source, target }) => source === oid && waiting.has(target)),
    );
    if (free.length === 0) throw new Error("tables reference each other in a cycle");
    for (const { oid, schema, table, columns, partitioned } of free) {
      waiting.delete(oid);
      if (excluded.includes(`${schema}.${table}`)) continue;
      const named = { key: `${schema}.${table}`, name: `${quoted(schema)}.${quoted(table)}`, columns };
      sorted.push(partitioned ? { ...named, parts: parts.get(oid) ?? [] } : named);
    }
  }
  return sorted;
}

/** The parts of each partitioned table, by its oid. Throws an Error for a part that has parts itself. */
async function listParts(db: pg.ClientBase): Promise<Map<string, Part[]>> {
  const rows = await queryRows(
    db,
    { parent: text, name: text, bounds: notNull(text), divided: bool },
    `select i.inhparent::text as parent, c.relname::text as name, pg_get_expr(c.relpartbound, c.oid) as bounds,
      c.relkind = 'p' as divided
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname in ('public', 'graphile_worker') and c.relispartition and c.relkind in ('r', 'p') order by c.relname`,
  );
  const parts = new Map<string, Part[]>();
  for (const { parent, name, bounds, divided } of rows) {
    if (divided) throw new Error(`the part ${name} has parts itself, which is not supported`);
    parts.set(parent, [...(parts.get(parent) ?? []), { name, bounds }]);
  }
  return parts;
}

/** Bounds as PostgreSQL writes them, and nothing after them: values are numbers or in quotes. */
const isBounds = (bounds: string): boolean => {
  const value = String.raw`(?:'(?:[^']|'')*'|[\w.+-]+(?: [\w.+-]+)*)`;
  const values = String.raw`\(${value}(?:, ${value})*\)`;
  return new RegExp(`^(?:DEFAULT|FOR VALUES (?:FROM ${values} TO ${values}|IN ${values}|WITH ${values}))$`).test(
    bounds,
  );
};

/**
 * Gives a partitioned table without rows exactly these parts, inside the open transaction. Throws an Error for bounds
 * that are none.
 */
export async function replaceParts(db: pg.ClientBase, table: Table, parts: readonly Part[]): Promise<void> {
  const schema = quoted(table.key.slice(0, table.key.indexOf(".")));
  for (const { name } of table.parts ?? []) await db.query(`drop table ${schema}.${quoted(name)}`);
  for (const { name, bounds } of parts) {
    if (!isBounds(bounds)) throw new Error(`the part ${name} has the bounds "${bounds}", which are none`);
    await db.query(`create table ${schema}.${quoted(name)} partition of ${table.name} ${bounds}`);
  }
}

/** Makes the parts that writing needs today and in the next days, where a schema that has the tables lacks them. */
export async function makeCurrentParts(db: pg.ClientBase): Promise<void> {
  const made = "to_regprocedure('make_metric_parts(timestamptz, timestamptz)') is not null as there";
  const [routine] = await queryRows(db, { there: bool }, `select ${made}`);
  if (routine?.there) await db.query("select make_metric_parts(now() - interval '8 days', now() + interval '14 days')");
}

/** The triggers that migrations made; names are quoted. */
export const listTriggers = (db: pg.ClientBase): Promise<{ table: string; name: string }[]> =>
  queryRows(
    db,
    { table: text, name: text },
    `select c.oid::regclass::text as table, quote_ident(t.tgname) as name
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and t.tgparentid = 0
      and c.relnamespace = 'public'::regnamespace and p.pronamespace = 'public'::regnamespace`,
  );

/** Returns the migrations that a database has, in order, and the newest of its job queue. */
export async function listMigrations(db: pg.ClientBase): Promise<{ names: string[]; queue: number }> {
  const own = await queryRows(
    db,
    { name: text },
    "select migration_name::text as name from _prisma_migrations where finished_at is not null and rolled_back_at is null order by 1",
  );
  return { names: own.map(({ name }) => name), queue: await queueMigration(db) };
}

/** `bare` without a table, `empty` if Muster's tables have no rows, `filled` with rows or with other tables. */
export async function readState(db: pg.ClientBase): Promise<"bare" | "empty" | "filled"> {
  const [schema] = await queryRows(
    db,
    { there: bool },
    "select to_regclass('public._prisma_migrations') is not null as there",
  );
  if (!schema?.there) {
    const foreign = await db.query(
      "select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' limit 1",
    );
    return foreign.rowCount ? "filled" : "bare";
  }
  for (const { key, name } of await listTables(db)) {
    if (!key.startsWith("public.")) continue;
    const { rowCount } = await db.query(`select 1 from ${name} limit 1`);
    if (rowCount) return "filled";
  }
  return "empty";
}

/** A statement for each relation, routine and type in the schema, except those of extensions. */
const drops = `
  select format('drop %s if exists %s cascade', kind, c.oid::regclass) as statement
  from pg_class c join (values ('r', 'table'), ('p', 'table'), ('f', 'foreign table'), ('v', 'view'),
    ('m', 'materialized view'), ('S', 'sequence')) kinds (relkind, kind) on kinds.relkind = c.relkind::text
  where relnamespace = 'public'::regnamespace
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
  union all
  select format('drop routine if exists %s cascade', p.oid::regprocedure) from pg_proc p
  where pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
  union all
  select format('drop type if exists %s cascade', t.oid::regtype)
  from pg_type t left join pg_class c on c.oid = typrelid
  where typnamespace = 'public'::regnamespace and (typtype in ('e', 'd', 'r') or c.relkind = 'c')
    and not exists (select from pg_depend where classid = 'pg_type'::regclass and objid = t.oid and deptype = 'e')`;

/**
 * Drops everything in the schemas of the product and its job queue, inside the open transaction. The schema public
 * itself stays, with its owner, grants and extensions, which a role of a hosted database may not change.
 */
export async function dropEverything(db: pg.ClientBase): Promise<void> {
  await db.query("drop schema if exists graphile_worker cascade");
  for (const { statement } of await queryRows(db, { statement: text }, drops)) await db.query(statement);
}

/** Whether a Muster uses this database now: its worker writes a heartbeat every two seconds. */
export async function isInUse(db: pg.ClientBase): Promise<boolean> {
  const [schema] = await queryRows(
    db,
    { there: bool },
    "select to_regclass('public.worker_heartbeats') is not null as there",
  );
  if (!schema?.there) return false;
  const { rowCount } = await db.query(
    "select 1 from worker_heartbeats where seen_at > now() - interval '20 seconds' limit 1",
  );
  return Boolean(rowCount);
}

/** The last number that each sequence of the listed schemas gave, by its name with its schema. */
export async function readSequences(db: pg.ClientBase): Promise<Record<string, string>> {
  const rows = await queryRows(
    db,
    { name: notNull(text), last: notNull(text) },
    `select format('%I.%I', schemaname, sequencename) as name, last_value::text as last from pg_sequences
    where schemaname in ('public', 'graphile_worker') and last_value is not null order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

/**
 * Advances the sequences, because rows inserted with explicit numbers do not. `last` are the numbers that
 * `readSequences` found: one that a deleted row had is not given again, because rows elsewhere may still have it.
 */
export async function advanceSequences(db: pg.ClientBase, last: Readonly<Record<string, string>> = {}): Promise<void> {
  const numbered = await queryRows(
    db,
    { table: text, column: text, sequence: notNull(text) },
    `select c.oid::regclass::text as table, quote_ident(a.attname) as column,
      pg_get_serial_sequence(c.oid::regclass::text, a.attname) as sequence
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
      and pg_get_serial_sequence(c.oid::regclass::text, a.attname) is not null`,
  );
  for (const { table, column, sequence } of numbered) {
    await db.query(
      `select setval($1::regclass, greatest((select max(${column}) from ${table})::bigint, $2::bigint, 0) + 1, false)`,
      [sequence, last[sequence] ?? null],
    );
  }
}
