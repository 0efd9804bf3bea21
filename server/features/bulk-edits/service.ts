import {
  bulkEditKinds,
  bulkEditStatuses,
  type BulkEditFailureFilters,
  type BulkEditKind,
  type ItemSelection,
} from "@/domain/bulk-edits/schema";
import { parseFilter } from "@/domain/items/filter";
import { hasRole } from "@/domain/permissions";
import { audit } from "@/server/features/audit/service";
import { filterSql } from "@/server/features/datasets/filter-queries";
import { getDatasetByUid, namedDatasets } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { requireAuthor, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { conflict, invalid, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { bool, int4, nullable, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const row = {
  uid: text,
  dataset: text,
  kind: oneOf(bulkEditKinds),
  status: oneOf(bulkEditStatuses),
  total_count: int4,
  done_count: int4,
  failed_count: int4,
  error_message: nullable(text),
  /** The dataset that items are copied to; null when it is deleted. */
  target_name: nullable(text),
  undoes_uid: nullable(text),
  is_undone: bool,
  created_by_uid: nullable(text),
  created_at: timestamptz,
  completed_at: nullable(timestamptz),
};

/** A change to many items, with its progress. */
export type BulkEditResource = Wire<typeof row>;

const columns = (ctx: Ctx): Prisma.Sql => Prisma.sql`b.uid, b.dataset_id as dataset, b.kind, b.status, b.total_count,
  b.done_count, b.failed_count, b.error_message, t.name as target_name, b.undoes_id as undoes_uid,
  exists (select 1 from bulk_edits x where x.dataset_id = b.dataset_id and x.undoes_id = b.uid) as is_undone,
  b.created_by_id as created_by_uid, b.created_at, b.completed_at
  from bulk_edits b left join datasets t on t.uid = b.target_id and ${isVisible(ctx, "dataset", Prisma.sql`t.uid`)}`;

const visible = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`b.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "dataset", Prisma.sql`b.dataset_id`)}`;

/** One bulk edit with its progress. Throws `not_found`. */
export async function getBulkEdit(ctx: Ctx, uid: string): Promise<BulkEditResource> {
  const [found] = await sql(row, Prisma.sql`select ${columns(ctx)} where ${visible(ctx)} and b.uid = ${uid}`);
  if (!found) throw notFound();
  return found;
}

/** The newest ten bulk edits of a dataset that are running or ended within the last ten minutes. Throws `not_found`. */
export async function listBulkEdits(ctx: Ctx, dataset: string): Promise<BulkEditResource[]> {
  await getDatasetByUid(ctx, dataset);
  return sql(
    row,
    Prisma.sql`select ${columns(ctx)} where ${visible(ctx)} and b.dataset_id = ${dataset}
        and (b.completed_at is null or b.completed_at > now() - interval '10 minutes')
      order by b.uid desc limit 10`,
  );
}

const failureRow = { item_id: text, key: text, error: text };

/** The items that a bulk edit could not change, with the reasons. Throws `not_found`. */
export async function listBulkEditFailures(
  ctx: Ctx,
  { uid, limit, cursor }: BulkEditFailureFilters,
): Promise<Page<Wire<typeof failureRow>>> {
  await getBulkEdit(ctx, uid);
  return keysetPage<Wire<typeof failureRow>>(ctx, {
    name: "bulk-edit-failures",
    filters: { uid },
    page: { limit, cursor },
    order: { columns: ["e.item_id"], direction: "asc" },
    key: (failure) => [failure.item_id],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        failureRow,
        Prisma.sql`select e.item_id, e.key, coalesce(e.error, '') as error from bulk_edit_items e
          where e.edit_id = ${uid} and e.state = 'failed' and ${where} order by ${orderBy} limit ${rows}`,
      ),
  });
}

export interface NewBulkEdit {
  kind: Exclude<BulkEditKind, "undo">;
  selection: ItemSelection;
  metadata?: Record<string, unknown>;
  target?: string;
}

/**
 * Records which items are changed, and queues the job that changes them. Throws `not_found`, `invalid("target")`, and
 * `conflict` when a filter matches another number of items than was expected.
 */
export async function startBulkEdit(
  ctx: Ctx,
  { kind, selection, metadata, target }: NewBulkEdit,
): Promise<BulkEditResource> {
  const { dataset: datasetId, uids, filter, expected } = selection;
  const uid = await transaction(ctx, async (tx) => {
    const dataset = await getDatasetByUid(tx, datasetId);
    if (target !== undefined) await requireTarget(tx, dataset, target);
    const edit = await createEdit(tx, {
      datasetId,
      kind,
      totalCount: 0,
      ...(metadata !== undefined && { metadata: metadata as Prisma.InputJsonObject }),
      targetId: target ?? null,
    });
    const total =
      uids === undefined
        ? await execute(
            tx,
            Prisma.sql`insert into bulk_edit_items (edit_id, item_id) select ${edit}, i.uid from items i
              where i.dataset_id = ${datasetId} and ${filterSql(parseFilter(filter ?? ""))}`,
          )
        : await execute(
            tx,
            Prisma.sql`insert into bulk_edit_items (edit_id, item_id) select ${edit}, u.uid from unnest(${uids}::text[]) u(uid)`,
          );
    if (uids === undefined && total !== expected)
      throw conflict(`The filter matches ${total} items now, not ${expected}.`);
    await tx.db.bulkEdit.update({ where: { uid: edit }, data: { totalCount: total } });
    await audit(tx, {
      action: "dataset.items_changed",
      targetType: "dataset",
      targetId: datasetId,
      targetName: dataset.name,
      after: { kind, items: total, ...(filter !== undefined && { filter }), ...(metadata && { metadata }) },
    });
    return edit;
  });
  return getBulkEdit(ctx, uid);
}

async function requireTarget(tx: Ctx, source: { uid: string; data_type: string }, target: string): Promise<void> {
  const [found] = await namedDatasets(tx, "target", [target]);
  if (found?.uid === source.uid) throw invalid("target", "Choose another dataset than the items are in.");
  if (found && found.data_type !== source.data_type)
    throw invalid("target", `That dataset holds ${found.data_type}, not ${source.data_type}.`);
}

type EditData = Omit<Prisma.BulkEditUncheckedCreateInput, "uid" | "organizationId" | "createdById" | "ofAnybody">;

async function createEdit(tx: Ctx, data: EditData): Promise<string> {
  const uid = uuidv7();
  await tx.db.bulkEdit.create({
    data: {
      ...data,
      uid,
      organizationId: tx.organizationId,
      createdById: tx.actor.userId,
      ofAnybody: hasRole(tx.permissions, "admin"),
    },
  });
  await enqueue(tx, jobs.runBulkEdit, { organizationId: tx.organizationId, editId: uid });
  await announce(tx, "bulk_edit", uid, "created");
  return uid;
}

/** Ends a bulk edit that is running; what it changed stays. Throws `not_found`, `forbidden` for another person's. */
export async function stopBulkEdit(ctx: Ctx, uid: string): Promise<BulkEditResource> {
  requireAuthor(ctx, (await getBulkEdit(ctx, uid)).created_by_uid);
  await transaction(ctx, (tx) => stop(tx, uid));
  return getBulkEdit(ctx, uid);
}

async function stop(tx: Ctx, uid: string): Promise<void> {
  await execute(
    tx,
    Prisma.sql`update bulk_edits set status = 'stopped', completed_at = now(), updated_at = now()
      where uid = ${uid} and organization_id = ${tx.organizationId} and status = 'running'`,
  );
  await announce(tx, "bulk_edit", uid, "updated");
}

/**
 * Puts the metadata back that a bulk edit changed, where it is still what the edit made of it; one that is running is
 * stopped. Throws `not_found`, `forbidden` for another person's, and `invalid` for what cannot be undone.
 */
export async function undoBulkEdit(ctx: Ctx, uid: string): Promise<BulkEditResource> {
  const edit = await getBulkEdit(ctx, uid);
  requireAuthor(ctx, edit.created_by_uid);
  if (edit.kind !== "metadata") throw invalid([], "Only changes of metadata can be undone.");
  const undo = await transaction(ctx, async (tx) => {
    await stop(tx, uid);
    const [locked] = await query(
      tx,
      { is_undone: bool },
      Prisma.sql`select exists (select 1 from bulk_edits x where x.dataset_id = b.dataset_id and x.undoes_id = b.uid) as is_undone
        from bulk_edits b where b.uid = ${uid} for update of b`,
    );
    if (!locked) throw notFound();
    if (locked.is_undone) throw invalid([], "This change was undone already.");
    const before = await tx.db.bulkEdit.findUniqueOrThrow({ where: { uid }, select: { metadata: true } });
    const created = await createEdit(tx, {
      datasetId: edit.dataset,
      kind: "undo",
      totalCount: 0,
      metadata: before.metadata ?? {},
      undoesId: uid,
    });
    const total = await execute(
      tx,
      Prisma.sql`insert into bulk_edit_items (edit_id, item_id, before) select ${created}, e.item_id, e.before
        from bulk_edit_items e where e.edit_id = ${uid} and e.state = 'done' and e.before is not null`,
    );
    await tx.db.bulkEdit.update({ where: { uid: created }, data: { totalCount: total } });
    return created;
  });
  return getBulkEdit(ctx, undo);
}
