import { z } from "zod";
import { visibilities } from "@/domain/datasets/schema";
import { accesses } from "@/domain/organizations/assignment";
import { changeLabels, listLeftOut } from "@/domain/projects/label-changes";
import { completeLabels, type Label, type LabelInput, StoredLabel } from "@/domain/projects/label-schema";
import {
  type CloneProject,
  type CreateProject,
  type ProjectFilters,
  type UpdateProject,
  QualityTarget,
  projectStatuses,
  reviewModes,
  taskTypes,
} from "@/domain/projects/schema";
import { audit, difference } from "@/server/features/audit/service";
import { namedDatasets } from "@/server/features/datasets/service";
import { requireOwn } from "@/server/features/membership/access-service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { announceAccess } from "@/server/features/membership/change-audience-service";
import { endLostWork } from "@/server/features/membership/lost-access-service";
import type { ProjectResource } from "@/server/features/projects/resource";
import { namedSlices } from "@/server/features/slices/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, invalidInput, isServiceError, notFound } from "@/server/platform/errors";
import { likeText } from "@/server/platform/like-text";
import { keysetPage, toOrder, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { arrayOf, bool, int4, jsonb, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const columns = (
  ctx: Ctx,
) => Prisma.sql`p.uid, p.name, p.task_type, p.status, p.status = 'active' as is_active, p.visibility, p.access, false as is_imported,
  o.slug as owner_name, p.short_description, '' as industry_icon,
  coalesce((select array_agg(pd.dataset_id order by pd.position) from annotated_datasets pd where pd.project_id = p.uid
    and ${isVisible(ctx, "dataset", Prisma.sql`pd.dataset_id`)}), '{}') as datasets,
  coalesce((select array_agg(ps.slice_id order by ps.position) from project_slices ps join slices s on s.uid = ps.slice_id
    where ps.project_id = p.uid and ${isVisible(ctx, "dataset", Prisma.sql`s.dataset_id`)}), '{}') as slices,
  p.labels, p.quality_target, p.annotators_open, p.review, p.review_share, p.task_count, p.completed_count as completed_task_count, p.accepted_count, p.rejected_count, p.superseded_count, p.skipped_count,
  p.created_at, p.updated_at`;
const projectRow = {
  uid: text,
  name: text,
  task_type: oneOf(taskTypes),
  status: oneOf(projectStatuses),
  is_active: bool,
  visibility: oneOf(visibilities),
  access: oneOf(accesses),
  is_imported: bool,
  owner_name: text,
  short_description: text,
  industry_icon: text,
  datasets: arrayOf(text),
  slices: arrayOf(text),
  labels: jsonb(z.array(StoredLabel)),
  quality_target: nullable(jsonb(QualityTarget)),
  annotators_open: bool,
  review: oneOf(reviewModes),
  review_share: int4,
  task_count: int4,
  completed_task_count: int4,
  accepted_count: int4,
  rejected_count: int4,
  superseded_count: int4,
  skipped_count: int4,
  created_at: timestamptz,
  updated_at: timestamptz,
};
const tables = Prisma.sql`projects p join organizations o on o.uid = p.organization_id`;

/** The projects of the organization that the caller sees. */
const visible = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`p.organization_id = ${ctx.organizationId} and ${isVisible(ctx, "project", Prisma.sql`p.uid`)}`;

/**
 * The projects of an owner, newest first by default. Throws `not_found` unless the owner is the organization's slug.
 */
export async function listProjects(ctx: Ctx, owner: string, filters: ProjectFilters): Promise<Page<ProjectResource>> {
  await requireOwn(ctx, owner);
  const { limit, cursor, ordering, name, status } = filters;
  return keysetPage<ProjectResource>(ctx, {
    name: "projects",
    filters: { name, status },
    page: { limit, cursor },
    ...toOrder<ProjectResource>(ordering ?? "-created_at", "p.uid", {
      name: { column: "p.name", key: (row) => row.name },
    }),
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        projectRow,
        Prisma.sql`select ${columns(ctx)} from ${tables} where ${visible(ctx)} and ${where}
        ${name ? Prisma.sql`and p.name ilike ${`%${likeText(name)}%`}` : Prisma.empty}
        ${status ? Prisma.sql`and p.status = any(${status})` : Prisma.empty}
        order by ${orderBy} limit ${rows}`,
      ).then((found) => found.map((row) => ({ ...row, labels: completeLabels(row.labels) }))),
  });
}

/** One project. Throws `not_found`. */
export async function getProject(ctx: Ctx, uid: string, lock: Prisma.Sql = Prisma.empty): Promise<ProjectResource> {
  const [row] = await query(
    ctx,
    projectRow,
    Prisma.sql`select ${columns(ctx)} from ${tables} where p.uid = ${uid} and ${visible(ctx)} ${lock}`,
  );
  if (!row) throw notFound();
  return {
    ...row,
    labels: completeLabels(row.labels),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/**
 * Locks and reads a project inside a transaction, so that changes of its counts and status are serialized. Throws
 * `not_found`.
 */
export const lockProject = (tx: Ctx, uid: string): Promise<ProjectResource> =>
  getProject(tx, uid, Prisma.sql`for no key update of p`);

/** The guide of a project, in Markdown; apart from the rest, as it may be large. Throws `not_found`. */
export async function getGuide(ctx: Ctx, uid: string): Promise<string> {
  const [row] = await query(
    ctx,
    { guide: text },
    Prisma.sql`select p.guide from ${tables} where p.uid = ${uid} and ${visible(ctx)}`,
  );
  if (!row) throw notFound();
  return row.guide;
}

/** One project, by the owner in its path. Throws `not_found`. */
export async function getOwnedProject(ctx: Ctx, owner: string, uid: string): Promise<ProjectResource> {
  await requireOwn(ctx, owner);
  return getProject(ctx, uid);
}

/** The project that a body names. Throws `invalid(field)` for one that does not exist. */
export async function namedProject(ctx: Ctx, field: string, uid: string): Promise<ProjectResource> {
  try {
    return await getProject(ctx, uid);
  } catch (error) {
    if (!isServiceError(error) || error.code !== "not_found") throw error;
    throw invalid(field, `Invalid pk "${uid}" - object does not exist.`);
  }
}

type NewProject = Omit<CreateProject, "labels"> & { labels: Label[]; clonedFrom?: string; demo?: boolean };

async function insert(tx: Ctx, { clonedFrom, ...input }: NewProject): Promise<ProjectResource> {
  const datasets = await namedDatasets(tx, "datasets", input.datasets ?? []);
  const slices = await namedSlices(tx, "slices", input.slices ?? []);
  const whole = new Set(datasets.map(({ uid }) => uid));
  const twice = slices.find(({ dataset }) => whole.has(dataset));
  if (twice) throw invalid("slices", `"${twice.name}" is part of a dataset that is named, too.`);
  const counted = [...whole, ...slices.map(({ dataset }) => dataset)];
  const uid = uuidv7();
  await tx.db.project.create({
    data: {
      uid,
      organizationId: tx.organizationId,
      name: input.name,
      taskType: input.task_type,
      labels: input.labels,
      visibility: input.visibility,
      access: input.access,
      shortDescription: input.short_description,
      guide: input.guide,
      qualityTarget: input.quality_target ?? Prisma.DbNull,
      annotatorsOpen: input.annotators_open,
      review: input.review,
      reviewShare: input.review_share,
      clonedFrom: clonedFrom ?? null,
      demo: input.demo ?? false,
      createdById: tx.actor.userId,
      datasets: { create: datasets.map((dataset, position) => ({ datasetId: dataset.uid, position })) },
      slices: {
        create: slices.map((slice, position) => ({ sliceId: slice.uid, datasetId: slice.dataset, position })),
      },
    },
  });
  await execute(tx, Prisma.sql`update datasets set project_count = project_count + 1 where uid = any(${counted})`);
  await audit(tx, { action: "project.created", targetType: "project", targetId: uid, targetName: input.name });
  await announce(tx, "project", uid, "created");
  return getProject(tx, uid);
}

/** Creates a project that waits for approval. Throws `invalid("datasets")`, `invalid("slices")`, `invalid("labels")`. */
export const createProject = (ctx: Ctx, input: CreateProject & { demo?: boolean }): Promise<ProjectResource> =>
  transaction(ctx, (tx) => {
    const { labels } = toLabels({ labels: [], nextNumber: 0 }, input.labels);
    return insert(tx, { ...input, labels });
  });

/**
 * Creates a project with the type, labels, target and, unless others are given, datasets and slices of another. Throws
 * `invalid("project")`.
 */
export async function cloneProject(ctx: Ctx, input: CloneProject): Promise<ProjectResource> {
  return transaction(ctx, async (tx) => {
    const original = await namedProject(tx, "project", input.project);
    const isOver = input.datasets === undefined && input.slices === undefined;
    const whole = await tx.db.projectDataset.findMany({
      where: { projectId: original.uid, datasetId: { in: original.datasets } },
      orderBy: { position: "asc" },
    });
    return insert(tx, {
      ...original,
      guide: await getGuide(tx, input.project),
      name: input.name ?? [...`${original.name} (copy)`].slice(0, 100).join(""),
      datasets: isOver ? whole.map(({ datasetId }) => datasetId) : input.datasets,
      slices: isOver ? original.slices : input.slices,
      clonedFrom: input.project,
    });
  });
}

/** As `changeLabels`. Throws `invalid("labels")`. */
function toLabels(
  before: Parameters<typeof changeLabels>[0],
  given: readonly LabelInput[],
  isUsed: (label: Label) => boolean = () => false,
): { labels: Label[]; nextNumber: number } {
  const changed = changeLabels(before, given, isUsed);
  if (!("wrong" in changed)) return changed;
  throw invalidInput(changed.wrong.map(({ at, message }) => ({ path: ["labels", at], message })));
}

/** The labels of a locked project after a change to the given ones: what results and drafts have is kept. */
async function replaceLabels(tx: Ctx, project: ProjectResource, given: readonly LabelInput[]) {
  const leftOut = listLeftOut(project.labels, given);
  const names = leftOut.flatMap(({ name, aliases }) => [name, ...aliases]);
  const used = await query(
    tx,
    { name: text },
    Prisma.sql`select n.name from unnest(${names}::text[]) n(name)
      where exists (select 1 from results r where r.project_id = ${project.uid} and r.labels @> array[n.name])`,
  );
  const drawn = await query(
    tx,
    { id: text },
    Prisma.sql`select n.id from unnest(${leftOut.map(({ id }) => id)}::text[]) n(id)
      where exists (select 1 from draft_shapes s where s.project_id = ${project.uid} and s.label_id = n.id)`,
  );
  const usedNames = new Set(used.map(({ name }) => name));
  const drawnIds = new Set(drawn.map(({ id }) => id));
  const { nextLabelNumber: nextNumber } = await tx.db.project.findUniqueOrThrow({ where: { uid: project.uid } });
  return toLabels(
    { labels: project.labels, nextNumber },
    given,
    ({ id, name, aliases }) => drawnIds.has(id) || [name, ...aliases].some((each) => usedNames.has(each)),
  );
}

/** Adds labels to a locked project. Resolves to all that it has then. Throws `invalid("labels")`. */
export async function addLabels(tx: Ctx, uid: string, added: readonly LabelInput[]): Promise<Label[]> {
  const project = await getProject(tx, uid);
  const { nextLabelNumber: nextNumber } = await tx.db.project.findUniqueOrThrow({ where: { uid } });
  const changed = toLabels({ labels: project.labels, nextNumber }, [...project.labels, ...added]);
  await tx.db.project.update({
    where: { uid },
    data: { labels: changed.labels, nextLabelNumber: changed.nextNumber },
  });
  const names = (labels: readonly Label[]) => labels.map(({ name }) => name);
  await audit(tx, {
    action: "project.updated",
    targetType: "project",
    targetId: uid,
    targetName: project.name,
    before: { labels: names(project.labels) },
    after: { labels: names(changed.labels) },
  });
  await announce(tx, "project", uid, "updated");
  return changed.labels;
}

/** A guide in an audit entry. */
const excerpt = (guide: string): string => [...guide].slice(0, 1_000).join("");

/** Changes the given fields. Throws `not_found`, `invalid("labels")`. */
export async function updateProject(
  ctx: Ctx,
  owner: string,
  uid: string,
  input: UpdateProject,
): Promise<ProjectResource> {
  return transaction(ctx, async (tx) => {
    await requireOwn(tx, owner);
    const before = await lockProject(tx, uid);
    const {
      name,
      labels,
      visibility,
      access,
      short_description: shortDescription,
      quality_target: qualityTarget,
      guide,
    } = input;
    if (Object.values(input).every((value) => value === undefined)) return before;
    const changed = labels && (await replaceLabels(tx, before, labels));
    const guides = guide !== undefined && { before: await getGuide(tx, uid), after: guide };
    await tx.db.project.update({
      where: { uid },
      data: {
        name,
        ...(changed && { labels: changed.labels, nextLabelNumber: changed.nextNumber }),
        visibility,
        access,
        shortDescription,
        guide,
        ...(qualityTarget !== undefined && { qualityTarget: qualityTarget ?? Prisma.DbNull }),
        annotatorsOpen: input.annotators_open,
        review: input.review,
        reviewShare: input.review_share,
      },
    });
    const after = await getProject(tx, uid);
    const differences = difference(
      { ...before, updated_at: "", ...(guides && { guide: excerpt(guides.before) }) },
      { ...after, updated_at: "", ...(guides && { guide: excerpt(guides.after) }) },
    );
    await audit(tx, {
      action: "project.updated",
      targetType: "project",
      targetId: uid,
      targetName: after.name,
      ...differences,
    });
    await announce(tx, "project", uid, "updated");
    if (after.access !== before.access) await announceAccess(tx);
    if (before.annotators_open && !after.annotators_open) await endLostWork(tx);
    return after;
  });
}
