import { z } from "zod";
import { draftLimits, DraftShape } from "@/domain/annotations/draft-schema";
import { mayHold } from "@/domain/annotations/editor-label";
import { jsonSize } from "@/domain/fields";
import type { Label } from "@/domain/projects/label-schema";
import type { PreLabel } from "@/domain/tasks/pre-label-schema";
import { audit } from "@/server/features/audit/service";
import { getScore } from "@/server/features/models/provider-answer";
import { PredictionNode } from "@/server/features/models/resource";
import { getRun } from "@/server/features/models/run-service";
import { getProject, lockProject } from "@/server/features/projects/service";
import { beginDraft } from "@/server/features/tasks/draft-service";
import type { PreLabelled } from "@/server/features/tasks/labelling-resource";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction } from "@/server/platform/db";
import { invalid, isServiceError } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import type { JobRun } from "@/server/platform/jobs/handler";
import { enqueue } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";
import { int4, jsonb, text } from "@/server/platform/rows";

/** Tasks that are changed in one transaction: so long others wait for them at most. */
const batchSize = 50;

/** SQL: a task `t` of a project that nobody has begun. */
const isUntouched = (project: string): Prisma.Sql =>
  Prisma.sql`t.project_id = ${project} and t.status = 'pending' and t.lease_user is null`;
/** SQL: nothing is drawn on it. */
const isEmpty = Prisma.sql`not exists (select 1 from task_drafts d where d.task_id = t.uid and d.shape_count > 0)`;

/** SQL: shapes `s` that a run put there and nobody has taken or changed. */
const isOfRun = (run: string): Prisma.Sql =>
  Prisma.sql`s.body -> 'attributes' ->> 'run' = ${run} and s.body -> 'attributes' ->> 'source' = 'model'
    and s.body -> 'attributes' ? 'score'`;

/**
 * Offers what a run predicted in the tasks of a project that nobody has begun, or takes back what of that is untouched; a job
 * does it. Returns how many tasks it concerns at most. Throws `not_found`, `invalid`.
 */
export async function preLabel(ctx: Ctx, uid: string, input: PreLabel): Promise<PreLabelled> {
  return transaction(ctx, async (tx) => {
    const project = await lockProject(tx, uid);
    const { run } = input;
    try {
      await getRun(tx, run);
    } catch (error) {
      if (isServiceError(error) && error.code === "not_found")
        throw invalid("run", `Invalid pk "${run}" - object does not exist.`);
      throw error;
    }
    const [concerned] = await query(
      tx,
      { count: int4 },
      input.undo
        ? Prisma.sql`select count(distinct t.uid)::int as count from tasks t join draft_shapes s on s.task_id = t.uid
            where ${isUntouched(uid)} and t.organization_id = ${tx.organizationId} and ${isOfRun(run)}`
        : Prisma.sql`select count(*)::int as count from tasks t join model_predictions p on p.run_id = ${run} and p.item_id = t.item_id
            where ${isUntouched(uid)} and t.organization_id = ${tx.organizationId} and ${isEmpty}`,
    );
    const changed = concerned?.count ?? 0;
    if (!input.undo && changed === 0)
      throw invalid("run", "It predicted nothing for tasks of this project that nobody has begun.");
    await enqueue(tx, jobs.preLabel, { organizationId: tx.organizationId, projectId: uid, ...input });
    await audit(tx, {
      action: input.undo ? "project.pre_labels_removed" : "project.pre_labelled",
      targetType: "project",
      targetId: uid,
      targetName: project.name,
      after: { run, min_score: input.min_score, tasks: changed },
    });
    return { changed };
  });
}

const Data = z.object({
  type: z.string(),
  coordinates: z.record(z.string(), z.unknown()),
  attributes: z.record(z.string(), z.unknown()).catch({}),
});

