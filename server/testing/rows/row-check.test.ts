import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { Prisma } from "@/server/platform/database/generated/client";
import { pool, prisma, query, sql } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import * as t from "@/server/platform/rows";
import { queryRows } from "@/server/platform/rows";
import { checkRows } from "@/server/testing/rows/row-check";
import { listStatements } from "@/server/testing/rows/statements";

const { current: observer } = t.rowObserver;
const reported: { site: string; faults: readonly string[] }[] = [];
beforeAll(() => checkRows(env.DATABASE_URL ?? "", (site, faults) => void reported.push({ site, faults })));
afterAll(() => void (t.rowObserver.current = observer));

/** Every function that sends a statement; it rejects with the faults of the declaration. */
const senders: Record<string, (columns: t.Columns, statement: string) => Promise<unknown>> = {
  sql: (columns, statement) => sql(columns, Prisma.raw(statement)),
  query: (columns, statement) => query({ db: prisma }, columns, Prisma.raw(statement)),
  "query in a transaction": (columns, statement) =>
    prisma.$transaction((db) => query({ db }, columns, Prisma.raw(statement))),
  queryRows: (columns, statement) => t.queryRows(pool, columns, statement),
};
const listFaults = async (via: string, columns: t.Columns, statement: string): Promise<readonly string[]> => {
  const ended = await senders[via]?.(columns, statement).then(
    () => null,
    (error: Error) => error.message,
  );
  const faults = reported.at(-1)?.faults ?? [];
  for (const fault of faults) expect(ended).toContain(fault);
  expect(ended === null).toBe(faults.length === 0);
  return faults;
};

describe.each(Object.keys(senders))("a statement sent by %s", (via) => {
  test("passes with exactly the columns and types that PostgreSQL describes, in any order", async () => {
    const columns = { b: t.arrayOf(t.text), a: t.int4, d: t.nullable(t.timestamptz), c: t.json(z.array(z.number())) };
    const statement = "select 1 as a, array['x'] as b, '[1, 2]'::json as c, null::timestamptz as d";
    expect(await listFaults(via, columns, statement)).toEqual([]);
  });

  test("fails with a column too many, one that is missing or one that comes twice", async () => {
    expect(await listFaults(via, { a: t.int4 }, "select 1 as a, 2 as b")).toEqual(["b is selected but not declared"]);
    expect(await listFaults(via, { a: t.int4, b: t.int4 }, "select 1 as a")).toEqual([
      "b is declared but not selected",
    ]);
    expect(await listFaults(via, { a: t.int4 }, "select 1 as a, 2 as a")).toEqual(["a is selected twice"]);
  });

  test("fails with a column of another type, even without a row", async () => {
    const none = "select count(*) as a, array[1] as b, '{}'::jsonb as c from devices having false";
    expect(await listFaults(via, { a: t.int4, b: t.arrayOf(t.text), c: t.json(z.object({})) }, none)).toEqual([
      "a is declared as int4, and is int8",
      "b is declared as _text, and is _int4",
      "c is declared as json, and is jsonb",
    ]);
  });

  test("fails where a table's column may be null and that is not declared, through subqueries too", async () => {
    const statement = "select r from (select resolved_at as r from alerts) a where false";
    const fault = "r is declared as never null, and alerts.resolved_at may be";
    expect(await listFaults(via, { r: t.timestamptz }, statement)).toEqual([fault]);
    expect(await listFaults(via, { r: t.nullable(t.timestamptz) }, statement)).toEqual([]);
    expect(await listFaults(via, { r: t.notNull(t.timestamptz) }, statement)).toEqual([]);
  });

  test("fails with a row that has a null where none is declared, whatever column it comes from", async () => {
    const outer = "select m.migration_name as a from _prisma_migrations m right join (select 1) one on false";
    const columns = { a: { type: "varchar" } };
    expect(await listFaults(via, columns, outer)).toEqual(["a is declared as never null, and is: null"]);
    expect(await listFaults(via, { a: t.notNull(t.text) }, "select null::text as a")).toHaveLength(1);
    expect(await listFaults(via, { a: t.notNull(t.arrayOf(t.text)) }, "select array[null, 'x'] as a")).toHaveLength(1);
  });

  test("fails with a text that is not one of those allowed", async () => {
    const columns = { a: t.oneOf(["open", "closed"]) };
    expect(await listFaults(via, columns, "select 'open' as a union all select 'odd'")).toEqual([
      'a is declared as one of open, closed: "odd"',
    ]);
  });

  test("fails with a JSON value that its schema refuses, or would change", async () => {
    const columns = { a: t.jsonb(z.object({ n: z.int().default(1) })) };
    expect(await listFaults(via, columns, `select '{"n": 2, "more": true}'::jsonb as a`)).toEqual([]);
    expect(await listFaults(via, columns, `select '{}'::jsonb as a`)).toEqual([
      'a is changed by its schema to {"n":1}: {}',
    ]);
    expect(await listFaults(via, columns, `select '{"n": "2"}'::jsonb as a`)).toHaveLength(1);
    expect(await listFaults(via, { a: t.jsonb(z.int().nullable()) }, `select 'null'::jsonb as a`)).toEqual([]);
  });
});

