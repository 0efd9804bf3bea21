import { z } from "zod";
import { itemStatuses, type ItemStatus } from "@/domain/datasets/item-status";
import {
  type DatasetPath,
  type SequenceFilters,
  type SequenceStatus,
  type UpdateSequence,
  sequenceStatuses,
} from "@/domain/datasets/schema";
import { audit } from "@/server/features/audit/service";
import type { SequenceResource } from "@/server/features/datasets/resource";
import { getDataset } from "@/server/features/datasets/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { notFound } from "@/server/platform/errors";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import { int4, jsonb, notNull, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";

const linkSeconds = 3_600;

const ViewRow = z.object({ key: z.string(), frames: z.number(), thumbnail: z.string().nullable() });
/** A view as stored in its sequence. */
export type ViewRow = z.output<typeof ViewRow>;

const columns = Prisma.sql`s.uid, s.key, s.status, s.frame_count as number_of_frames, s.views, s.created_at`;
const sequenceRow = {
  uid: text,
  key: text,
  status: oneOf(sequenceStatuses),
  number_of_frames: int4,
  views: jsonb(z.array(ViewRow)),
  created_at: timestamptz,
};
type Row = Wire<typeof sequenceRow>;

async function serialize(row: Row, path: DatasetPath): Promise<SequenceResource> {
  const thumbnail = row.views.find((view) => view.thumbnail !== null)?.thumbnail ?? null;
  const items = `/api/v1/datasets/${path.owner}/${path.slug}/items/?ordering=key&sequence=${row.uid}`;
  return {
    ...row,
    featured_image:
      thumbnail === null
        ? ""
        : ((await objectStore().downloadUrl({
            key: thumbnail,
            fileName: `${row.key}.webp`,
            by: null,
            ttlSeconds: linkSeconds,
          })) ?? ""),
    views: row.views.map(({ key, frames }) => ({ key, load: items, metrics: { frames } })),
  };
}

/** The sequences of a dataset, newest first unless ordered otherwise. Throws `not_found`. */
export async function listSequences(
  ctx: Ctx,
  path: DatasetPath,
  filters: SequenceFilters,
): Promise<Page<SequenceResource>> {
  const dataset = await getDataset(ctx, path);
  const { limit, cursor, ordering, status } = filters;
  const page = await keysetPage<Row>(ctx, {
    name: "sequences",
    filters: { dataset: dataset.uid, status },
    page: { limit, cursor },
    ...toOrder<Row>(ordering ?? "-created_at", "s.uid", { key: { column: "s.key", key: (row) => row.key } }),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        sequenceRow,
        Prisma.sql`select ${columns} from sequences s where s.dataset_id = ${dataset.uid} and ${where}
        ${status ? Prisma.sql`and s.status = any(${status})` : Prisma.empty} order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: await Promise.all(page.results.map((row) => serialize(row, path))) };
}

/** One sequence. Throws `not_found`. */
export async function getSequence(ctx: Ctx, path: DatasetPath, uid: string): Promise<SequenceResource> {
  const dataset = await getDataset(ctx, path);
  const [row] = await query(
    ctx,
    sequenceRow,
    Prisma.sql`select ${columns} from sequences s where s.uid = ${uid} and s.dataset_id = ${dataset.uid}`,
  );
  if (!row) throw notFound();
  return serialize({ ...row, created_at: row.created_at.toISOString() }, path);
}

/** Sets a sequence's status, until the next change of its items derives it. Throws `not_found`. */
export async function updateSequence(
  ctx: Ctx,
  path: DatasetPath,
  uid: string,
  { status }: UpdateSequence,
): Promise<SequenceResource> {
  return transaction(ctx, async (tx) => {
    const before = await getSequence(tx, path, uid);
    if (status === undefined || status === before.status) return before;
    await tx.db.sequence.update({ where: { uid }, data: { status } });
    await audit(tx, {
      action: "sequence.updated",
      targetType: "sequence",
      targetId: uid,
      targetName: before.key,
      before: { status: before.status },
      after: { status },
    });
    return { ...before, status };
  });
}

/** The status of a sequence with these numbers of items by status. */
export function deriveSequenceStatus(counts: ReadonlyMap<ItemStatus, number>): SequenceStatus {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const countWith = (status: ItemStatus) => counts.get(status) ?? 0;
  if (countWith("pending") > 0) return "pending";
  if (countWith("rework_required") > 0) return "rework_required";
  if (countWith("customer_approved") === total && total > 0) return "customer_approved";
  if (countWith("completed") + countWith("customer_approved") === total && total > 0) return "completed";
  if (countWith("unattempted") === total) return "unattempted";
  return "ready_for_annotation";
}

/** Derives the statuses of sequences from their items, in the transaction that changed the items. */
export async function updateSequenceStatuses(tx: Ctx, sequenceIds: readonly string[]): Promise<void> {
  const uids = [...new Set(sequenceIds)].sort();
  if (uids.length === 0) return;
  const rows = await query(
    tx,
    { sequence_id: notNull(text), status: oneOf(itemStatuses), count: int4 },
    Prisma.sql`select sequence_id, status, count(*)::int as count from items where sequence_id = any(${uids}) group by 1, 2`,
  );
  const bySequence = new Map<string, Map<ItemStatus, number>>();
  for (const { sequence_id, status, count } of rows) {
    const counts = bySequence.get(sequence_id) ?? new Map<ItemStatus, number>();
    bySequence.set(sequence_id, counts.set(status, count));
  }
  const statuses = [...bySequence].map(([uid, counts]) => [uid, deriveSequenceStatus(counts)] as const);
  await execute(
    tx,
    Prisma.sql`update sequences s set status = f.status, updated_at = now()
      from unnest(${statuses.map(([uid]) => uid)}::text[], ${statuses.map(([, status]) => status)}::text[]) as f(uid, status)
      where s.uid = f.uid and s.status <> f.status`,
  );
}
