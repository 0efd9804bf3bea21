import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { text } from "@/server/platform/rows";

const maxValues = 200;

/** Columns with an index that begins with the organization and the column. */
const indexed = {
  deviceType: ["devices", "type"],
  deviceTag: ["device_tags", "tag"],
  firmware: ["devices", "firmware_version"],
  recordingTag: ["recording_tags", "tag"],
  topic: ["topics", "name"],
  eventTag: ["event_tags", "tag"],
} as const;

/** The first 200 distinct values of a column, in order, read by a loose index scan. */
export async function distinctValues(ctx: Ctx, of: keyof typeof indexed): Promise<string[]> {
  const [table, column] = indexed[of];
  const [from, value] = [Prisma.raw(table), Prisma.raw(column)];
  const rows = await sql(
    { word: text },
    Prisma.sql`
    with recursive words(word) as (
      (select min(${value}) from ${from} where organization_id = ${ctx.organizationId})
      union all
      select (select min(${value}) from ${from} where organization_id = ${ctx.organizationId} and ${value} > word)
      from words where word is not null
    )
    select word from words where word is not null limit ${maxValues}`,
  );
  return rows.map(({ word }) => word);
}
