import { createHash } from "node:crypto";
import type { Ctx } from "@/server/platform/context";
import { isSignature, sign } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { invalid } from "@/server/platform/errors";

/** A page of a list; `next` and `previous` are cursors (the REST transport makes URLs of them). */
export interface Page<T> {
  results: T[];
  next: string | null;
  previous: string | null;
  count?: number;
}

export interface PageRequest {
  limit: number;
  cursor?: string | undefined;
}

type Key = readonly (string | number)[];
interface Cursor {
  backwards: boolean;
  key: Key;
}

/** The predicate, order and limit that `fetch` puts into its statement. */
export interface Window {
  where: Prisma.Sql;
  orderBy: Prisma.Sql;
  /** Whether `orderBy` is descending, which it is on the way back of an ascending list. */
  descending: boolean;
  /** What `where` compares the columns with; null on the first page. */
  key: Key | null;
  limit: number;
}

export interface KeysetList<Row> {
  /** Identifies the list; a cursor of another list, filter or organization is refused. */
  name: string;
  filters: unknown;
  page: PageRequest;
  /** Columns, as SQL names, that are unique together, all in one direction. */
  order: { columns: readonly string[]; direction: "asc" | "desc" };
  /** The row's values of those columns, exact as text or integer. */
  key: (row: Row) => Key;
  fetch: (window: Window) => Promise<Row[]>;
  /** What a row adds to the response, where rows may be large: a page of more than `maxPageBytes` ends early. */
  bytes?: (row: Row) => number;
}

const maxPageBytes = 16 * 1024 * 1024;

/** How many rows fit into a page, at least one. */
function countFitting<Row>(rows: readonly Row[], bytes: (row: Row) => number): number {
  let total = 0;
  const beyond = rows.findIndex((row) => (total += bytes(row)) > maxPageBytes);
  return beyond === -1 ? rows.length : Math.max(1, beyond);
}

const binding = (ctx: Ctx, list: Pick<KeysetList<never>, "name" | "filters" | "order">): string =>
  createHash("sha256")
    .update(JSON.stringify([ctx.organizationId, list.name, list.order, list.filters]))
    .digest("base64url")
    .slice(0, 16);

function encodeCursor(bound: string, cursor: Cursor): string {
  const body = Buffer.from(JSON.stringify([cursor.backwards ? 1 : 0, ...cursor.key])).toString("base64url");
  return `${body}.${sign("cursor", `${bound}.${body}`).slice(0, 22)}`;
}

function decodeCursor(bound: string, text: string, width: number): Cursor {
  const refuse = () => invalid("cursor", "Invalid cursor.");
  const [body, signature, ...rest] = text.split(".");
  if (!body || !signature || rest.length > 0 || text.length > 2_048) throw refuse();
  if (!isSignature("cursor", `${bound}.${body}`, signature, 22)) throw refuse();
  const [backwards, ...key] = JSON.parse(Buffer.from(body, "base64url").toString()) as [number, ...(string | number)[]];
  if (key.length !== width) throw refuse();
  return { backwards: backwards === 1, key };
}

/**
 * Reads one page by keyset: every page costs the same, and rows inserted or deleted while paging cause neither repeated
 * nor skipped rows. Throws `invalid("cursor")` for a cursor that was not issued for this list with these filters.
 */
export async function keysetPage<Row>(ctx: Ctx, list: KeysetList<Row>): Promise<Page<Row>> {
  const { columns, direction } = list.order;
  const bound = binding(ctx, list);
  const cursor = list.page.cursor === undefined ? null : decodeCursor(bound, list.page.cursor, columns.length);
  const backwards = cursor?.backwards ?? false;
  const descending = (direction === "desc") !== backwards;

  const names = columns.map((column) => Prisma.raw(column));
  const where = cursor
    ? Prisma.sql`(${Prisma.join(names)}) ${Prisma.raw(descending ? "<" : ">")} (${Prisma.join([...cursor.key])})`
    : Prisma.sql`true`;
  const orderBy = Prisma.raw(columns.map((column) => `${column} ${descending ? "desc" : "asc"}`).join(", "));

  const rows = await list.fetch({ where, orderBy, descending, key: cursor?.key ?? null, limit: list.page.limit + 1 });
  const fitting = list.bytes ? countFitting(rows, list.bytes) : rows.length;
  const length = Math.min(list.page.limit, fitting);
  const more = rows.length > length;
  if (more) rows.length = length;
  if (backwards) rows.reverse();

  const at = (row: Row | undefined, back: boolean) =>
    row === undefined ? null : encodeCursor(bound, { backwards: back, key: list.key(row) });
  const hasNext = backwards ? true : more;
  const hasPrevious = backwards ? more : cursor !== null;
  return {
    results: rows,
    next: hasNext ? at(rows.at(-1), false) : null,
    previous: hasPrevious ? at(rows[0], true) : null,
  };
}

/** Parses an `ordering` such as `-name` into order and cursor key. Ties are ordered by uid, which is by creation. */
export function toOrder<Row extends { uid: string }>(
  ordering: string,
  uidColumn: string,
  columns: Readonly<Record<string, { column: string; key: (row: Row) => string }>>,
): Pick<KeysetList<Row>, "order" | "key"> {
  const by = columns[ordering.replace(/^-/, "")];
  return {
    order: { columns: by ? [by.column, uidColumn] : [uidColumn], direction: ordering.startsWith("-") ? "desc" : "asc" },
    key: (row) => (by ? [by.key(row), row.uid] : [row.uid]),
  };
}
