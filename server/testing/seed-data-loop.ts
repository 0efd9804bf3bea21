import type { Prisma } from "@/server/platform/database/generated/client";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";

const kinds = [
  "dataset",
  "moment",
  "item",
  "sequence",
  "slice",
  "project",
  "task",
  "result",
  "issue",
  "import",
  "workBatch",
  "agent",
  "execution",
  "export",
  "model",
  "integration",
  "run",
  "storageConfig",
] as const;
export type DataLoopIds = Record<(typeof kinds)[number], string>;

export const dataLoopIds = (): DataLoopIds => Object.fromEntries(kinds.map((kind) => [kind, uuidv7()])) as DataLoopIds;

/** The slug of the dataset and the slice. */
export const slugOfMark = (mark: string): string => mark.toLowerCase();

/** Creates one row of every kind from datasets to model runs, with `mark` in every field that can hold text. */
export async function seedDataLoop(input: {
  organizationId: string;
  mark: string;
  by: DataLoopIds;
  member: string;
}): Promise<void> {
  const { organizationId, mark, by, member } = input;
  const text = (field: string) => `${mark} ${field}`;
  const json: Prisma.InputJsonObject = { [mark]: text("json") };
  await prisma.dataset.create({
    data: {
      uid: by.dataset,
      organizationId,
      name: text("dataset"),
      slug: slugOfMark(mark),
      dataType: "image",
      isSequence: true,
      itemCount: 1,
    },
  });
  await prisma.sequence.create({
    data: {
      uid: by.sequence,
      organizationId,
      datasetId: by.dataset,
      key: text("sequence"),
      views: [{ key: text("view"), frames: 1, thumbnail: null }],
    },
  });
  await prisma.item.create({
    data: {
      uid: by.item,
      organizationId,
      datasetId: by.dataset,
      sequenceId: by.sequence,
      key: text("item"),
      status: "unattempted",
      view: text("view"),
      metadata: json,
      storageKey: `datasets/${slugOfMark(mark)}`,
    },
  });
  await prisma.moment.create({
    data: {
      uid: by.moment,
      organizationId,
      datasetId: by.dataset,
      status: "done",
      note: text("note"),
      error: text("error"),
      createdByName: text("author"),
      finishedAt: new Date(),
      spans: {
        create: [
          {
            position: 0,
            organizationId,
            recordingId: text("recording"),
            fromNs: 0n,
            toNs: 1n,
            topics: [text("topic")],
            finished: true,
          },
        ],
      },
    },
  });
  await prisma.bulkEdit.create({
    data: {
      uid: uuidv7(),
      organizationId,
      datasetId: by.dataset,
      kind: "metadata",
      status: "failed",
      metadata: json,
      totalCount: 1,
      failedCount: 1,
      errorMessage: text("error"),
      completedAt: new Date(),
      items: { create: [{ itemId: by.item, state: "failed", key: text("item"), error: text("error") }] },
    },
  });
  await prisma.slice.create({
    data: {
      uid: by.slice,
      organizationId,
      datasetId: by.dataset,
      name: text("slice"),
      slug: slugOfMark(mark),
      description: text("description"),
    },
  });
  await prisma.project.create({
    data: {
      uid: by.project,
      organizationId,
      name: text("project"),
      taskType: "image-annotation",
      shortDescription: text("description"),
      labels: [{ name: text("label"), color: "#112233" }],
      datasets: { create: [{ datasetId: by.dataset }] },
    },
  });
  await prisma.workBatch.create({
    data: { uid: by.workBatch, organizationId, projectId: by.project, number: 1, taskCount: 1 },
  });
  await prisma.datasetMember.create({ data: { datasetId: by.dataset, userId: member, organizationId } });
  await prisma.projectMember.create({ data: { projectId: by.project, userId: member, organizationId } });
  await prisma.projectPerson.create({
    data: { projectId: by.project, userId: member, organizationId, role: "reviewer" },
  });
  await prisma.task.create({
    data: {
      uid: by.task,
      organizationId,
      projectId: by.project,
      itemId: by.item,
      batchId: by.workBatch,
      type: "image-annotation",
      name: text("task"),
      assigneeId: member,
    },
  });
  await prisma.result.create({
    data: {
      uid: by.result,
      organizationId,
      projectId: by.project,
      taskId: by.task,
      itemId: by.item,
      datasetId: by.dataset,
      annotations: [{ label: text("label"), type: "classification", coordinates: {}, attributes: json }],
      reason: text("reason"),
      submittedBy: text("author"),
    },
  });
  const shape = { type: "classification", coordinates: {}, attributes: json };
  await prisma.taskDraft.create({
    data: {
      taskId: by.task,
      organizationId,
      shapes: {
        create: {
          id: uuidv7(),
          projectId: by.project,
          labelId: text("label"),
          position: 1,
          body: shape,
          bytes: 2,
          version: 1,
        },
      },
    },
  });
  await prisma.issue.create({
    data: {
      uid: by.issue,
      organizationId,
      projectId: by.project,
      taskId: by.task,
      resultId: by.result,
      round: 1,
      kind: "other",
      text: text("issue"),
      byName: text("reviewer"),
      comments: { create: { uid: uuidv7(), organizationId, byName: text("labeller"), text: text("comment") } },
    },
  });
  await prisma.annotationImport.create({
    data: {
      uid: by.import,
      organizationId,
      projectId: by.project,
      fileName: text("file"),
      format: "COCO",
      status: "failed",
      mode: "drafts",
      sizeBytes: 10n,
      report: [{ picture: text("picture"), annotation: null, reason: text("reason") }],
      errorMessage: text("error"),
      createdByName: text("author"),
      completedAt: new Date(),
    },
  });
  await prisma.agent.create({
    data: {
      uid: by.agent,
      organizationId,
      name: text("agent"),
      description: text("description"),
      events: ["result.submitted"],
      taskTypes: [],
      secretSealed: text("sealed"),
    },
  });
  await prisma.agentExecution.create({
    data: {
      uid: by.execution,
      organizationId,
      agentId: by.agent,
      eventType: "result.submitted",
      eventPayload: json,
      responsePayload: json,
      errorMessage: text("error"),
      reason: text("reason"),
      deadline: new Date("2099-01-01"),
    },
  });
  await prisma.export.create({
    data: {
      uid: by.export,
      organizationId,
      name: text("export"),
      format: "YOLO",
      status: "exported",
      datasets: [by.dataset],
      slices: [],
      projects: [],
      storageKey: `exports/${slugOfMark(mark)}`,
      expiresAt: new Date("2099-01-01"),
    },
  });
  await prisma.model.create({
    data: {
      uid: by.model,
      organizationId,
      name: text("model"),
      description: text("description"),
      modelTypeName: text("type"),
      integrations: {
        create: [{ uid: by.integration, provider: "builtin", name: text("integration"), configUid: uuidv7() }],
      },
    },
  });
  await prisma.run.create({
    data: {
      uid: by.run,
      organizationId,
      integrationId: by.integration,
      datasetId: by.dataset,
      itemIds: [by.item],
      status: "completed",
      errorMessage: text("error"),
      predictions: { create: [{ itemId: by.item, datasetId: by.dataset, nodes: [] }] },
    },
  });
  await prisma.storageConfig.create({
    data: {
      uid: by.storageConfig,
      organizationId,
      name: text("storage"),
      provider: "aws_s3",
      bucket: `bucket-${slugOfMark(mark)}`,
      prefix: text("prefix"),
      region: "eu-west-1",
      credentialsSealed: text("sealed"),
    },
  });
}
