import pg from "pg";
import { z } from "zod";
import type { Prisma } from "@/server/platform/database/generated/client";
import { processWide } from "@/server/platform/process-wide";

declare const values: unique symbol;

/**
 * A column of a statement's rows: the type it has in PostgreSQL, from which its type here follows. In production only
 * the compiler reads it; in tests every answer is compared with it (server/testing/row-check.ts).
 */
export interface Column<Wire = unknown, Native = Wire> {
  /** As in pg_type: `text`, `int8`, `_text` for text[]. */
  readonly type: string;
  readonly nullable?: boolean;
  /** The statement leaves the nulls of a nullable column out. */
  readonly proven?: boolean;
  /** The only texts it may be. */
  readonly allowed?: readonly string[];
  /** Of json and jsonb. */
  readonly schema?: z.ZodType;
  /** Of an array. */
  readonly element?: Column;
  /** Only for the compiler. */
  readonly [values]?: { wire: Wire; native: Native };
}

/** The columns of a statement's rows, each by its name: `{ uid: text, closed_at: nullable(timestamptz) }`. */
export type Columns = Readonly<Record<string, Column>>;

type Values<C extends Column> = C extends { readonly [values]?: infer V } ? Exclude<V, undefined> : never;

/** A row as `sql` reads it: timestamps as ISO text, int8 as a number or beyond 2^53 as decimal text, numeric as text. */
export type Wire<C extends Columns> = { -readonly [Name in keyof C]: Values<C[Name]>["wire" & keyof Values<C[Name]>] };

/** A row as `query` reads it: timestamps as `Date`, int8 as `bigint`, numeric as `Decimal`. */
export type Native<C extends Columns> = {
  -readonly [Name in keyof C]: Values<C[Name]>["native" & keyof Values<C[Name]>];
};

/** The columns of rows that `sql` reads as `Row`. */
export type Declared<Row> = { readonly [Name in keyof Row]: Column<Row[Name], unknown> };

export const text: Column<string> = { type: "text" };
export const bool: Column<boolean> = { type: "bool" };
export const int2: Column<number> = { type: "int2" };
export const int4: Column<number> = { type: "int4" };
export const int8: Column<number | string, bigint> = { type: "int8" };
export const float8: Column<number> = { type: "float8" };
export const numeric: Column<string, Prisma.Decimal> = { type: "numeric" };
export const bytea: Column<Buffer, Uint8Array> = { type: "bytea" };
export const timestamptz: Column<string, Date> = { type: "timestamptz" };

/** A text that is one of few. */
export const oneOf = <const Word extends string>(allowed: readonly Word[]): Column<Word> => ({
  type: "text",
  allowed,
});

/** A jsonb value that is what `schema` makes of it: defaults are filled in, and whatever it transforms is so already. */
export const jsonb = <S extends z.ZodType>(schema: S): Column<z.output<S>> => ({ type: "jsonb", schema });

/** The same for json, which `json_build_object`, `json_agg` and their like make. */
export const json = <S extends z.ZodType>(schema: S): Column<z.output<S>> => ({ type: "json", schema });

/** Objects of which nothing is known but that they are some. */
export const jsonbObject = jsonb(z.record(z.string(), z.unknown()));
export const jsonObject = json(z.record(z.string(), z.unknown()));

/** An array without nulls. */
export const arrayOf = <T extends boolean | number | string>(element: Column<T>): Column<T[]> => ({
  type: `_${element.type}`,
  element,
});

export const nullable = <W, N>(column: Column<W, N>): Column<W | null, N | null> => ({ ...column, nullable: true });

/** A column that may be null in its table, of which the statement takes the rows where it is not. */
export const notNull = <W, N>(column: Column<W, N>): Column<W, N> => ({ ...column, proven: true });

const iso = (stamp: string): string =>
  // "2026-11-20 09:15:00.123+00" as PostgreSQL prints timestamptz(3) in UTC; trailing zeros of the fraction are left
  // out.
  `${stamp.slice(0, 10)}T${stamp.slice(11, 19)}.${stamp
    .slice(20, stamp.length - 3)
    .padEnd(3, "0")
    .slice(0, 3)}Z`;
const integer = (digits: string): number | string => {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : digits;
};
const identity = (digits: string): string => digits;
const wireParsers = new Map<number, (value: string) => unknown>([
  [1184, iso], // timestamptz
  [20, integer], // int8
  [1700, identity], // numeric
]);
const wireTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    wireParsers.get(oid) ?? (pg.types.getTypeParser(oid, format as "text") as (value: string) => unknown),
};

/** Called with each statement that is sent; what it returns, with the answer to it. */
export type RowObserver = (columns: Columns, statement: string) => (rows: readonly object[]) => void;

/** Who looks at every statement and its rows: nobody, but in tests. */
export const rowObserver = processWide("rowObserver", (): { current?: RowObserver } => ({}));

/** A statement as text, on a pool or on a connection of one's own: its rows as `sql` reads them. */
export async function queryRows<C extends Columns>(
  on: pg.Pool | pg.ClientBase,
  columns: C,
  statement: string | { name: string; text: string },
  parameters: unknown[] = [],
): Promise<Wire<C>[]> {
  const named = typeof statement === "string" ? { text: statement } : statement;
  const answered = rowObserver.current?.(columns, named.text);
  const { rows } = await on.query<Wire<C>>({ ...named, values: parameters, types: wireTypes });
  answered?.(rows);
  return rows;
}
