import { randomUUID } from "node:crypto";
import { z } from "zod";
import { demoChecks, demoReceiver } from "@/domain/demo/receiver";
import { LabelInput } from "@/domain/projects/label-schema";
import type { Annotation } from "@/domain/tasks/schema";
import type { ConfirmUpload } from "@/domain/uploads/schema";
import { freeName, type Build } from "@/server/demo/build-step";
import type { DemoPicture } from "@/server/demo/pictures";
import { registerAgent } from "@/server/features/agents/service";
import { createDataset, getDatasetByUid } from "@/server/features/datasets/service";
import {
  confirmDatasetUpload,
  finalizeDatasetUpload,
  initDatasetUpload,
} from "@/server/features/datasets/upload-service";
import { createExport } from "@/server/features/exports/service";
import { rejectResult } from "@/server/features/issues/service";
import { stepProject } from "@/server/features/projects/lifecycle-service";
import { createProject } from "@/server/features/projects/service";
import { createSlice } from "@/server/features/slices/service";
import type { ResultResource } from "@/server/features/tasks/resource";
import { submitResult } from "@/server/features/tasks/submit-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { objectStore } from "@/server/platform/storage/current";

/** A box of a result of the demo. */
const Marked = z.object({
  attributes: z.object({ id: z.string() }),
  coordinates: z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() }),
});
const isTooSmall = ({ width, height }: { width: number; height: number }): boolean =>
  Math.min(width, height) < demoChecks.smallestSide;

const demoRows = (ctx: Ctx) => ({ organizationId: ctx.organizationId, demo: true });

/** Uploads the pictures into the demo's dataset, which a worker then reads. Returns the dataset's uid. */
export async function uploadDemoPictures({ ctx, step }: Build, pictures: readonly DemoPicture[]): Promise<string> {
  const files = await Promise.all(
    pictures.map(async ({ fileName, draw }) => ({ path: fileName, bytes: await draw() })),
  );
  const sizes = files.map(({ path, bytes }) => ({ path, size_bytes: bytes.length }));
  const { dataset, session } = await step(async (tx) => {
    const present = await tx.db.dataset.findFirst({
      where: { ...demoRows(tx), isSequence: false },
      select: { uid: true, itemCount: true },
    });
    const made = present
      ? await getDatasetByUid(tx, present.uid)
      : await createDataset(tx, {
          name: "Pallets in the aisles",
          data_type: "image",
          is_sequence: false,
          visibility: "private",
          access: "organization",
          demo: true,
        });
    if (made.item_count > 0) return { dataset: made, session: null };
    const opened = await initDatasetUpload(tx, { owner: made.owner_name, slug: made.slug }, { files: sizes });
    return { dataset: made, session: opened.uid };
  });
  if (session === null) return dataset.uid;
  const stored = await ctx.db.storedFile.findMany({
    where: { sessionId: session },
    select: { path: true, storageKey: true },
  });
  const confirmed: ConfirmUpload["files"] = [];
  for (const { path, bytes } of files) {
    const key = stored.find((file) => file.path === path)?.storageKey ?? "";
    const { etag } = await objectStore().put(key, new Blob([new Uint8Array(bytes)]).stream(), bytes.length);
    confirmed.push({ path, etag, size_bytes: bytes.length });
  }
  const place = { owner: dataset.owner_name, slug: dataset.slug };
  await step(async (tx) => {
    await confirmDatasetUpload(tx, place, { session_uid: session, files: confirmed });
    await finalizeDatasetUpload(tx, place, { session_uid: session });
  });
  return dataset.uid;
}

const readTimeoutMs = 60_000;
const decideTimeoutMs = 30_000;
const exportTimeoutMs = 60_000;

/** Who labels and reviews in the demo: nobody decides own results, and the one who asked for the demo is to decide some. */
const people = { labels: "Mira (demo)", reviews: "Ben (demo)" } as const;
const actAs = (tx: Ctx, name: string): Ctx => systemContext(tx.db, tx.organizationId, name);

/**
 * Pictures that are labelled, in their order, so that half of all are done: the agent rejects some of the first, and leaves
 * those with many boxes to people. One of these comes last, so that the newest execution is under way.
 */
function chooseLabelled(pictures: readonly DemoPicture[]): DemoPicture[] {
  const first = pictures.slice(0, (pictures.length * 5) / 8);
  const fullest = pictures.slice(first.length).toSorted((a, b) => b.pallets.length - a.pallets.length)[0];
  return fullest ? [...first, fullest] : first;
}

/** Labels some of the pictures in a project whose results an agent decides. Returns the project's uid. */
export async function labelDemoPictures(
  { ctx, step, waitUntil }: Build,
  datasetId: string,
  pictures: readonly DemoPicture[],
): Promise<string> {
  await waitUntil(
    async () => (await ctx.db.item.count({ where: { datasetId, status: "pending" } })) === 0,
    readTimeoutMs,
  );
  const project = await step((tx) => makeProject(tx, datasetId));
  await step((tx) => makeAgent(tx, project));
  const tasks = await ctx.db.task.findMany({
    where: { projectId: project, status: "pending", results: { none: {} } },
    orderBy: { name: "asc" },
    select: { uid: true, name: true },
  });
  const labelled = chooseLabelled(pictures);
  // One that the agent rejects as well, which hears of it later.
  const doubtful = labelled.find(({ pallets }) => pallets.length <= demoChecks.maxBoxes && pallets.some(isTooSmall));
  for (const picture of labelled) {
    const uid = tasks.find((task) => task.name === picture.fileName)?.uid;
    if (uid === undefined) continue; // labelled before an interruption
    await step(async (tx) => {
      const annotations = toAnnotations(picture);
      const result = await submitResult(actAs(tx, people.labels), uid, { annotations });
      await countSeconds(tx, uid, annotations.length);
      if (picture === doubtful) await rejectDoubtful(tx, result);
    });
  }
  return project;
}

