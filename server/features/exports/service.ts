import { z } from "zod";
import { type ExportFormat, exportFormats, hasParts } from "@/domain/exports/formats";
import {
  type CreateExport,
  defaultResults,
  defaultSplit,
  ExportContents,
  type ExportFilters,
  type ExportListFilters,
  ExportSplit,
  exportedResults,
  exportStatuses,
  toShares,
} from "@/domain/exports/schema";
import { wireInteger } from "@/domain/wire-values";
import { audit } from "@/server/features/audit/service";
import { demoFilter } from "@/server/features/devices/demo-queries";
import { exportWriters } from "@/server/features/exports/formats";
import type { ExportResource } from "@/server/features/exports/resource";
import { listClasses, selectedDatasets, type ExportSelection } from "@/server/features/exports/selection-queries";
import { requireSources } from "@/server/features/exports/sources-service";
import { isExportVisible } from "@/server/features/membership/assignment-queries";
import { announceDeletion } from "@/server/features/membership/change-audience-service";
import { chosenBucket } from "@/server/features/storage-configs/service";
import { inBulk, type BulkOutcome, type BulkResult } from "@/server/platform/bulk";
import { databaseMs, databaseNow } from "@/server/platform/clock";
import { requireAuthor, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import {
  arrayOf,
  bool,
  int4,
  int8,
  json,
  jsonb,
  notNull,
  nullable,
  oneOf,
  text,
  timestamptz,
  type Wire,
} from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { displayName } from "@/server/platform/storage/file-name";
import type { DownloadTarget } from "@/server/platform/storage/store";
import { uuidv7 } from "@/server/platform/uid";

const columns = Prisma.sql`e.uid, e.name, e.format, e.status, e.total_task_count, e.exported_task_count, e.datasets, e.slices, e.projects,
  json_build_object('uid', o.uid, 'name', o.name, 'slug', o.slug) as organization, e.created_at, e.filter as filter_query_string,
  e.created_by_id as created_by_uid, e.size_bytes, e.error_message, e.completed_at, e.expires_at, e.storage_config_id as storage_config_uid, e.demo, e.storage_key,
  e.results, e.split, e.background, e.sha256, e.contents, e.started_at`;
const exportRow = {
  uid: text,
  name: text,
  format: oneOf(exportFormats),
  status: oneOf(exportStatuses),
  total_task_count: nullable(int4),
  exported_task_count: nullable(int4),
  datasets: notNull(arrayOf(text)),
  slices: notNull(arrayOf(text)),
  projects: notNull(arrayOf(text)),
  organization: json(z.object({ uid: z.string(), name: z.string(), slug: z.string() })),
  created_at: timestamptz,
  filter_query_string: text,
  created_by_uid: nullable(text),
  size_bytes: int8,
  error_message: nullable(text),
  completed_at: nullable(timestamptz),
  expires_at: nullable(timestamptz),
  storage_config_uid: nullable(text),
  demo: bool,
  storage_key: nullable(text),
  results: oneOf(exportedResults),
  split: nullable(jsonb(ExportSplit)),
  background: bool,
  sha256: nullable(text),
  contents: nullable(jsonb(ExportContents)),
  started_at: nullable(timestamptz),
};
const tables = Prisma.sql`exports e join organizations o on o.uid = e.organization_id`;

/** The exports of the organization that hold nothing the caller does not see. */
const visible = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`e.organization_id = ${ctx.organizationId} and ${isExportVisible(ctx)}`;

type Row = Wire<typeof exportRow>;

/** A signed link to the file of an export until it expires. A link that begins with `/` is relative to this server. */
async function signDownload(row: Row, by: DownloadTarget["by"]): Promise<string | null> {
  const { status, storage_key, expires_at, name, format } = row;
  const left = expires_at === null ? 0 : Math.floor((Date.parse(expires_at) - databaseMs()) / 1_000);
  if (status !== "exported" || storage_key === null || left <= 0) return null;
  return objectStore().downloadUrl({
    key: storage_key,
    fileName: displayName(`${name}.${exportWriters[format].extension}`),
    by,
    ttlSeconds: left,
  });
}

async function serialize({ actor }: Ctx, row: Row): Promise<ExportResource> {
  const download_url = await signDownload(row, actor);
  const { storage_key: _, ...rest } = row;
  return { ...rest, download_url };
}

/** Exports, newest first unless ordered otherwise. */
export async function listExports(
  ctx: Ctx,
  { limit, cursor, ordering, status, search, demo }: ExportFilters & Partial<ExportListFilters>,
): Promise<Page<ExportResource>> {
  const page = await keysetPage<Row>(ctx, {
    name: "exports",
    filters: { status, search, demo },
    page: { limit, cursor },
    ...toOrder<Row>(ordering ?? "-created_at", "e.uid", { name: { column: "e.name", key: (row) => row.name } }),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        exportRow,
        Prisma.sql`select ${columns} from ${tables} where ${visible(ctx)} and ${where}
        ${demoFilter("e", demo)}
        ${status ? Prisma.sql`and e.status = any(${status})` : Prisma.empty}
        ${search ? Prisma.sql`and e.name ilike ${`%${likeText(search)}%`}` : Prisma.empty} order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: await Promise.all(page.results.map((row) => serialize(ctx, row))) };
}

/** One export. Throws `not_found`. */
export async function getExport(ctx: Ctx, uid: string, lock: Prisma.Sql = Prisma.empty): Promise<ExportResource> {
  const [row] = await query(
    ctx,
    exportRow,
    Prisma.sql`select ${columns} from ${tables} where e.uid = ${uid} and ${visible(ctx)} ${lock}`,
  );
  if (!row) throw notFound();
  return serialize(ctx, {
    ...row,
    size_bytes: wireInteger(row.size_bytes),
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  });
}

export const lockExport = (tx: Ctx, uid: string): Promise<ExportResource> =>
  getExport(tx, uid, Prisma.sql`for no key update of e`);

/** Throws `not_found`, and `forbidden` for a member who did not make the export. */
async function lockOwnExport(tx: Ctx, uid: string): Promise<ExportResource> {
  const found = await lockExport(tx, uid);
  requireAuthor(tx, found.created_by_uid);
  return found;
}

/** Queues the job that starts exports. */
export const enqueueStart = (tx: Ctx): Promise<void> =>
  enqueue(tx, jobs.startExports, { organizationId: tx.organizationId });

export async function recordAction(
  tx: Ctx,
  { uid, name }: { uid: string; name: string },
  action: string,
): Promise<void> {
  await audit(tx, { action: `export.${action}`, targetType: "export", targetId: uid, targetName: name });
  if (action !== "deleted") await announce(tx, "export", uid, action === "created" ? "created" : "updated");
}

/** Throws `invalid("format")` when the format cannot hold the labels of what is selected. */
async function requireFormat(tx: Ctx, format: ExportFormat, selection: ExportSelection): Promise<void> {
  const { refuse } = exportWriters[format];
  const refusal = refuse?.(await listClasses(tx, selection, await selectedDatasets(tx, selection)));
  if (refusal) throw invalid("format", refusal);
}

/**
 * Queues an export, whose file is stored in the given bucket, if any. Throws `invalid` when nothing is selected, or
 * something that does not exist, and when the format cannot hold it.
 */
export async function createExport(ctx: Ctx, input: CreateExport & { demo?: boolean }): Promise<ExportResource> {
  const {
    name,
    format,
    datasets,
    projects,
    slices,
    filter_query_string: filterQueryString,
    storage_config_uid: storageConfigId = null,
    results = defaultResults,
    split = hasParts(format) ? defaultSplit : undefined,
    background = false,
  } = input;
  return transaction(ctx, async (tx) => {
    await requireSources(tx, input);
    await requireFormat(tx, format, { datasets, projects, slices, results, filter: filterQueryString?.trim() ?? "" });
    await chosenBucket(tx, storageConfigId);
    const uid = uuidv7();
    await tx.db.export.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        name,
        format,
        storageConfigId,
        datasets,
        projects,
        slices,
        filter: filterQueryString?.trim() ?? "",
        results,
        split: split && toShares(split),
        background,
        createdById: tx.actor.userId,
        demo: input.demo ?? false,
      },
    });
    await enqueueStart(tx);
    await recordAction(tx, { uid, name }, "created");
    return getExport(tx, uid);
  });
}

/** Aborts an unfinished export. Throws `not_found`, `forbidden`, `invalid("status")`. */
export async function abortExport(ctx: Ctx, uid: string): Promise<ExportResource> {
  return transaction(ctx, async (tx) => {
    const before = await lockOwnExport(tx, uid);
    if (before.status !== "requested" && before.status !== "exporting")
      throw invalid("status", `This export is ${before.status} already.`);
    await tx.db.export.update({ where: { uid }, data: { status: "aborted", completedAt: databaseNow() } });
    await enqueueStart(tx);
    await recordAction(tx, before, "aborted");
    return getExport(tx, uid);
  });
}

/** Queues a failed or aborted export again. Throws `not_found`, `forbidden`, `invalid("status")`. */
export async function retryExport(ctx: Ctx, uid: string): Promise<ExportResource> {
  return transaction(ctx, async (tx) => {
    const before = await lockOwnExport(tx, uid);
    if (before.status !== "failed" && before.status !== "aborted")
      throw invalid(
        "status",
        `Only exports that failed or were aborted are tried again; this one is ${before.status}.`,
      );
    await tx.db.export.update({
      where: { uid },
      data: {
        status: "requested",
        totalTaskCount: null,
        exportedTaskCount: null,
        errorMessage: null,
        startedAt: null,
        completedAt: null,
      },
    });
    await enqueueStart(tx);
    await recordAction(tx, before, "retried");
    return getExport(tx, uid);
  });
}

/**
 * Queues a new export of the same sources into the same format. Throws `not_found`, and `invalid` when a source does not
 * exist any more.
 */
export async function repeatExport(ctx: Ctx, uid: string): Promise<ExportResource> {
  const { split, ...of } = await getExport(ctx, uid);
  return createExport(ctx, { ...of, ...(split !== null && { split }) });
}

/** Deletes an export with its file; one under way ends when it next reports progress. Throws `not_found`, `forbidden`. */
export async function deleteExport(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const before = await lockOwnExport(tx, uid);
    await announceDeletion(tx, "export", uid);
    const { storageKey } = await tx.db.export.delete({ where: { uid }, select: { storageKey: true } });
    if (storageKey !== null) await enqueue(tx, jobs.deleteStoredObjects, { prefix: storageKey });
    await enqueueStart(tx);
    await recordAction(tx, before, "deleted");
  });
}

/** Deletes several exports, each on its own. */
export const deleteExports = (ctx: Ctx, uids: readonly string[]): Promise<BulkResult> =>
  inBulk(null, uids, async (uid) => {
    await deleteExport(ctx, uid);
    return {};
  });

/** Repeats several exports, in the order in which they are given. `repeated_uid` is the new one of each. */
export const repeatExports = (
  ctx: Ctx,
  uids: readonly string[],
): Promise<BulkResult<BulkOutcome & { repeated_uid?: string }>> =>
  inBulk(null, uids, async (uid) => ({ repeated_uid: (await repeatExport(ctx, uid)).uid }), 1);
