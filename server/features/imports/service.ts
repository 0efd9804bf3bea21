import { z } from "zod";
import { hasEnded, importModes, importStatuses, sizeChoices } from "@/domain/annotation-imports/choices";
import { importFormats } from "@/domain/annotation-imports/formats";
import {
  ImportFindings,
  ImportReportRow,
  type CheckImport,
  type CreateImport,
  type ImportFilters,
} from "@/domain/annotation-imports/schema";
import { LabelInput } from "@/domain/projects/label-schema";
import type { ProjectStatus } from "@/domain/projects/schema";
import { wireInteger } from "@/domain/wire-values";
import { audit } from "@/server/features/audit/service";
import type { ImportReport, ImportResource, ImportUpload } from "@/server/features/imports/resource";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { getProject } from "@/server/features/projects/service";
import { requireQuota } from "@/server/features/uploads/quota-service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { int4, int8, jsonb, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { uuidv7 } from "@/server/platform/uid";

/** Seconds for which the link to send a file is valid. */
const linkSeconds = 3_600;

/** What the files of imports lie under in the installation's own store. */
const folder = "annotation-imports";

/** What was chosen at the start: the id of the project's label that each label of the file becomes, null for none. */
export const ImportOptions = z.object({
  sizes: z.enum(sizeChoices),
  labels: z.record(z.string(), z.string().nullable()),
});

/** With the labels of the file as labels that a project can have. */
export const StoredFindings = ImportFindings.extend({ found: z.array(LabelInput) });
export type StoredFindings = z.output<typeof StoredFindings>;

const columns = Prisma.sql`m.uid, m.project_id as project, m.file_name, m.size_bytes, m.format, m.status, m.mode, m.options, m.findings - 'found' as findings, m.total,
  m.position, m.done, m.unchanged, m.failed, m.annotation_count, m.annotations_left, m.error_message, m.created_by_id as created_by,
  m.created_by_name, m.created_at, m.started_at, m.completed_at`;
const importRow = {
  uid: text,
  project: text,
  file_name: text,
  size_bytes: int8,
  format: nullable(oneOf(importFormats)),
  status: oneOf(importStatuses),
  mode: nullable(oneOf(importModes)),
  options: nullable(jsonb(ImportOptions)),
  findings: nullable(jsonb(ImportFindings)),
  total: nullable(int4),
  position: int4,
  done: int4,
  unchanged: int4,
  failed: int4,
  annotation_count: int4,
  annotations_left: int4,
  error_message: nullable(text),
  created_by: nullable(text),
  created_by_name: text,
  created_at: timestamptz,
  started_at: nullable(timestamptz),
  completed_at: nullable(timestamptz),
};

const visible = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`m.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "project", Prisma.sql`m.project_id`)}`;

/** The imports of a project, newest first. Throws `not_found`. */
export async function listImports(
  ctx: Ctx,
  project: string,
  { limit, cursor }: ImportFilters,
): Promise<Page<ImportResource>> {
  await getProject(ctx, project);
  return keysetPage<ImportResource>(ctx, {
    name: "imports",
    filters: { project },
    page: { limit, cursor },
    order: { columns: ["m.uid"], direction: "desc" },
    key: ({ uid }) => [uid],
    fetch: async ({ where, orderBy, limit: rows }) => {
      const found = await sql(
        importRow,
        Prisma.sql`select ${columns} from annotation_imports m where m.project_id = ${project} and ${visible(ctx)} and ${where}
          order by ${orderBy} limit ${rows}`,
      );
      return found.map(({ options, ...row }) => ({ ...row, sizes: options?.sizes ?? null }));
    },
  });
}