const toAnnotations = ({ pallets }: DemoPicture): Annotation[] =>
  pallets.map((coordinates) => ({
    label: "pallet",
    type: "bbox",
    coordinates: { ...coordinates },
    attributes: { id: randomUUID(), source: "human" },
  }));

/** Says how long somebody worked on a task: a look at the picture, and some seconds for each box. */
const countSeconds = (tx: Ctx, uid: string, boxes: number): Promise<number> =>
  execute(
    tx,
    Prisma.sql`update tasks set seconds = ${6 + 5 * boxes}::int where uid = ${uid} and organization_id = ${tx.organizationId}`,
  );

/** Rejects a result as a reviewer does, with what is wrong pinned to a box that is too small. */
async function rejectDoubtful(tx: Ctx, { uid, annotations }: ResultResource): Promise<void> {
  const box = z
    .array(Marked)
    .parse(annotations)
    .find(({ coordinates }) => isTooSmall(coordinates));
  if (!box) return;
  const { x, y, width, height } = box.coordinates;
  await rejectResult(actAs(tx, people.reviews), uid, {
    reason: "One box is of a pallet that is too far away",
    issues: [
      {
        kind: "extra",
        text: `Less than ${demoChecks.smallestSide} pixels: see the guide.`,
        shape: box.attributes.id,
        point: [x + width / 2, y + height / 2],
      },
    ],
  });
}

async function makeProject(tx: Ctx, datasetId: string): Promise<string> {
  const present = await tx.db.project.findFirst({ where: demoRows(tx), select: { uid: true } });
  if (present) return present.uid;
  const { uid } = await createProject(tx, {
    name: "Pallet boxes",
    task_type: "image-annotation",
    datasets: [datasetId],
    labels: [LabelInput.parse({ name: "pallet", color: "#d97706" })],
    visibility: "private",
    access: "organization",
    annotators_open: true,
    review: "all",
    review_share: 100,
    short_description: "A box around every pallet that stands in the way.",
    guide: [
      "## What to label",
      "Every pallet on the floor, with a **box** that touches its outermost edges.",
      "## What to leave out",
      [
        "- Pallets on shelves and on other robots",
        "- Pallets of which less than a quarter is in the picture",
        `- Pallets so far away that they are less than ${demoChecks.smallestSide} pixels wide or high`,
      ].join("\n"),
    ].join("\n\n"),
    demo: true,
  });
  await stepProject(tx, uid, "approve");
  const slices = await tx.db.slice.findMany({ where: { organizationId: tx.organizationId }, select: { name: true } });
  await createSlice(tx, {
    name: freeName(
      "Accepted pallets",
      slices.map(({ name }) => name),
    ),
    dataset: datasetId,
    description: "Pictures whose boxes were accepted.",
    filter_query_string: "status = customer_approved",
  });
  return uid;
}

/** An agent sees the demo's project only, so that it never decides about work of the organization's own. */
async function makeAgent(tx: Ctx, project: string): Promise<void> {
  if ((await tx.db.agent.count({ where: demoRows(tx) })) > 0) return;
  const agents = await tx.db.agent.findMany({ where: { organizationId: tx.organizationId }, select: { name: true } });
  await registerAgent(tx, {
    name: freeName(
      "Box checker",
      agents.map(({ name }) => name),
    ),
    description:
      "Accepts results whose boxes are large enough, rejects others, and leaves those with many boxes to a person.",
    events: ["result.submitted"],
    callback_url: demoReceiver.agent,
    project,
    demo: true,
  });
}

/** Waits until the agent has answered, and lets what it left to people be older than the time that they have. */
export async function ageDemoExecutions({ ctx, step, waitUntil }: Build): Promise<void> {
  const where = { organizationId: ctx.organizationId, agent: { demo: true } };
  await waitUntil(
    async () => (await ctx.db.agentExecution.count({ where: { ...where, status: "pending" } })) === 0,
    decideTimeoutMs,
  );
  const ageSeconds = env.AGENT_TIMEOUT_SECONDS + 60;
  await step((tx) =>
    execute(
      tx,
      Prisma.sql`with own as (
          select e.uid, row_number() over (order by e.status = 'running' desc, e.uid desc) as place
          from agent_executions e join agents a on a.uid = e.agent_id
          where a.organization_id = ${tx.organizationId} and a.demo
            and not exists (select 1 from agent_executions old where old.agent_id = a.uid and old.status = 'timed_out'))
        update agent_executions e set created_at = e.created_at - age.of, started_at = e.started_at - age.of,
          completed_at = e.completed_at - age.of, deadline = e.deadline - age.of
        from own, (select make_interval(secs => ${ageSeconds}::int) as of) age
        where own.uid = e.uid and own.place > 1 and e.deadline > now()`,
    ),
  );
}

/** Exports the project in both formats, one after the other, and waits for them. */
export async function exportDemoPictures({ ctx, step, waitUntil }: Build, project: string): Promise<void> {
  const where = demoRows(ctx);
  const wanted = [
    { name: "Pallet boxes", format: "avala-json-external" },
    { name: "Pallet boxes for training", format: "YOLO" },
  ] as const;
  await step(async (tx) => {
    const present = await tx.db.export.findMany({ where, select: { format: true } });
    for (const { name, format } of wanted) {
      if (present.some((made) => made.format === format)) continue;
      await createExport(tx, { name, format, datasets: [], slices: [], projects: [project], demo: true });
    }
  });
  await waitUntil(
    async () => (await ctx.db.export.count({ where: { ...where, completedAt: null } })) === 0,
    exportTimeoutMs,
  );
}
