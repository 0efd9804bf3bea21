import type { ItemOrdering } from "@/domain/items/grid-schema";
import { Prisma } from "@/server/platform/database/generated/client";
import { invalid } from "@/server/platform/errors";

/** One way of ordering `items i`: columns that are unique together within a dataset, all in one direction. */
export interface ItemOrder {
  descending: boolean;
  columns: Prisma.Sql;
  orderBy: Prisma.Sql;
  /** Where a row stands, as text, from which `from` and `until` compare. */
  anchor: Prisma.Sql;
  /** Rows at an anchor or after it. */
  from: (anchor: string) => Prisma.Sql;
  /** Rows before an anchor. */
  until: (anchor: string) => Prisma.Sql;
  /** Rows before an item. */
  before: (uid: string) => Prisma.Sql;
}

interface Position {
  columns: Prisma.Sql;
  sorted: readonly Prisma.Sql[];
  anchor: Prisma.Sql;
  values: (anchor: string) => Prisma.Sql;
  /** The sorted values of an item, as a row. */
  ofItem: (uid: string) => Prisma.Sql;
}

function readCount(anchor: string): Prisma.Sql {
  const match = /^(\d{1,9}) (\S{1,100})$/.exec(anchor);
  if (!match) throw invalid("from", "Invalid anchor.");
  return Prisma.sql`(${Number(match[1])}::int, ${match[2] ?? ""})`;
}

const positions: Readonly<Record<"created_at" | "key" | "annotations_count", Position>> = {
  // A uid begins with the time at which it was made.
  created_at: {
    columns: Prisma.sql`i.uid`,
    sorted: [Prisma.sql`i.uid`],
    anchor: Prisma.sql`i.uid`,
    values: (anchor) => Prisma.sql`(${anchor})`,
    ofItem: (uid) => Prisma.sql`(${uid})`,
  },
  key: {
    columns: Prisma.sql`i.key`,
    sorted: [Prisma.sql`i.key`],
    anchor: Prisma.sql`i.key`,
    values: (anchor) => Prisma.sql`(${anchor})`,
    ofItem: (uid) => Prisma.sql`((select o.key from items o where o.uid = ${uid}))`,
  },
  annotations_count: {
    columns: Prisma.sql`i.annotation_count, i.uid`,
    sorted: [Prisma.sql`i.annotation_count`, Prisma.sql`i.uid`],
    anchor: Prisma.sql`i.annotation_count || ' ' || i.uid`,
    values: readCount,
    ofItem: (uid) => Prisma.sql`((select o.annotation_count from items o where o.uid = ${uid}), ${uid})`,
  },
};

export function toItemOrder(ordering: ItemOrdering): ItemOrder {
  const descending = ordering.startsWith("-");
  const position = positions[ordering.replace(/^-/, "") as keyof typeof positions];
  const row = Prisma.sql`(${Prisma.join([...position.sorted])})`;
  const direction = Prisma.raw(descending ? "desc" : "asc");
  const [after, before] = descending ? ["<=", ">"] : [">=", "<"];
  return {
    descending,
    columns: position.columns,
    orderBy: Prisma.join(position.sorted.map((column) => Prisma.sql`${column} ${direction}`)),
    anchor: position.anchor,
    from: (anchor) => Prisma.sql`${row} ${Prisma.raw(after ?? "")} ${position.values(anchor)}`,
    until: (anchor) => Prisma.sql`${row} ${Prisma.raw(before ?? "")} ${position.values(anchor)}`,
    before: (uid) => Prisma.sql`${row} ${Prisma.raw(before ?? "")} ${position.ofItem(uid)}`,
  };
}
