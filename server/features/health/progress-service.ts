import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, type OnDb } from "@/server/platform/db";
import { oneOf, timestamptz } from "@/server/platform/rows";

const names = ["1h", "5m", "raw"] as const;
export type ProgressName = (typeof names)[number];

/** Until when rollups are made (`5m`, `1h`), and until when raw points were emptied (`raw`). */
export type Progress = Record<ProgressName, Date>;

async function readRows(on: OnDb, lock: Prisma.Sql): Promise<Progress> {
  const rows = await query(
    on,
    { name: oneOf(names), at: timestamptz },
    Prisma.sql`select name, at from metric_progress order by name ${lock}`,
  );
  const at = (name: ProgressName): Date => {
    const row = rows.find((each) => each.name === name);
    if (!row) throw new Error(`the progress of ${name} is missing`);
    return row.at;
  };
  return { "1h": at("1h"), "5m": at("5m"), raw: at("raw") };
}

export const readProgress = (on: OnDb): Promise<Progress> => readRows(on, Prisma.empty);

/**
 * Reads the progress inside a transaction and keeps others who change rollups, or the parts they come from, away until its
 * end. Those who write points do not wait for it.
 */
export const lockProgress = (tx: OnDb): Promise<Progress> => readRows(tx, Prisma.sql`for update`);

export async function setProgress(tx: OnDb, name: ProgressName, at: Date): Promise<void> {
  await execute(tx, Prisma.sql`update metric_progress set at = ${at}::timestamptz where name = ${name}`);
}
