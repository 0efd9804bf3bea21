import { beforeAll, expect, test } from "vitest";
import type { DatasetResource } from "@/server/features/datasets/resource";
import * as modelJobs from "@/server/features/models/jobs";
import type { Prisma } from "@/server/platform/database/generated/client";
import { prisma } from "@/server/platform/db";
import { pictures } from "@/server/testing/datasets";
import { addMember, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
let dataset: DatasetResource;
let uids: string[];

beforeAll(async () => {
  org = await makeOrganization();
  dataset = await pictures(org, 2);
  uids = (await prisma.item.findMany({ where: { datasetId: dataset.uid }, orderBy: { key: "asc" } })).map(
    ({ uid }) => uid,
  );
});

const node = (
  uid: string,
  object: string,
  confidence: number,
  children: Prisma.InputJsonObject[] = [],
): Prisma.InputJsonObject => ({
  uid,
  annotation: {
    task_name: "",
    object,
    data: {
      type: "bbox",
      coordinates: { x: 1, y: 2, width: 3, height: 4 },
      attributes: { confidence },
    },
  },
  project_index: 0,
  status: "",
  annotator: null,
  reviewer: null,
  children,
});

test("a run over a dataset is started, listed with its model, and says what it predicted for each item", async () => {
  const [call, stranger] = [createTrpcCaller(org), createTrpcCaller(await makeOrganization())];
  const pipelines = await call.models.pipelines();
  const builtin = pipelines.find(({ model_name: name }) => name === "Standout");
  const [run] = await call.models.run({
    integration: builtin?.uid ?? "",
    over: { dataset: dataset.uid },
  });
  expect((await call.datasets.runs({ dataset: dataset.uid })).results).toMatchObject([
    { uid: run?.uid, model_name: "Standout", status: "pending", done_count: 0 },
  ]);
  await runJobs([modelJobs.run]);
  const { results } = await call.datasets.runs({ dataset: dataset.uid });
  expect(results).toMatchObject([{ status: "completed", total_count: 2, done_count: 2, error_message: null }]);
  expect(results[0]?.started_by).not.toBeNull();

  const [first = "", second = ""] = uids;
  const nodes = [node("1", "cart", 0.4, [node("2", "robot", 0.9)]), node("3", "wall", 0.2)];
  await prisma.prediction.update({
    where: { runId_itemId: { runId: run?.uid ?? "", itemId: first } },
    data: { nodes },
  });
  await prisma.prediction.update({
    where: { runId_itemId: { runId: run?.uid ?? "", itemId: second } },
    data: { nodes: [] },
  });
  const input = { dataset: dataset.uid, run: run?.uid ?? "", uids };
  const predicted = await call.items.predicted(input);
  const box = [
    [1, 2],
    [4, 2],
    [4, 6],
    [1, 6],
  ];
  expect(predicted.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))).toEqual([
    {
      uid: first,
      label: "robot",
      score: 0.9,
      shapes: ["cart", "robot", "wall"].map((label) => ({ label, closed: true, points: box, rings: [] })),
    },
    { uid: second, label: null, score: null, shapes: [] },
  ]);
  await expect(stranger.items.predicted(input)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await expect(stranger.datasets.runs({ dataset: dataset.uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
  expect(await call.items.predicted({ ...input, run: uids[0] ?? "" })).toEqual([]);
});

test("the projects of a dataset are those that the caller sees, page by page", async () => {
  const call = createTrpcCaller(org);
  const make = (name: string, access: "organization" | "assigned") =>
    prisma.project.create({
      data: {
        uid: `${name}-${dataset.uid}`,
        organizationId: org.uid,
        name,
        taskType: "image-annotation",
        access,
        taskCount: 2,
        datasets: { create: { datasetId: dataset.uid } },
      },
    });
  await make("a", "organization");
  await make("b", "assigned");
  const page = await call.datasets.projects({ dataset: dataset.uid, limit: 1 });
  expect(page.results).toMatchObject([{ name: "b", status: "pending-approval", task_count: 2 }]);
  const rest = await call.datasets.projects({ dataset: dataset.uid, limit: 1, cursor: page.next ?? "" });
  expect(rest.results.map(({ name }) => name)).toEqual(["a"]);
  const member = createTrpcCaller(org, await addMember(org, "member"));
  expect((await member.datasets.projects({ dataset: dataset.uid })).results.map(({ name }) => name)).toEqual(["a"]);
});
