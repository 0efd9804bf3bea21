import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";

const mostWords = 200;

/**
 * The first 200 distinct values of a column, in order: hops along an index that begins with organization and that
 * column.
 */
export async function distinctWords(
  ctx: Ctx,
  table: "recording_tags" | "topics" | "event_tags",
  column: "tag" | "name",
): Promise<string[]> {
  const [from, value] = [Prisma.raw(table), Prisma.raw(column)];
  const rows = await sql<{ word: string }>(Prisma.sql`
    with recursive words(word) as (
      (select min(${value}) from ${from} where organization_id = ${ctx.organizationId})
      union all
      select (select min(${value}) from ${from} where organization_id = ${ctx.organizationId} and ${value} > word)
      from words where word is not null
    )
    select word from words where word is not null limit ${mostWords}`);
  return rows.map(({ word }) => word);
}

/** The tags and topics in use on recordings: what filters offer. */
export async function recordingVocabulary(ctx: Ctx): Promise<{ tags: string[]; topics: string[] }> {
  const [tags, topics] = await Promise.all([
    distinctWords(ctx, "recording_tags", "tag"),
    distinctWords(ctx, "topics", "name"),
  ]);
  return { tags, topics };
}
