import { z } from "zod";
import { itemStatuses } from "@/domain/datasets/item-status";
import { filterConditions, parseFilter } from "@/domain/items/filter";
import type { ItemCountQuery } from "@/domain/items/survey-schema";
import { filterSql } from "@/server/features/datasets/filter-queries";
import { selectedDatasets } from "@/server/features/exports/selection-queries";
import { requireSources } from "@/server/features/exports/sources-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, transaction } from "@/server/platform/db";
import { arrayOf, int4, jsonb, notNull, oneOf, text, type Native } from "@/server/platform/rows";
import { findOutage } from "@/server/platform/unavailable";

/** How long the statements of a count may take together, in milliseconds. */
const countMs = 2_000;
/** A longer filter is counted as a whole only. */
const maxConditions = 20;

const sampleRow = {
  uid: text,
  key: text,
  status: oneOf(itemStatuses),
  annotations_count: int4,
  media_type: text,
  dataset_name: text,
  metadata: jsonb(z.object({ width: z.unknown(), height: z.unknown() }).partial()),
};

interface ItemSample extends Omit<Native<typeof sampleRow>, "metadata"> {
  /** In pixels; null of what has no size. */
  width: number | null;
  height: number | null;
}

interface ConditionCount {
  /** The condition as it stands in the filter, from a character up to but not including `to`. */
  text: string;
  from: number;
  to: number;
  /** The items that it holds alone, and those that the filter would hold without it. */
  alone: number;
  without: number;
}

export type ItemCount =
  | { timed_out: true }
  | { timed_out: false; count: number; total: number; samples: ItemSample[]; conditions: ConditionCount[] };

const toNumber = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** Runs `work`, of which no statement may take longer than what is left of `ms`. Null when one took longer. */
export async function withinMs<T>(
  ctx: Ctx,
  ms: number,
  work: (tx: Ctx, limit: () => Promise<void>) => Promise<T>,
): Promise<T | null> {
  const deadline = performance.now() + ms;
  let limited = false;
  try {
    return await transaction(ctx, (tx) =>
      work(tx, async () => {
        const left = Math.max(1, Math.ceil(deadline - performance.now()));
        await query(
          tx,
          { limit: text },
          Prisma.sql`select set_config('statement_timeout', ${`${left}ms`}, true) as limit`,
        );
        limited = true;
      }),
    );
  } catch (error) {
    // Before the first limit, it was a connection that took too long.
    if (limited && findOutage(error) === "timeout") return null;
    throw error;
  }
}

/** SQL condition for the items that an export of these sources has without a filter. */
async function isOfSources(tx: Ctx, sources: Omit<ItemCountQuery, "filter">): Promise<Prisma.Sql> {
  const datasets = await selectedDatasets(tx, { ...sources, filter: "", results: "submitted" });
  if (datasets.length === 0) return Prisma.sql`false`;
  const parts = datasets.map(({ where }) => Prisma.sql`(${where})`);
  return Prisma.sql`i.dataset_id = any(${datasets.map(({ uid }) => uid)}) and (${Prisma.join(parts, " or ")})`;
}

/**
 * How many items of the sources the filter holds, what each of its conditions removes, and the newest five that it
 * holds. One scan counts everything; a count that takes longer than two seconds is stopped. Throws `invalid` as an
 * export of the sources does.
 */
export async function countItems(ctx: Ctx, input: ItemCountQuery, ms = countMs): Promise<ItemCount> {
  await transaction(ctx, (tx) => requireSources(tx, input));
  const filter = parseFilter(input.filter);
  const all = filterConditions(filter);
  const parts = all.length <= maxConditions ? all : [filter];
  const columns = parts.map((part, at) => Prisma.sql`${filterSql(part)} as ${Prisma.raw(`c${at}`)}`);
  const column = (at: number) => Prisma.raw(`c${at}`);
  const misses =
    parts.length === 0
      ? Prisma.sql`0`
      : Prisma.join(
          parts.map((_, at) => Prisma.sql`(not ${column(at)})::int`),
          " + ",
        );
  const perPart = (condition: (at: number) => Prisma.Sql) =>
    Prisma.sql`array[${Prisma.join(parts.map((_, at) => Prisma.sql`count(*) filter (where ${condition(at)})::int`))}]::int[]`;
  const none = Prisma.sql`'{}'::int[]`;
  const counted = await withinMs(ctx, ms, async (tx, limit) => {
    const ofSources = await isOfSources(tx, input);
    await limit();
    const [counts] = await query(
      tx,
      { count: int4, total: int4, alone: notNull(arrayOf(int4)), without: notNull(arrayOf(int4)) },
      Prisma.sql`select count(*) filter (where misses = 0)::int as count, count(*)::int as total,
          ${parts.length === 0 ? none : perPart(column as (at: number) => Prisma.Sql)} as alone,
          ${parts.length === 0 ? none : perPart((at) => Prisma.sql`misses = 0 or misses = 1 and not ${column(at)}`)} as without
        from (select *, ${misses} as misses from (
          select ${Prisma.join([Prisma.sql`i.dataset_id`, ...columns])} from items i where ${ofSources} offset 0) tested) counted`,
    );
    if (!counts || counts.count === 0) return { counts, samples: [] };
    await limit();
    const samples = await query(
      tx,
      sampleRow,
      Prisma.sql`select i.uid, i.key, i.status, i.annotation_count as annotations_count, i.media_type, i.metadata,
          (select d.name from datasets d where d.uid = i.dataset_id) as dataset_name
        from items i where ${ofSources} and ${filterSql(filter)} order by i.uid desc limit 5`,
    );
    return { counts, samples };
  });
  if (!counted?.counts) return { timed_out: true };
  const { counts, samples } = counted;
  return {
    timed_out: false,
    count: counts.count,
    total: counts.total,
    samples: samples.map(({ metadata, ...sample }) => ({
      ...sample,
      width: toNumber(metadata.width),
      height: toNumber(metadata.height),
    })),
    conditions:
      all.length > maxConditions
        ? []
        : all.map(({ from, to }, at) => ({
            text: input.filter.slice(from, to),
            from,
            to,
            alone: counts.alone[at] ?? 0,
            without: counts.without[at] ?? 0,
          })),
  };
}
