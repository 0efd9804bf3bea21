import type pg from "pg";
import { bool, int4, queryRows, text } from "@/server/platform/rows";

/**
 * What is wrong with the parts of partitioned tables, which Prisma's engine does not see, as lines that people read: a
 * table without parts, an index that is not on every part, and a part that writing needs and that is not there. Makes
 * parts that are missing; the caller rolls back.
 */
export async function findPartFaults(db: pg.ClientBase): Promise<string[]> {
  const tables = await queryRows(
    db,
    { name: text, parts: int4 },
    `select c.relname::text as name, (select count(*)::int from pg_inherits i where i.inhparent = c.oid) as parts
    from pg_class c where c.relkind = 'p' and c.relnamespace = 'public'::regnamespace order by 1`,
  );
  const indexes = await queryRows(
    db,
    { name: text, part: text },
    `select i.indexrelid::regclass::text as name, p.inhrelid::regclass::text as part
    from pg_index i join pg_class c on c.oid = i.indrelid and c.relkind = 'p' join pg_inherits p on p.inhparent = c.oid
    where c.relnamespace = 'public'::regnamespace and not exists (
      select from pg_index o join pg_inherits h on h.inhrelid = o.indexrelid
      where o.indrelid = p.inhrelid and h.inhparent = i.indexrelid and o.indisvalid)
    order by 1, 2`,
  );
  const [routine] = await queryRows(
    db,
    { there: bool },
    "select to_regprocedure('make_metric_parts(timestamptz, timestamptz)') is not null as there",
  );
  const [made] = routine?.there
    ? await queryRows(
        db,
        { count: int4 },
        "select make_metric_parts(now() - interval '8 days', now() + interval '13 days') as count",
      )
    : [];
  return [
    ...tables.filter(({ parts }) => parts === 0).map(({ name }) => `${name} has no parts`),
    ...indexes.map(({ name, part }) => `the index ${name} is not on the part ${part}`),
    ...(made && made.count > 0 ? [`${made.count} parts from 8 days ago to 13 days from now are missing`] : []),
  ];
}
