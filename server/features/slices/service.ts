import { createHash } from "node:crypto";
import { atMost, blank, longerThan } from "@/domain/field-messages";
import { parseFilter } from "@/domain/items/filter";
import { maxNameLength } from "@/domain/limits";
import type { CreateSlice, SliceFilters, SliceItemFilters, SlicePath, UpdateSlice } from "@/domain/slices/schema";
import { audit, difference } from "@/server/features/audit/service";
import { filterSql } from "@/server/features/datasets/filter-queries";
import { itemColumns, serializeItem, type ItemRow, itemRow } from "@/server/features/datasets/item-queries";
import { itemsChanged } from "@/server/features/datasets/items-changed";
import type { SliceItem } from "@/server/features/datasets/resource";
import { getDatasetByUid, lockDataset, namedDatasets } from "@/server/features/datasets/service";
import { requireOwn } from "@/server/features/membership/access-service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { leaveToAdmins } from "@/server/features/membership/assignment-service";
import { announceDeletion } from "@/server/features/membership/change-audience-service";
import { isReserved, toSlug } from "@/server/features/membership/names";
import type { NameCheck, SliceResource } from "@/server/features/slices/resource";
import { requireAuthor, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { int4, nullable, text, timestamptz, type Native } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const columns = Prisma.sql`s.uid, s.name, s.slug, s.description, s.item_count, s.created_at, s.updated_at, s.dataset_id as dataset,
  s.filter as filter_query_string, s.created_by_id as created_by_uid`;
const sliceRow = {
  uid: text,
  name: text,
  slug: text,
  description: text,
  item_count: int4,
  created_at: timestamptz,
  updated_at: timestamptz,
  dataset: text,
  filter_query_string: text,
  created_by_uid: nullable(text),
};

type Listed = Page<SliceResource> & { count: number };

/** The slices of the organization whose dataset the caller sees. */
export const visible = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`s.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "dataset", Prisma.sql`s.dataset_id`)}`;

const pageOfSlices = (
  ctx: Ctx,
  { limit, cursor, ordering }: SliceFilters,
  of: { dataset?: string },
): Promise<Page<SliceResource>> =>
  keysetPage<SliceResource>(ctx, {
    name: "slices",
    filters: of,
    page: { limit, cursor },
    ...toOrder<SliceResource>(ordering ?? "-created_at", "s.uid", {
      name: { column: "s.name", key: (row) => row.name },
    }),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        sliceRow,
        Prisma.sql`select ${columns} from slices s where ${visible(ctx)} and ${where}
        ${of.dataset === undefined ? Prisma.empty : Prisma.sql`and s.dataset_id = ${of.dataset}`} order by ${orderBy} limit ${rows}`,
      ),
  });

/** The slices of an owner, newest first. Throws `not_found` unless the owner is the organization's slug. */
export async function listSlices(ctx: Ctx, owner: string, filters: SliceFilters): Promise<Listed> {
  await requireOwn(ctx, owner);
  const page = await pageOfSlices(ctx, filters, {});
  // The datasets that the caller does not see are few, and each knows the number of its slices.
  const [counted] = await query(
    ctx,
    { count: int4 },
    Prisma.sql`select (o.slice_count - coalesce((select sum(d.slice_count) from datasets d
        where d.organization_id = o.uid and not ${isVisible(ctx, "dataset", Prisma.sql`d.uid`)}), 0))::int as count
      from organizations o where o.uid = ${ctx.organizationId}`,
  );
  return { ...page, count: counted?.count ?? 0 };
}

/** The slices of one dataset, newest first. Throws `not_found`. */
export async function listDatasetSlices(ctx: Ctx, datasetUid: string, filters: SliceFilters): Promise<Listed> {
  const dataset = await getDatasetByUid(ctx, datasetUid);
  const page = await pageOfSlices(ctx, filters, { dataset: dataset.uid });
  const counted = await ctx.db.dataset.findUnique({ where: { uid: dataset.uid }, select: { sliceCount: true } });
  return { ...page, count: counted?.sliceCount ?? 0 };
}

/** One slice, by its path. Throws `not_found`. */
export async function getSlice(
  ctx: Ctx,
  { owner, slug }: SlicePath,
  lock: Prisma.Sql = Prisma.empty,
): Promise<SliceResource> {
  await requireOwn(ctx, owner);
  const [row] = await query(
    ctx,
    sliceRow,
    Prisma.sql`select ${columns} from slices s where ${visible(ctx)} and s.slug = ${slug} ${lock}`,
  );
  if (!row) throw notFound();
  return toSlice(row);
}

