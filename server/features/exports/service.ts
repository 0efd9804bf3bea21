import { z } from "zod";
import {
  type CreateExport,
  type ExportFilters,
  type ExportStatus,
  exportFormats,
  exportStatuses,
} from "@/domain/exports/schema";
import { wireInteger } from "@/domain/wire-values";
import { audit } from "@/server/features/audit/service";
import { namedDatasets } from "@/server/features/datasets/service";
import { exportWriters } from "@/server/features/exports/formats";
import type { ExportResource } from "@/server/features/exports/resource";
import { isExportVisible, isVisible } from "@/server/features/organizations/assignment-queries";
import { publish } from "@/server/features/platform-events/service";
import { chosenBucket } from "@/server/features/storage-configs/service";
import { requireAuthor, systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, sql, transaction } from "@/server/platform/db";
import { invalid, isServiceError, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import {
  arrayOf,
  bool,
  int4,
  int8,
  json,
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

/** How many exports of an organization run concurrently; others stay queued. */
export const concurrentExports = 5;
/** How long an export can be downloaded, in milliseconds. */
const lifetimeMs = 7 * 24 * 3_600_000;

const columns = Prisma.sql`e.uid, e.name, e.format, e.status, e.total_task_count, e.exported_task_count, e.datasets, e.slices, e.projects,
  json_build_object('uid', o.uid, 'name', o.name, 'slug', o.slug) as organization, e.created_at, e.filter as filter_query_string,
  e.created_by_id as created_by_uid, e.size_bytes, e.error_message, e.completed_at, e.expires_at, e.storage_config_id as storage_config_uid, e.demo, e.storage_key`;
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
};
const tables = Prisma.sql`exports e join organizations o on o.uid = e.organization_id`;

/** The exports of the organization that hold nothing the caller does not see. */
const visible = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`e.organization_id = ${ctx.organizationId} and ${isExportVisible(ctx)}`;

type Row = Wire<typeof exportRow>;

/** A signed link to the file of an export until it expires. A link that begins with `/` is relative to this server. */
async function signDownload(row: Row, by: DownloadTarget["by"]): Promise<string | null> {
  const { status, storage_key, expires_at, name, format } = row;
  const left = expires_at === null ? 0 : Math.floor((Date.parse(expires_at) - Date.now()) / 1_000);
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
  { limit, cursor, ordering, status }: ExportFilters,
): Promise<Page<ExportResource>> {
  const page = await keysetPage<Row>(ctx, {
    name: "exports",
    filters: { status },
    page: { limit, cursor },
    ...toOrder<Row>(ordering ?? "-created_at", "e.uid", { name: { column: "e.name", key: (row) => row.name } }),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        exportRow,
        Prisma.sql`select ${columns} from ${tables} where ${visible(ctx)} and ${where}
        ${status ? Prisma.sql`and e.status = any(${status})` : Prisma.empty} order by ${orderBy} limit ${rows}`,
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
    completed_at: row.completed_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  });
}

const lockExport = (tx: Ctx, uid: string): Promise<ExportResource> =>
  getExport(tx, uid, Prisma.sql`for no key update of e`);

/** Throws `not_found`, and `forbidden` for a member who did not make the export. */
async function lockOwnExport(tx: Ctx, uid: string): Promise<ExportResource> {
  const found = await lockExport(tx, uid);
  requireAuthor(tx, found.created_by_uid);
  return found;
}

/**
 * Throws `invalid(field)` naming the first uid that is not of the organization, or whose data the caller does not see.
 */
async function requireAll(tx: Ctx, field: "slices" | "projects", uids: readonly string[]): Promise<void> {
  const condition =
    field === "slices"
      ? Prisma.sql`from slices s where ${isVisible(tx, "dataset", Prisma.sql`s.dataset_id`)}`
      : Prisma.sql`from projects s where ${isVisible(tx, "project", Prisma.sql`s.uid`)} and not exists (
          select 1 from project_datasets pd
          where pd.project_id = s.uid and not ${isVisible(tx, "dataset", Prisma.sql`pd.dataset_id`)})`;
  const rows = await query(
    tx,
    { uid: text },
    Prisma.sql`select s.uid ${condition} and s.organization_id = ${tx.organizationId} and s.uid = any(${[...uids]})`,
  );
  const found = new Set(rows.map(({ uid }) => uid));
  const missing = uids.find((uid) => !found.has(uid));
  if (missing !== undefined) throw invalid(field, `Invalid pk "${missing}" - object does not exist.`);
}

/** Queues the job that starts exports. */
export const enqueueStart = (tx: Ctx): Promise<void> =>
  enqueue(tx, jobs.startExports, { organizationId: tx.organizationId });

const recordAction = (tx: Ctx, { uid, name }: { uid: string; name: string }, action: string) =>
  audit(tx, { action: `export.${action}`, targetType: "export", targetId: uid, targetName: name });

/**
 * Queues an export, whose file is stored in the given bucket, if any. Throws `invalid` when nothing is selected, or
 * something that does not exist.
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
  } = input;
  if (datasets.length + projects.length + slices.length === 0) {
    throw invalid([], "Name at least one dataset, slice or project.");
  }
  return transaction(ctx, async (tx) => {
    await namedDatasets(tx, "datasets", datasets);
    await requireAll(tx, "projects", projects);
    await requireAll(tx, "slices", slices);
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
    await tx.db.export.update({ where: { uid }, data: { status: "aborted", completedAt: new Date() } });
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
        completedAt: null,
      },
    });
    await enqueueStart(tx);
    await recordAction(tx, before, "retried");
    return getExport(tx, uid);
  });
}

/** Deletes an export with its file; one under way ends when it next reports progress. Throws `not_found`, `forbidden`. */
export async function deleteExport(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const before = await lockOwnExport(tx, uid);
    const { storageKey } = await tx.db.export.delete({ where: { uid }, select: { storageKey: true } });
    if (storageKey !== null) await enqueue(tx, jobs.deleteStoredObjects, { prefix: storageKey });
    await enqueueStart(tx);
    await recordAction(tx, before, "deleted");
  });
}

