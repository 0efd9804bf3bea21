import type { DeviceVocabulary } from "@/server/features/devices/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";

const mostWords = 200;

/**
 * The distinct values of a column, in order: hops from value to value along an index that begins with organization and
 * column.
 */
const distinct = (ctx: Ctx, table: string, column: string): Prisma.Sql => {
  const [from, value] = [Prisma.raw(table), Prisma.raw(column)];
  return Prisma.sql`
    with recursive words(word) as (
      (select min(${value}) from ${from} where organization_id = ${ctx.organizationId})
      union all
      select (select min(${value}) from ${from} where organization_id = ${ctx.organizationId} and ${value} > word)
      from words where word is not null
    )
    select word from words where word is not null limit ${mostWords}`;
};

/** The types, tags and firmware versions in use, the first 200 of each: what filters and forms offer. */
export async function deviceVocabulary(ctx: Ctx): Promise<DeviceVocabulary> {
  const [types, tags, firmware] = await Promise.all([
    sql<{ word: string }>(distinct(ctx, "devices", "type")),
    sql<{ word: string }>(distinct(ctx, "device_tags", "tag")),
    sql<{ word: string }>(distinct(ctx, "devices", "firmware_version")),
  ]);
  return {
    types: types.map(({ word }) => word),
    tags: tags.map(({ word }) => word),
    firmware: firmware.map(({ word }) => word),
  };
}