const toSlice = (row: Native<typeof sliceRow>): SliceResource => ({
  ...row,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** The path of a slice that the caller sees. Throws `not_found`. */
export async function findSlicePath(ctx: Ctx, uid: string): Promise<SlicePath> {
  const [found] = await query(
    ctx,
    { owner: text, slug: text },
    Prisma.sql`select o.slug as owner, s.slug from slices s join organizations o on o.uid = s.organization_id
      where ${visible(ctx)} and s.uid = ${uid}`,
  );
  if (!found) throw notFound();
  return found;
}

/** The slices that a body names, in its order, each once. Throws `invalid(field)` for one that the caller does not see. */
export async function namedSlices(tx: Ctx, field: string, uids: readonly string[]): Promise<SliceResource[]> {
  const unique = [...new Set(uids)];
  // Datasets first, as whoever deletes one of them does.
  await execute(
    tx,
    Prisma.sql`select d.uid from datasets d where d.uid in (select s.dataset_id from slices s where ${visible(tx)}
      and s.uid = any(${unique})) order by d.uid for key share`,
  );
  const rows = await query(
    tx,
    sliceRow,
    Prisma.sql`select ${columns} from slices s where ${visible(tx)} and s.uid = any(${unique}) for key share of s`,
  );
  const found = new Map(rows.map((row) => [row.uid, toSlice(row)]));
  return unique.map((uid) => {
    const slice = found.get(uid);
    if (!slice) throw invalid(field, `Invalid pk "${uid}" - object does not exist.`);
    return slice;
  });
}

/** Throws `not_found`, and `forbidden` for a member who did not make the slice. */
export async function requireSliceAuthor(
  ctx: Ctx,
  path: SlicePath,
  lock: Prisma.Sql = Prisma.empty,
): Promise<SliceResource> {
  const slice = await getSlice(ctx, path, lock);
  requireAuthor(ctx, slice.created_by_uid);
  return slice;
}

const taken = "A slice with this name already exists.";

/** Whether a slice name is available, and its slug: derived from its letters and digits, else a hash of the name. */
export async function checkSliceName(ctx: Ctx, name: string): Promise<NameCheck> {
  const slug =
    name.trim() === "" ? "" : (toSlug(name) ?? `slice-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`);
  const errors: string[] = [];
  if (name.trim() === "") errors.push(blank);
  else if (longerThan(name, maxNameLength)) errors.push(atMost(maxNameLength));
  else if (isReserved(slug)) errors.push("This name is reserved.");
  else if ((await ctx.db.slice.count({ where: { organizationId: ctx.organizationId, slug } })) > 0) errors.push(taken);
  return { valid: errors.length === 0, slug, errors };
}

/**
 * Creates a slice; a job counts its items. Throws `invalid("name")` for a name that is taken or reserved, and
 * `invalid("dataset")`.
 */
export async function createSlice(ctx: Ctx, input: CreateSlice): Promise<SliceResource> {
  return transaction(ctx, async (tx) => {
    const [dataset] = await namedDatasets(tx, "dataset", [input.dataset]);
    const { slug, errors } = await checkSliceName(tx, input.name);
    if (errors.length > 0 || !dataset) throw invalid("name", ...errors);
    const uid = uuidv7();
    const { count } = await tx.db.slice.createMany({
      data: [
        {
          uid,
          organizationId: tx.organizationId,
          datasetId: dataset.uid,
          name: input.name,
          slug,
          description: input.description ?? "",
          filter: input.filter_query_string?.trim() ?? "",
          createdById: tx.actor.userId,
        },
      ],
      skipDuplicates: true,
    });
    if (count === 0) throw invalid("name", taken);
    await execute(
      tx,
      Prisma.sql`update organizations set slice_count = slice_count + 1 where uid = ${tx.organizationId}`,
    );
    await execute(tx, Prisma.sql`update datasets set slice_count = slice_count + 1 where uid = ${dataset.uid}`);
    await itemsChanged(tx, dataset.uid);
    await audit(tx, { action: "slice.created", targetType: "slice", targetId: uid, targetName: input.name });
    await announce(tx, "slice", uid, "created");
    return getSlice(tx, { owner: dataset.owner_name, slug });
  });
}

/**
 * Changes the given members; a job counts the items of another filter. Throws `not_found`, `forbidden` for another
 * member's, and `invalid("name")` for the name of another slice.
 */
export async function updateSlice(ctx: Ctx, path: SlicePath, input: UpdateSlice): Promise<SliceResource> {
  return transaction(ctx, async (tx) => {
    const before = await requireSliceAuthor(tx, path, Prisma.sql`for no key update of s`);
    const { name = before.name, description = before.description } = input;
    const filter = (input.filter_query_string ?? before.filter_query_string).trim();
    // The slug stays, so that only the names have to differ.
    const others = { organizationId: tx.organizationId, name, uid: { not: before.uid } };
    if (name !== before.name && (await tx.db.slice.count({ where: others })) > 0) throw invalid("name", taken);
    const changed = difference(before, { ...before, name, description, filter_query_string: filter });
    if (!changed) return before;
    await tx.db.slice.update({ where: { uid: before.uid }, data: { name, description, filter } });
    if (filter !== before.filter_query_string) {
      await tx.db.sliceFilterChange.create({
        data: {
          uid: uuidv7(),
          sliceId: before.uid,
          before: before.filter_query_string,
          after: filter,
          changedBy: tx.actor.name,
        },
      });
      await itemsChanged(tx, before.dataset);
    }
    await audit(tx, {
      action: "slice.updated",
      targetType: "slice",
      targetId: before.uid,
      targetName: name,
      ...changed,
    });
    await announce(tx, "slice", before.uid, "updated");
    return getSlice(tx, path);
  });
}

/**
 * Deletes a slice; its items stay in their dataset. Throws `not_found`, `forbidden` for another member's, and `invalid`
 * naming unfinished exports and projects of it.
 */
export async function deleteSlice(ctx: Ctx, path: SlicePath): Promise<void> {
  await transaction(ctx, async (tx) => {
    // First, as deleting a dataset does, which deletes its slices.
    await lockDataset(tx, (await requireSliceAuthor(tx, path)).dataset);
    const slice = await getSlice(tx, path, Prisma.sql`for update of s`);
    const users = await tx.db.export.findMany({
      where: {
        organizationId: tx.organizationId,
        slices: { has: slice.uid },
        status: { in: ["requested", "exporting"] },
      },
      orderBy: { uid: "asc" },
      take: 5,
      select: { name: true },
    });
    if (users.length > 0) {
      const names = users.map(({ name }) => `"${name}"`).join(", ");
      throw invalid([], `Exports of this slice are not finished: ${names}. Wait for them, or abort them first.`);
    }
    const projects = await query(
      tx,
      { name: text },
      Prisma.sql`select p.name from project_slices a join projects p on p.uid = a.project_id
        where a.slice_id = ${slice.uid} and p.organization_id = ${tx.organizationId}
          and p.status in ('pending-approval', 'active', 'paused') order by p.uid limit 5`,
    );
    if (projects.length > 0) {
      const names = projects.map(({ name }) => `"${name}"`).join(", ");
      throw invalid([], `Projects annotate this slice: ${names}. Cancel them first.`);
    }
    await announceDeletion(tx, "slice", slice.uid);
    await leaveToAdmins(tx, { dataset: slice.dataset, slice: slice.uid });
    await tx.db.slice.delete({ where: { uid: slice.uid } });
    await execute(
      tx,
      Prisma.sql`update organizations set slice_count = slice_count - 1 where uid = ${tx.organizationId}`,
    );
    await execute(tx, Prisma.sql`update datasets set slice_count = slice_count - 1 where uid = ${slice.dataset}`);
    await audit(tx, { action: "slice.deleted", targetType: "slice", targetId: slice.uid, targetName: slice.name });
  });
}

/** The items of a slice, newest first, with their number at the last count. Throws `not_found`. */
export async function listSliceItems(
  ctx: Ctx,
  path: SlicePath,
  { limit, cursor }: SliceItemFilters,
): Promise<Page<SliceItem> & { count: number }> {
  const slice = await getSlice(ctx, path);
  const page = await keysetPage<ItemRow & { dataset: string }>(ctx, {
    name: "slice-items",
    filters: { slice: slice.uid },
    page: { limit, cursor },
    order: { columns: ["i.uid"], direction: "desc" },
    key: (row) => [row.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        { ...itemRow, dataset: text },
        Prisma.sql`select ${itemColumns}, i.dataset_id as dataset from items i
        where i.dataset_id = ${slice.dataset} and ${where} and ${filterSql(parseFilter(slice.filter_query_string))}
        order by ${orderBy} limit ${rows}`,
      ),
  });
  return {
    ...page,
    results: await Promise.all(page.results.map((row) => serializeItem(row, ctx.actor))),
    count: slice.item_count,
  };
}