/** One import. Throws `not_found`. */
export async function getImport(ctx: Ctx, uid: string, lock: Prisma.Sql = Prisma.empty): Promise<ImportResource> {
  const [row] = await query(
    ctx,
    importRow,
    Prisma.sql`select ${columns} from annotation_imports m where m.uid = ${uid} and ${visible(ctx)} ${lock}`,
  );
  if (!row) throw notFound();
  const { options, ...rest } = row;
  return {
    ...rest,
    sizes: options?.sizes ?? null,
    size_bytes: wireInteger(row.size_bytes),
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}

/** Throws `not_found`. */
export const lockImport = (tx: Ctx, uid: string): Promise<ImportResource> =>
  getImport(tx, uid, Prisma.sql`for no key update of m`);

/** What an import left out. Throws `not_found`. */
export async function getImportReport(ctx: Ctx, uid: string): Promise<ImportReport> {
  const [row] = await query(
    ctx,
    { report: jsonb(z.array(ImportReportRow)) },
    Prisma.sql`select m.report from annotation_imports m where m.uid = ${uid} and ${visible(ctx)}`,
  );
  if (!row) throw notFound();
  return { rows: row.report };
}

/** The refusal of what an import is not ready for. */
export const refuseStatus = ({ status }: ImportResource) =>
  invalid("status", status === "uploading" ? "Its file was not sent yet." : `This import is ${status}.`);

/** Throws `invalid("status")` for a project that has no tasks yet, or whose work was given up. */
export function requireAtWork(status: ProjectStatus): void {
  if (status !== "active" && status !== "paused" && status !== "completed")
    throw invalid("status", `Its project is ${status}.`);
}

/**
 * Begins an import into a project, with a link to send the file to. Throws `not_found`, `invalid` for a project that is not at
 * work, and for a file that would exceed the quota.
 */
export async function createImport(ctx: Ctx, project: string, input: CreateImport): Promise<ImportUpload> {
  const uid = uuidv7();
  const key = `${folder}/${ctx.organizationId}/${uid}`;
  const created = await transaction(ctx, async (tx) => {
    const { status } = await getProject(tx, project);
    requireAtWork(status);
    await requireQuota(tx, key, BigInt(input.size_bytes), "size_bytes");
    await tx.db.annotationImport.create({
      data: {
        uid,
        organizationId: tx.organizationId,
        projectId: project,
        fileName: input.file_name,
        storageKey: key,
        sizeBytes: BigInt(input.size_bytes),
        createdById: tx.actor.userId,
        createdByName: tx.actor.username ?? tx.actor.name,
      },
    });
    await announce(tx, "import", uid, "created", "admins");
    return getImport(tx, uid);
  });
  const { url } = await objectStore().uploadUrl({
    key,
    sizeBytes: input.size_bytes,
    account: `user:${ctx.actor.userId ?? ctx.actor.id}`,
    // Through our own server, which takes no byte any more once the file is looked at.
    direct: false,
    ttlSeconds: linkSeconds,
  });
  return { ...created, put_url: url };
}

/**
 * Has the file looked at by a job, which changes nothing in the project; again, as another format, until the import is
 * started. Throws `not_found`, `invalid("file")` while bytes of it are missing, and `invalid("status")`.
 */
export async function checkImport(ctx: Ctx, uid: string, { format }: CheckImport): Promise<ImportResource> {
  return transaction(ctx, async (tx) => {
    const found = await lockImport(tx, uid);
    if (found.status === "checking" && (format === undefined || format === found.format)) return found;
    if (found.status !== "uploading" && found.status !== "ready") throw refuseStatus(found);
    const { organizationId } = tx;
    const { storageKey, sizeBytes } = await tx.db.annotationImport.findUniqueOrThrow({
      where: { uid, organizationId },
    });
    const stored = storageKey === null ? null : await objectStore().head(storageKey);
    if (!stored) throw invalid("file", "It was not sent yet: PUT it to put_url first.");
    if (BigInt(stored.sizeBytes) !== sizeBytes)
      throw invalid("file", `${stored.sizeBytes} bytes were sent, ${sizeBytes} were declared.`);
    await tx.db.annotationImport.update({
      where: { uid, organizationId },
      data: { status: "checking", format: format ?? null, findings: Prisma.DbNull, total: null },
    });
    await enqueue(tx, jobs.checkImport, { organizationId, importId: uid });
    await announce(tx, "import", uid, "updated", "admins");
    return getImport(tx, uid);
  });
}

/** Ends an import in the transaction that locked it: its file is removed, what it put into the project stays. */
export async function endImport(
  tx: Ctx,
  uid: string,
  status: "done" | "failed" | "stopped",
  errorMessage: string | null = null,
): Promise<void> {
  const { storageKey } = await tx.db.annotationImport.findUniqueOrThrow({
    where: { uid, organizationId: tx.organizationId },
    select: { storageKey: true },
  });
  await tx.db.annotationImport.update({
    where: { uid, organizationId: tx.organizationId },
    data: { status, errorMessage, storageKey: null, completedAt: databaseNow() },
  });
  if (storageKey !== null) await enqueue(tx, jobs.deleteStoredKeys, { keys: [storageKey] });
  await announce(tx, "import", uid, "updated", "admins");
}

/** Stops an import; what it put into the project before stays. Does nothing to one that has ended. Throws `not_found`. */
export async function stopImport(ctx: Ctx, uid: string): Promise<ImportResource> {
  return transaction(ctx, async (tx) => {
    const found = await lockImport(tx, uid);
    if (hasEnded(found.status)) return found;
    await endImport(tx, uid, "stopped");
    await audit(tx, {
      action: "project.import_stopped",
      targetType: "project",
      targetId: found.project,
      targetName: found.file_name,
      after: { import: uid, done: found.done },
    });
    return getImport(tx, uid);
  });
}
