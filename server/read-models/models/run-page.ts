import { z } from "zod";
import { itemStatuses } from "@/domain/datasets/item-status";
import type { PredictionPage, RunFailures } from "@/domain/models/schema";
import { getRun } from "@/server/features/models/run-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { arrayOf, bool, float8, int4, jsonb, notNull, nullable, oneOf, text, type Wire } from "@/server/platform/rows";

/** The most labels and reasons of failures that the page of a run shows. */
const shown = { labels: 100, reasons: 50 } as const;
/** The bars into which scores from 0 to 1 are divided. */
const scoreBars = 10;

const Size = z.object({ width: z.number().nullable().catch(null), height: z.number().nullable().catch(null) });
const predictedRow = {
  uid: text,
  key: text,
  status: oneOf(itemStatuses),
  media_type: text,
  size: jsonb(Size),
  tint: nullable(text),
  has_thumbnail: bool,
  labels: notNull(arrayOf(text)),
  /** The highest score; null where the model gives none. */
  max_score: nullable(float8),
  count: int4,
};
/** What a run predicted for an item. */
export type PredictedItem = Wire<typeof predictedRow>;

/** What a run predicted, in the order of the items; those with a label, or whose surest mark has a least score. Throws `not_found`. */
export async function listPredictedItems(ctx: Ctx, input: PredictionPage): Promise<Page<PredictedItem>> {
  const { uid, label, min_score: minScore, limit, cursor } = input;
  await getRun(ctx, uid);
  return keysetPage<PredictedItem>(ctx, {
    name: "predicted-items",
    filters: { uid, label, minScore },
    page: { limit, cursor },
    order: { columns: ["p.item_id"], direction: "asc" },
    key: (item) => [item.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        predictedRow,
        Prisma.sql`select i.uid, i.key, i.status, i.media_type,
            jsonb_build_object('width', i.metadata -> 'width', 'height', i.metadata -> 'height') as size, i.tint, i.thumbnail_key is not null as has_thumbnail, coalesce(p.labels, '{}') as labels,
            p.max_score::float8 as max_score, jsonb_array_length(p.nodes) as count
          from model_predictions p join items i on i.uid = p.item_id and i.organization_id = ${ctx.organizationId}
          where p.run_id = ${uid} and ${where}
          ${label === undefined ? Prisma.empty : Prisma.sql`and ${label} = any(p.labels)`}
          ${minScore === undefined ? Prisma.empty : Prisma.sql`and p.max_score >= ${minScore}::float8`}
          order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** How the predictions of a run are spread. */
export interface RunHistogram {
  /** How many items have each label, the most frequent first. */
  labels: { label: string; count: number }[];
  /** How many items have their highest score in each tenth, from 0 to 1. */
  scores: number[];
  /** Items without any prediction. */
  empty: number;
}

/** Throws `not_found`. */
export async function readHistogram(ctx: Ctx, uid: string): Promise<RunHistogram> {
  await getRun(ctx, uid);
  const [labels, bars, [none]] = await Promise.all([
    sql(
      { label: notNull(text), count: int4 },
      Prisma.sql`select l.label, count(*)::int as count from model_predictions p, unnest(p.labels) as l(label)
        where p.run_id = ${uid} group by l.label order by count desc, l.label limit ${shown.labels}::int`,
    ),
    sql(
      { bar: int4, count: int4 },
      Prisma.sql`select least(floor(p.max_score * ${scoreBars}::int)::int, ${scoreBars - 1}::int) as bar, count(*)::int as count
        from model_predictions p where p.run_id = ${uid} and p.max_score is not null group by 1`,
    ),
    sql(
      { count: int4 },
      Prisma.sql`select count(*)::int as count from model_predictions p where p.run_id = ${uid} and p.nodes = '[]'`,
    ),
  ]);
  const counts = new Map(bars.map(({ bar, count }) => [bar, count]));
  return {
    labels,
    scores: Array.from({ length: scoreBars }, (_, bar) => counts.get(bar) ?? 0),
    empty: none?.count ?? 0,
  };
}

const reasonRow = { error: text, count: int4 };

/** Why items of a run failed, the most frequent reason first. Throws `not_found`. */
export async function listFailureReasons(ctx: Ctx, uid: string): Promise<Wire<typeof reasonRow>[]> {
  await getRun(ctx, uid);
  return sql(
    reasonRow,
    Prisma.sql`select f.error, count(*)::int as count from model_failures f where f.run_id = ${uid}
      group by f.error order by count desc, f.error limit ${shown.reasons}::int`,
  );
}

const failureRow = { uid: text, key: text, error: text };
export type FailedItem = Wire<typeof failureRow>;

/** The items of a run that failed, or those that did for one reason, in their order. Throws `not_found`. */
export async function listFailedItems(ctx: Ctx, input: RunFailures): Promise<Page<FailedItem>> {
  const { uid, error, limit, cursor } = input;
  await getRun(ctx, uid);
  return keysetPage<FailedItem>(ctx, {
    name: "failed-items",
    filters: { uid, error },
    page: { limit, cursor },
    order: { columns: ["f.item_id"], direction: "asc" },
    key: (item) => [item.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        failureRow,
        Prisma.sql`select i.uid, i.key, f.error
          from model_failures f join items i on i.uid = f.item_id and i.organization_id = ${ctx.organizationId}
          where f.run_id = ${uid} and ${where}
          ${error === undefined ? Prisma.empty : Prisma.sql`and f.error = ${error}`}
          order by ${orderBy} limit ${rows}`,
      ),
  });
}
