import { maxImportLabels, maxNamed } from "@/domain/annotation-imports/choices";
import { importFormats, type ImportFormat } from "@/domain/annotation-imports/formats";
import type { ImportFindings } from "@/domain/annotation-imports/schema";
import { type FoundLabel, fitLabels } from "@/domain/projects/label-files/found-labels";
import { shapeTypes, type Label } from "@/domain/projects/label-schema";
import { isEmpty } from "@/server/features/imports/batch-service";
import { BadAnnotationFile, type ReadPicture } from "@/server/features/imports/formats/annotation-file";
import { guessFormat, readLabels, readPictures } from "@/server/features/imports/formats/readers";
import { withImportFile, type LocalFile } from "@/server/features/imports/import-file";
import { ItemIndex } from "@/server/features/imports/item-index";
import { endImport, lockImport, type StoredFindings } from "@/server/features/imports/service";
import { shownName } from "@/server/features/imports/shown-name";
import { labelsByName } from "@/server/features/imports/start-service";
import { getProject } from "@/server/features/projects/service";
import { countUntouched } from "@/server/features/tasks/imported-result-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";
import { isServiceError } from "@/server/platform/errors";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded, fence } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";
import { storedText, storedValue } from "@/server/platform/stored-text";

/** Tasks that are looked up at once. */
const batchSize = 2_000;

const unexpected = "The file could not be read for an unexpected reason. Try it again.";

/** Counts what pictures of a file have, in bounded memory. */
class Findings {
  private readonly found: Omit<ImportFindings, "labels"> = {
    pictures: 0,
    matched: 0,
    by_name: 0,
    open: 0,
    repeated: 0,
    empty: 0,
    annotations: 0,
    unmatched: [],
    resized: 0,
    resized_pictures: [],
  };
  private readonly labels = new Map<string, { count: number; types: Set<string> }>();
  private tasks: string[] = [];
  /** Tasks that a picture with something to import was found for. */
  private readonly seen = new Set<string>();

  constructor(
    private readonly ctx: Ctx,
    private readonly project: string,
    private readonly index: ItemIndex,
  ) {}

  async add(picture: ReadPicture): Promise<void> {
    const { found } = this;
    found.pictures += 1;
    found.annotations += picture.annotations.length;
    if (picture.annotations.length === 0) found.empty += 1;
    for (const { label, type } of picture.annotations) this.addLabel(storedText(label), type);
    const match = this.index.find(picture);
    if (!match) {
      if (found.unmatched.length < maxNamed) found.unmatched.push(shownName(picture.name));
      return;
    }
    found.matched += 1;
    if (match.by === "name") found.by_name += 1;
    if (!isEmpty(picture)) {
      if (this.seen.has(match.task)) {
        found.repeated += 1;
        return;
      }
      this.seen.add(match.task);
    }
    const { size } = match;
    const { width, height } = picture;
    if (size && width !== null && height !== null && (size.width !== width || size.height !== height)) {
      found.resized += 1;
      if (found.resized_pictures.length < maxNamed)
        found.resized_pictures.push({
          name: shownName(picture.name),
          file: [width, height],
          item: [size.width, size.height],
        });
    }
    this.tasks.push(match.task);
    if (this.tasks.length >= batchSize) await this.countTasks();
  }

  private addLabel(name: string, type: string): void {
    const known = this.labels.get(name);
    if (known) {
      known.count += 1;
      known.types.add(type);
      return;
    }
    if (this.labels.size === maxImportLabels)
      throw new BadAnnotationFile(`Its annotations have more than ${maxImportLabels} labels.`);
    this.labels.set(name, { count: 1, types: new Set([type]) });
  }

  private async countTasks(): Promise<void> {
    this.found.open += await countUntouched(this.ctx, this.project, this.tasks);
    this.tasks = [];
  }

