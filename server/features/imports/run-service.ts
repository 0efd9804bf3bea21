import { hasEnded, maxReportRows } from "@/domain/annotation-imports/choices";
import type { Label } from "@/domain/projects/label-schema";
import { type BatchOutcome, importBatch, isEmpty, type MarkedPicture } from "@/server/features/imports/batch-service";
import { failImport } from "@/server/features/imports/check-service";
import type { ReadPicture } from "@/server/features/imports/formats/annotation-file";
import { readPictures } from "@/server/features/imports/formats/readers";
import { type LocalFile, withImportFile } from "@/server/features/imports/import-file";
import { ItemIndex } from "@/server/features/imports/item-index";
import { inBatches } from "@/server/features/imports/picture-batches";
import { endImport, getImport, ImportOptions, lockImport } from "@/server/features/imports/service";
import type { ProjectResource } from "@/server/features/projects/resource";
import { lockProject } from "@/server/features/projects/service";
import { databaseNow } from "@/server/platform/clock";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { fence } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";
import { int4 } from "@/server/platform/rows";

/** Reads the file of an import into its project. Another attempt goes on after the pictures that were read. */
export async function runImport(
  { organizationId, importId: uid }: { organizationId: string; importId: string },
  run: JobRun,
): Promise<void> {
  const row = await prisma.annotationImport.findFirst({
    where: { uid, organizationId, status: { in: ["waiting", "reading"] } },
  });
  if (!row || row.storageKey === null) return;
  // The name that results have as that of who submitted them: they are nobody's own.
  const ctx = systemContext(prisma, organizationId, `import ${row.fileName}`);
  try {
    await begin(ctx, uid);
    await withImportFile({ ...row, storageKey: row.storageKey }, run.signal, (file) => readInto(ctx, uid, file, run));
  } catch (error) {
    await failImport(ctx, uid, error, run);
  }
}

const begin = (ctx: Ctx, uid: string): Promise<void> =>
  transaction(ctx, async (tx) => {
    await tx.db.annotationImport.updateMany({
      where: { uid, organizationId: tx.organizationId, status: "waiting" },
      data: { status: "reading", startedAt: databaseNow() },
    });
    await announce(tx, "import", uid, "updated", "admins");
  });

async function readInto(ctx: Ctx, uid: string, file: LocalFile, run: JobRun): Promise<void> {
  const { project, format, position } = await getImport(ctx, uid);
  if (format === null) throw new Error("an import without a format");
  const index = await ItemIndex.ofProject(ctx, project, run.signal);
  const pictures = readPictures(file, format, {
    temporaryFolder: file.folder,
    pictureSize: (picture) => Promise.resolve(index.find(picture)?.size ?? null),
  });
  const part: Part = { ctx, uid, project, index, file, run };
  let read = 0;
  for await (const batch of inBatches(markRepeated(pictures, index), position)) {
    run.signal.throwIfAborted();
    if (!(await importPart(part, batch, position + read))) return;
    read += batch.length;
  }
  await transaction(ctx, async (tx) => {
    await fence(tx, run.attempt);
    if ((await lockImport(tx, uid)).status === "reading") await endImport(tx, uid, "done");
  });
}

/** Says of pictures that have annotations whether one before has the same item. */
async function* markRepeated(pictures: AsyncIterable<ReadPicture>, index: ItemIndex): AsyncGenerator<MarkedPicture> {
  const seen = new Set<string>();
  for await (const picture of pictures) {
    const task = isEmpty(picture) ? undefined : index.find(picture)?.task;
    yield { ...picture, isRepeated: task !== undefined && seen.has(task) };
    if (task !== undefined) seen.add(task);
  }
}

interface Part {
  ctx: Ctx;
  uid: string;
  project: string;
  index: ItemIndex;
  file: LocalFile;
  run: JobRun;
}

/** Imports a batch that begins after so many pictures, once. False: the import has ended. */
async function importPart(
  { ctx, uid, ...of }: Part,
  batch: readonly MarkedPicture[],
  position: number,
): Promise<boolean> {
  return transaction(
    ctx,
    async (tx) => {
      await fence(tx, of.run.attempt);
      const project = await lockProject(tx, of.project);
      const found = await lockImport(tx, uid);
      if (hasEnded(found.status) || found.position !== position) return false;
      if (project.status === "canceled" || project.status === "archived") {
        await endImport(tx, uid, "stopped", `Its project is ${project.status}.`);
        return false;
      }
      const { options } = await tx.db.annotationImport.findUniqueOrThrow({
        where: { uid, organizationId: tx.organizationId },
        select: { options: true },
      });
      const { sizes, labels } = ImportOptions.parse(options);
      const outcome = await importBatch(tx, batch, {
        project,
        index: of.index,
        file: of.file.sha256,
        mode: found.mode ?? "drafts",
        isScaled: sizes === "scale",
        labels: resolveLabels(project, labels),
      });
      await count(tx, uid, outcome, batch.length);
      return true;
    },
    { attempts: 5 },
  );
}

/** The labels that those of the file become, as the project has them now. */
function resolveLabels(
  { labels }: ProjectResource,
  chosen: Readonly<Record<string, string | null>>,
): ReadonlyMap<string, Label | null> {
  const byId = new Map(labels.map((label) => [label.id, label]));
  return new Map(Object.entries(chosen).map(([name, id]) => [name, id === null ? null : (byId.get(id) ?? null)]));
}

async function count(tx: Ctx, uid: string, outcome: BatchOutcome, pictures: number): Promise<void> {
  const [report] = await query(
    tx,
    { rows: int4 },
    Prisma.sql`select jsonb_array_length(m.report) as rows from annotation_imports m
      where m.uid = ${uid} and m.organization_id = ${tx.organizationId}`,
  );
  const rows = outcome.rows.slice(0, Math.max(0, maxReportRows - (report?.rows ?? 0)));
  await execute(
    tx,
    Prisma.sql`update annotation_imports set position = position + ${pictures}::int, done = done + ${outcome.done}::int,
        unchanged = unchanged + ${outcome.unchanged}::int, failed = failed + ${outcome.failed}::int,
        annotation_count = annotation_count + ${outcome.annotations}::int,
        annotations_left = annotations_left + ${outcome.left}::int, report = report || ${JSON.stringify(rows)}::jsonb, updated_at = now()
      where uid = ${uid} and organization_id = ${tx.organizationId}`,
  );
  await announce(tx, "import", uid, "updated", "admins");
}