/** Predictions as shapes that are offered: with the labels of the project, those that it has not left out. */
export function toOfferedShapes(
  nodes: readonly PredictionNode[],
  labels: readonly Label[],
  { run, min_score: least, label_map: map }: Pick<PreLabel, "run" | "min_score" | "label_map">,
): DraftShape[] {
  const renamed = new Map(Object.entries(map));
  const byName = new Map(
    labels.flatMap((label) => [label.name, ...label.aliases].map((name) => [name, label] as const)),
  );
  // A name that a label has now comes before one that another had.
  for (const label of labels) byName.set(label.name, label);
  const shapes = nodes.flatMap(({ uid, annotation: { object, data } }, position) => {
    const label = byName.get(renamed.get(object) ?? object);
    const given = Data.safeParse(data).data;
    if (!label || !given) return [];
    const score = getScore(given.attributes);
    if (least > 0 && (score ?? 0) < least) return [];
    const keys = new Set(label.attributes.map(({ key }) => key));
    const own = Object.entries(given.attributes).filter(([key]) => keys.has(key));
    const shape = DraftShape.safeParse({
      id: uid,
      label_id: label.id,
      type: given.type,
      coordinates: given.coordinates,
      attributes: { ...Object.fromEntries(own), source: "model", run, score },
      position,
    }).data;
    return shape && mayHold(label, shape.type) ? shape : [];
  });
  return shapes.slice(0, draftLimits.shapes);
}

const candidateRow = { uid: text, nodes: jsonb(z.array(PredictionNode)) };

/** Fills the drafts of the next tasks after one. Returns the last of them; null when there are no more. */
async function offerBatch(ctx: Ctx, project: string, after: string, input: PreLabel): Promise<string | null> {
  return transaction(ctx, async (tx) => {
    const { labels } = await getProject(tx, project);
    // Those that somebody is just given are passed over: they have been begun.
    const tasks = await query(
      tx,
      candidateRow,
      Prisma.sql`select t.uid, p.nodes from tasks t join model_predictions p on p.run_id = ${input.run} and p.item_id = t.item_id
        where ${isUntouched(project)} and t.organization_id = ${tx.organizationId} and t.uid > ${after} and ${isEmpty}
        order by t.uid limit ${batchSize} for no key update of t skip locked`,
    );
    for (const { uid, nodes } of tasks) {
      const shapes = toOfferedShapes(nodes, labels, input);
      if (shapes.length > 0 && jsonSize(shapes) <= draftLimits.bytes)
        await beginDraft(tx, { uid, project }, shapes, null);
    }
    if (tasks.length > 0) await announce(tx, "task", project, "updated");
    return tasks.at(-1)?.uid ?? null;
  });
}

/** Takes untouched shapes of a run out of the drafts of the next tasks. Returns the last of them; null when there are no more. */
async function takeBackBatch(ctx: Ctx, project: string, after: string, { run }: PreLabel): Promise<string | null> {
  return transaction(ctx, async (tx) => {
    const tasks = await query(
      tx,
      { uid: text },
      Prisma.sql`select t.uid from tasks t where ${isUntouched(project)} and t.organization_id = ${tx.organizationId} and t.uid > ${after}
          and exists (select 1 from draft_shapes s where s.task_id = t.uid and ${isOfRun(run)})
        order by t.uid limit ${batchSize} for no key update of t skip locked`,
    );
    if (tasks.length === 0) return null;
    await execute(
      tx,
      Prisma.sql`with gone as (
          delete from draft_shapes s where s.task_id = any(${tasks.map(({ uid }) => uid)}) and ${isOfRun(run)}
          returning s.task_id, s.bytes),
        counted as (select task_id, count(*)::int as shapes, sum(bytes)::int as bytes from gone group by task_id)
        update task_drafts d set version = d.version + 1, shape_count = d.shape_count - c.shapes, bytes = d.bytes - c.bytes
        from counted c where c.task_id = d.task_id and d.organization_id = ${tx.organizationId}`,
    );
    await announce(tx, "task", project, "updated");
    return tasks.at(-1)?.uid ?? null;
  });
}

/** Does what `preLabel` was asked for; repeated, it does nothing twice: only what is empty is filled. */
export async function workOnPreLabels(
  organizationId: string,
  { projectId, ...input }: PreLabel & { projectId: string },
  job: JobRun,
): Promise<void> {
  const ctx = systemContext(prisma, organizationId, "models");
  const step = input.undo ? takeBackBatch : offerBatch;
  for (let after: string | null = ""; after !== null; job.signal.throwIfAborted())
    after = await step(ctx, projectId, after, input);
}