test("a statement is identified by the line of the call that sends it, as the source search finds it", async () => {
  const found = listStatements(["server/testing/rows/row-check.test.ts"]);
  await sql({ a: t.int4 }, Prisma.sql`select 1 as a`);
  expect(found).toContain(reported.at(-1)?.site);
  await query({ db: prisma }, { a: t.int4 }, Prisma.sql`select 1 as a`);
  expect(found).toContain(reported.at(-1)?.site);
  await queryRows(pool, { a: t.int4 }, "select 1 as a");
  expect(found).toContain(reported.at(-1)?.site);
});

describe("values", () => {
  const columns = {
    text: t.text,
    bool: t.bool,
    int: t.int4,
    small: t.int8,
    big: t.int8,
    float: t.float8,
    numeric: t.numeric,
    time: t.timestamptz,
    bytes: t.bytea,
    list: t.arrayOf(t.float8),
    word: t.nullable(t.oneOf(["a"])),
    json: t.jsonb(z.object({ n: z.number() })),
  };
  const statement = Prisma.sql`select 'x' as text, true as bool, 1 as int, 2::int8 as small, 9007199254740993 as big, 0.5::float8 as float,
    0.10 as numeric, '2026-11-20T09:15:00.120Z'::timestamptz(3) as time, '\\x01'::bytea as bytes, array[0.5::float8] as list,
    null::text as word, '{"n": 1}'::jsonb as json`;
  const same = { text: "x", bool: true, int: 1, float: 0.5, list: [0.5], word: null, json: { n: 1 } };

  test("of `sql` have the form that responses send", async () => {
    const [row] = await sql(columns, statement);
    expectTypeOf(row).toEqualTypeOf<t.Wire<typeof columns> | undefined>();
    expectTypeOf<t.Wire<typeof columns>>().toEqualTypeOf<{
      text: string;
      bool: boolean;
      int: number;
      small: number | string;
      big: number | string;
      float: number;
      numeric: string;
      time: string;
      bytes: Buffer;
      list: number[];
      word: "a" | null;
      json: { n: number };
    }>();
    const bytes = Buffer.from([1]);
    const time = "2026-11-20T09:15:00.120Z";
    expect(row).toEqual({ ...same, small: 2, big: "9007199254740993", numeric: "0.10", time, bytes });
  });

  test("of `query` have the form that Prisma gives them", async () => {
    const [row] = await query({ db: prisma }, columns, statement);
    expectTypeOf<t.Native<typeof columns>>().toEqualTypeOf<{
      text: string;
      bool: boolean;
      int: number;
      small: bigint;
      big: bigint;
      float: number;
      numeric: Prisma.Decimal;
      time: Date;
      bytes: Uint8Array;
      list: number[];
      word: "a" | null;
      json: { n: number };
    }>();
    expect(row).toEqual({
      ...same,
      small: 2n,
      big: 9007199254740993n,
      numeric: new Prisma.Decimal("0.10"),
      time: new Date("2026-11-20T09:15:00.120Z"),
      bytes: new Uint8Array([1]),
    });
  });
});