  /** `described`: the labels of the file as it describes them. */
  async toStored(projectLabels: readonly Label[], described: readonly FoundLabel[]): Promise<StoredFindings> {
    await this.countTasks();
    const known = labelsByName(projectLabels);
    const byName = new Map(described.map((label) => [storedText(label.name), storedValue(label)]));
    const used = [...this.labels.keys()].map((name) => ({ ...byName.get(name), name }));
    return {
      ...this.found,
      labels: Array.from(this.labels, ([name, { count, types }]) => ({
        name,
        count,
        types: [...types].toSorted(),
        label: known.get(name)?.name ?? null,
      })),
      found: fitLabels({ labels: used, leftOut: [] }, { present: [], shapes: shapeTypes }).labels,
    };
  }
}

const unknownFormat = `It is in none of the formats that are read (${importFormats.join(", ")}), or damaged at its beginning.`;

async function lookAt(ctx: Ctx, project: string, given: ImportFormat | null, file: LocalFile, signal: AbortSignal) {
  const format = given ?? (await guessFormat(file));
  if (format === null) throw new BadAnnotationFile(unknownFormat);
  const { labels } = await getProject(ctx, project);
  const index = await ItemIndex.ofProject(ctx, project, signal);
  const options = {
    temporaryFolder: file.folder,
    pictureSize: (picture: Parameters<ItemIndex["find"]>[0]) => Promise.resolve(index.find(picture)?.size ?? null),
  };
  const described = await readLabels(file, format, options);
  const findings = new Findings(ctx, project, index);
  for await (const picture of readPictures(file, format, options)) {
    signal.throwIfAborted();
    await findings.add(picture);
  }
  return { format, findings: await findings.toStored(labels, described) };
}

/** Looks at the file of an import: what would become of it is then known, and nothing is changed. */
export async function lookAtImport(
  { organizationId, importId: uid }: { organizationId: string; importId: string },
  run: JobRun,
): Promise<void> {
  const ctx = systemContext(prisma, organizationId, "imports");
  const row = await prisma.annotationImport.findFirst({ where: { uid, organizationId, status: "checking" } });
  if (!row || row.storageKey === null) return;
  const given = importFormats.find((each) => each === row.format) ?? null;
  try {
    await withImportFile({ ...row, storageKey: row.storageKey }, run.signal, async (file) => {
      const { format, findings } = await lookAt(ctx, row.projectId, given, file, run.signal);
      await transaction(ctx, async (tx) => {
        await fence(tx, run.attempt);
        if ((await lockImport(tx, uid)).status !== "checking") return;
        await tx.db.annotationImport.update({
          where: { uid },
          data: { status: "ready", format, findings, total: findings.pictures, sha256: file.sha256 },
        });
        await announce(tx, "import", uid, "updated", "admins");
      });
    });
  } catch (error) {
    await failImport(ctx, uid, error, run);
  }
}

/** Ends an import that cannot go on; throws what another attempt may overcome. */
export async function failImport(ctx: Ctx, uid: string, error: unknown, run: JobRun): Promise<void> {
  if (error instanceof AttemptSuperseded || run.signal.aborted) throw error;
  // Its project was deleted meanwhile, and the import with it.
  if (isServiceError(error) && error.code === "not_found") return;
  const isBad = error instanceof BadAnnotationFile;
  if (!isBad && !run.lastAttempt) throw error;
  if (!isBad) run.log.error({ err: error, import: uid }, "an import failed in its last attempt");
  const reason = isBad ? error.message : isServiceError(error) ? error.text() : unexpected;
  await refuseFile(ctx, uid, shownName(reason), run);
}

async function refuseFile(ctx: Ctx, uid: string, reason: string, run: JobRun): Promise<void> {
  await transaction(ctx, async (tx) => {
    await fence(tx, run.attempt);
    const { status } = await lockImport(tx, uid);
    if (status === "checking" || status === "waiting" || status === "reading")
      await endImport(tx, uid, "failed", reason);
  });
}

/** Ends an import whose file takes the worker down. */
export const refuseImport = (
  { organizationId, importId }: { organizationId: string; importId: string },
  run: JobRun,
  reason: string,
): Promise<void> => refuseFile(systemContext(prisma, organizationId, "imports"), importId, reason, run);
