import pg from "pg";
import { z } from "zod";
import type { Prisma } from "@/server/platform/database/generated/client";
import { processWide } from "@/server/platform/process-wide";

declare const values: unique symbol;

/**
 * A column of a statement's rows: its PostgreSQL type, from which its TypeScript type follows. In production only the
 * compiler uses it; in tests every result is compared with it (server/testing/row-check.ts).
 */
export interface Column<Wire = unknown, Native = Wire> {
  /** The name in pg_type: `text`, `int8`, `_text` for text[]. */
  readonly type: string;
  readonly nullable?: boolean;
  /** The statement excludes the nulls of a nullable column. */
  readonly proven?: boolean;
  /** The only texts that it may contain. */
  readonly allowed?: readonly string[];
  /** The schema of json and jsonb. */
  readonly schema?: z.ZodType;
  /** The column of an element of an array. */
  readonly element?: Column;
  /** Only for the compiler. */
  readonly [values]?: { wire: Wire; native: Native };
}

/** The columns of a statement's rows by name: `{ uid: text, closed_at: nullable(timestamptz) }`. */
export type Columns = Readonly<Record<string, Column>>;

type Values<C extends Column> = C extends { readonly [values]?: infer V } ? Exclude<V, undefined> : never;

/** A row as `sql` reads it: timestamps as ISO text, int8 as number (decimal text beyond 2^53), numeric as text. */
export type Wire<C extends Columns> = { -readonly [Name in keyof C]: Values<C[Name]>["wire" & keyof Values<C[Name]>] };

/** A row as `query` reads it: timestamps as `Date`, int8 as `bigint`, numeric as `Decimal`. */
export type Native<C extends Columns> = {
  -readonly [Name in keyof C]: Values<C[Name]>["native" & keyof Values<C[Name]>];
};

/** Columns whose rows `sql` reads as `Row`. */
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

/** A text that is one of `allowed`. */
export const oneOf = <const Value extends string>(allowed: readonly Value[]): Column<Value> => ({
  type: "text",
  allowed,
});

/** A jsonb value stored as the output of `schema`: with defaults filled in and transforms applied. */
export const jsonb = <S extends z.ZodType>(schema: S): Column<z.output<S>> => ({ type: "jsonb", schema });

/** The same for json, the type of `json_build_object`, `json_agg` and similar functions. */
export const json = <S extends z.ZodType>(schema: S): Column<z.output<S>> => ({ type: "json", schema });

/** Objects with unknown members. */
export const jsonbObject = jsonb(z.record(z.string(), z.unknown()));
export const jsonObject = json(z.record(z.string(), z.unknown()));

/** An array without nulls. */
export const arrayOf = <T extends boolean | number | string>(element: Column<T>): Column<T[]> => ({
  type: `_${element.type}`,
  element,
});

export const nullable = <W, N>(column: Column<W, N>): Column<W | null, N | null> => ({ ...column, nullable: true });

/** A column that is nullable in its table but that the statement selects only where it is not null. */
export const notNull = <W, N>(column: Column<W, N>): Column<W, N> => ({ ...column, proven: true });

const iso = (stamp: string): string =>
  // PostgreSQL prints timestamptz(3) in UTC as "2026-11-20 09:15:00.123+00", without trailing zeros of the fraction.
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

/** Called with each statement that is sent; the function it returns is called with the rows of the result. */
export type RowObserver = (columns: Columns, statement: string) => (rows: readonly object[]) => void;

/** Observes every statement and its rows; set only in tests. */
export const rowObserver = processWide("rowObserver", (): { current?: RowObserver } => ({}));

/** Runs a statement given as text on a pool or connection and returns rows in the form of `sql`. */
export async function queryRows<C extends Columns>(
  on: pg.Pool | pg.ClientBase,
  columns: C,
  statement: string | { name: string; text: string },
  parameters: unknown[] = [],
): Promise<Wire<C>[]> {
  const named = typeof statement === "string" ? { text: statement } : statement;
  const observeRows = rowObserver.current?.(columns, named.text);
  const { rows } = await on.query<Wire<C>>({ ...named, values: parameters, types: wireTypes });
  observeRows?.(rows);
  return rows;
}