function nullIfMissing(error: unknown): null {
  if (isServiceError(error) && error.code === "not_found") return null;
  throw error;
}

/** Starts queued exports of an organization, the oldest first, up to `concurrentExports`. */
export async function startExports(organizationId: string): Promise<void> {
  await transaction(systemContext(prisma, organizationId, "exports"), async (tx) => {
    await execute(tx, Prisma.sql`select pg_advisory_xact_lock(hashtext(${`exports ${tx.organizationId}`}))`);
    const running = await tx.db.export.count({ where: { organizationId: tx.organizationId, status: "exporting" } });
    const next = await tx.db.export.findMany({
      where: { organizationId: tx.organizationId, status: "requested" },
      orderBy: { uid: "asc" },
      take: Math.max(0, concurrentExports - running),
      select: { uid: true },
    });
    for (const { uid } of next) {
      const { count } = await tx.db.export.updateMany({
        where: { uid, status: "requested" },
        data: { status: "exporting", exportedTaskCount: 0 },
      });
      if (count === 0) continue;
      await enqueue(tx, jobs.runExport, { organizationId: tx.organizationId, exportId: uid });
    }
  });
}

/** The stored file of an export, or why it failed. */
export type Outcome = { storageKey: string; sizeBytes: bigint } | { error: string };

/**
 * Finishes a running export, in the transaction of `tx`, and publishes the event. Returns false when it was aborted or
 * deleted meanwhile.
 */
export async function finishExport(tx: Ctx, uid: string, outcome: Outcome): Promise<boolean> {
  const before = await lockExport(tx, uid).catch(nullIfMissing);
  if (before?.status !== "exporting") return false;
  const now = new Date();
  const status: ExportStatus = "error" in outcome ? "failed" : "exported";
  await tx.db.export.update({
    where: { uid },
    data:
      "error" in outcome
        ? { status, errorMessage: outcome.error, completedAt: now }
        : { status, ...outcome, completedAt: now, expiresAt: new Date(now.getTime() + lifetimeMs) },
  });
  await enqueueStart(tx);
  await recordAction(tx, before, status);
  const after = await getExport(tx, uid);
  await publish(tx, status === "exported" ? "export.completed" : "export.failed", {
    export_uid: uid,
    name: after.name,
    status,
    format: after.format,
    download_url: null, // signed when the event is sent
    created_at: after.created_at,
  });
  return true;
}
