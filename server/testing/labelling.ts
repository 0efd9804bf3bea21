import { randomUUID } from "node:crypto";
import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import type { ProjectResource } from "@/server/features/projects/resource";
import type { SavedDraft, TaskForEditor } from "@/server/features/tasks/labelling-resource";
import { prisma } from "@/server/platform/db";
import { pictures } from "@/server/testing/datasets";
import { unique, type TestOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

/** Working on tasks as an editor does: over REST, with a lease and a client that counts its changes. */

/** A box of ten pixels with the label car. */
export const makeBox = (id: string, x = 1, position = 0): DraftShape => ({
  id,
  label_id: "0",
  type: "bbox",
  coordinates: { x, y: 2, width: 10, height: 10 },
  attributes: { truck: true },
  position,
});
export const put = (shape: DraftShape): DraftOp => ({ op: "put", id: shape.id, shape });

interface Person {
  key: string;
}

export interface Labeller {
  who: Person;
  lease: string;
  client: string;
}

export const nextTask = (project: string, who: Person) =>
  request<TaskForEditor>("POST", "/tasks/next/", { key: who.key, body: { project } });

/** An active project of pictures of 64 × 48 pixels with the label car. */
export async function makeLabellingProject(
  org: TestOrganization,
  count = 1,
): Promise<{ uid: string; dataset: string }> {
  const dataset = await pictures(org, count);
  const body = { name: unique("p"), task_type: "image-annotation", datasets: [dataset.uid], labels: [{ name: "car" }] };
  const { uid } = (await request<ProjectResource>("POST", "/projects/", { key: org.key, body })).body;
  await request("POST", `/projects/${uid}/approve/`, { key: org.key });
  return { uid, dataset: dataset.slug };
}

/** The same with the uids of its tasks, in the order of their items. */
export async function makeTasks(org: TestOrganization, count: number) {
  const { uid: project, dataset } = await makeLabellingProject(org, count);
  const found = await prisma.task.findMany({ where: { projectId: project }, orderBy: { uid: "asc" } });
  const tasks = found.map(({ uid }) => uid);
  return { project, dataset, tasks, first: tasks[0] ?? "" };
}

/** A new project whose first task somebody has begun. */
export async function startLabelling(org: TestOrganization, who: Person, count = 1) {
  const { uid: project, dataset } = await makeLabellingProject(org, count);
  const { task, lease, draft } = (await nextTask(project, who)).body;
  if (!lease) throw new Error("the task is not leased");
  const labeller: Labeller = { lease: lease.token, client: randomUUID(), who };
  return { project, dataset, uid: task.uid, item: task.dataset_item, draft, labeller };
}

export const saveDraft = (
  uid: string,
  { who, ...client }: Labeller,
  n: number,
  base: number,
  ops: readonly unknown[],
  seconds = 0,
) =>
  request<SavedDraft & { code: string; by: string | null; ops: string[] }>("PATCH", `/tasks/${uid}/draft/`, {
    key: who.key,
    body: { ...client, n, base, ops, seconds },
  });
