import type { StartImport } from "@/domain/annotation-imports/schema";
import { fitLabels, showName } from "@/domain/projects/label-files/found-labels";
import type { Label } from "@/domain/projects/label-schema";
import { shapeTypes } from "@/domain/projects/label-schema";
import { audit } from "@/server/features/audit/service";
import type { ImportResource } from "@/server/features/imports/resource";
import { getImport, lockImport, refuseStatus, requireAtWork, StoredFindings } from "@/server/features/imports/service";
import { addLabels, lockProject } from "@/server/features/projects/service";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";

/** The labels of a project by their names and aliases, a name before an alias; without those that are retired. */
export function labelsByName(labels: readonly Label[]): Map<string, Label> {
  const current = labels.filter(({ retired }) => !retired);
  const byName = new Map(current.flatMap((label) => label.aliases.map((name) => [name, label] as const)));
  for (const label of current) byName.set(label.name, label);
  return byName;
}

/** Adds the labels to the locked project that it does not have, as the file describes them. Throws `invalid("labels")`. */
async function makeLabels(
  tx: Ctx,
  project: { uid: string; labels: readonly Label[] },
  wanted: readonly { from: string; name: string }[],
  { found }: Pick<StoredFindings, "found">,
): Promise<readonly Label[]> {
  const described = new Map(found.map((label) => [label.name, label]));
  const fit = fitLabels(
    { labels: wanted.map(({ from, name }) => ({ ...described.get(from), name })), leftOut: [] },
    { present: project.labels, shapes: shapeTypes },
  );
  const made = new Set(fit.labels.map(({ name }) => name));
  const missing = wanted.find(({ name }) => !made.has(name));
  if (missing) throw invalid(["labels", missing.from], fit.leftOut[0] ?? "No label can be made of it.");
  return addLabels(tx, project.uid, fit.labels);
}

/**
 * Starts an import that was looked at: makes the labels that are missing, and queues the job that reads the file. Throws
 * `not_found`, `invalid("labels")` for labels of which nobody said what they become, and `invalid("status")`.
 */
export async function startImport(
  ctx: Ctx,
  uid: string,
  { mode, sizes, labels }: StartImport,
): Promise<ImportResource> {
  const { project: projectUid } = await getImport(ctx, uid);
  return transaction(ctx, async (tx) => {
    const project = await lockProject(tx, projectUid);
    const found = await lockImport(tx, uid);
    if (found.status !== "ready") throw refuseStatus(found);
    requireAtWork(project.status);
    const { findings: stored } = await tx.db.annotationImport.findUniqueOrThrow({ where: { uid } });
    const findings = StoredFindings.parse(stored);
    const chosen = new Map(Object.entries(labels));
    const known = labelsByName(project.labels);
    const becomes = findings.labels.map(({ name: from }) => {
      const choice = chosen.get(from);
      if (choice === null) return { from, name: null };
      const name = (choice ?? known.get(from)?.name)?.trim();
      if (name === undefined)
        throw invalid(["labels", from], `The project has no label "${showName(from)}": choose what it becomes.`);
      return { from, name };
    });
    const missing = new Map(
      becomes.flatMap(({ from, name }) => (name === null || known.has(name) ? [] : [[name, { from, name }] as const])),
    );
    const all = missing.size === 0 ? project.labels : await makeLabels(tx, project, [...missing.values()], findings);
    const byName = labelsByName(all);
    const ids = becomes.map(({ from, name }) => [from, name === null ? null : (byName.get(name)?.id ?? null)] as const);
    await tx.db.annotationImport.update({
      where: { uid },
      data: { status: "waiting", mode, options: { sizes, labels: Object.fromEntries(ids) } },
    });
    await enqueue(tx, jobs.runImport, { organizationId: tx.organizationId, importId: uid });
    await audit(tx, {
      action: "project.import_started",
      targetType: "project",
      targetId: projectUid,
      targetName: project.name,
      after: { import: uid, file: found.file_name, mode, pictures: findings.matched, labels: [...missing.keys()] },
    });
    await announce(tx, "import", uid, "updated", "admins");
    return getImport(tx, uid);
  });
}
