import { expect, test } from "vitest";
import { nsPerSecond } from "@/domain/time/nanoseconds";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { prisma } from "@/server/platform/db";
import { uuidv7 } from "@/server/platform/uid";
import { makeAlert } from "@/server/testing/alerts";
import { makeDataset } from "@/server/testing/datasets";
import { addMember, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

const recordingId = "rec_00000000-0000-7000-8000-000000000001";
const start = 1_700_000_000_000_000_000n;

/** A range of an alert that was added to a dataset, with an item at each of its seconds. */
async function addRange(org: TestOrganization, dataset: DatasetResource, alertId: string, seconds: number) {
  const of = { organizationId: org.uid };
  const moment = await prisma.moment.create({
    data: { ...of, uid: uuidv7(), datasetId: dataset.uid, status: "done", added: seconds },
  });
  const toNs = start + BigInt(seconds) * nsPerSecond;
  await prisma.momentSpan.create({
    data: { ...of, momentId: moment.uid, position: 0, recordingId, alertId, fromNs: start, toNs },
  });
  const items = Array.from({ length: seconds }, (_, at) =>
    makeItem(org, dataset, alertId, start + BigInt(at) * nsPerSecond),
  );
  await prisma.item.createMany({ data: items });
  return items.map(({ uid }) => uid);
}

const makeItem = (org: TestOrganization, dataset: DatasetResource, alertId: string, tNs: bigint | null) => ({
  uid: uuidv7(),
  organizationId: org.uid,
  datasetId: dataset.uid,
  key: `${uuidv7()}.png`,
  mediaType: "image/png",
  storageKey: uuidv7(),
  recordingId,
  tNs,
  metadata: { source: { alert_id: alertId, recording_id: recordingId } },
});

async function makeProject(org: TestOrganization) {
  const labels = [
    { name: "forklift", color: "#0891b2" },
    { name: "pallet", color: "#c2410c" },
  ];
  const of = { organizationId: org.uid };
  const project = await prisma.project.create({
    data: { ...of, uid: uuidv7(), name: "Yard", taskType: "image-annotation", labels },
  });
  const batch = await prisma.workBatch.create({ data: { ...of, uid: uuidv7(), projectId: project.uid, number: 1 } });
  return async (
    dataset: DatasetResource,
    itemId: string,
    status: string,
    counts: Record<string, number>,
    old = false,
  ) => {
    const item = { ...of, projectId: project.uid, itemId };
    const task = await prisma.task.upsert({
      where: { projectId_itemId: { projectId: project.uid, itemId } },
      create: { ...item, uid: uuidv7(), batchId: batch.uid, type: "image-annotation", name: "t" },
      update: {},
    });
    const names = Object.keys(counts);
    const coordinates = { x: 1, y: 1, width: 2, height: 2 };
    await prisma.result.create({
      data: {
        ...item,
        uid: uuidv7(),
        taskId: task.uid,
        datasetId: dataset.uid,
        status,
        labels: names,
        labelCounts: old ? [] : Object.values(counts),
        annotations: names.flatMap((label) =>
          Array.from({ length: counts[label] ?? 0 }, () => ({ label, type: "bbox", coordinates, attributes: {} })),
        ),
      },
    });
    return project.uid;
  };
}

const read = (org: TestOrganization, uid: string) => createTrpcCaller(org).items.labelsOfAlert({ uid });

test("an alert says what was labelled of its items: the accepted result of each, else the newest", async () => {
  const org = await makeOrganization();
  const { alertId: alert } = await makeAlert(org, { recordingId });
  const { alertId: later } = await makeAlert(org, { recordingId });
  const dataset = await makeDataset(org);
  expect(await read(org, alert)).toEqual([]);
  const [first = "", second = "", third = "", , rejected = ""] = await addRange(org, dataset, alert, 5);
  const [foreign = ""] = await addRange(org, dataset, later, 1);
  const label = await makeProject(org);
  const nothing = { uid: dataset.uid, name: dataset.name, slug: dataset.slug, owner_name: dataset.owner_name };
  expect(await read(org, alert)).toEqual([{ ...nothing, items: 5, labelled: 0, labels: [] }]);
  await label(dataset, first, "accepted", { forklift: 1 });
  await label(dataset, first, "submitted", { pallet: 7 });
  await label(dataset, second, "submitted", { pallet: 7 });
  await label(dataset, second, "submitted", { forklift: 1, pallet: 1 });
  // Results from before labels were counted are counted by their annotations.
  await label(dataset, third, "submitted", { sack: 3 }, true);
  await label(dataset, rejected, "rejected", { pallet: 9 });
  await label(dataset, foreign, "accepted", { pallet: 9 });
  expect(await read(org, alert)).toEqual([
    {
      ...nothing,
      items: 5,
      labelled: 3,
      labels: [
        { name: "sack", color: null, count: 3 },
        { name: "forklift", color: "#0891b2", count: 2 },
        { name: "pallet", color: "#c2410c", count: 1 },
      ],
    },
  ]);
});

test("copies of its items in another dataset are counted there", async () => {
  const org = await makeOrganization();
  const { alertId: alert } = await makeAlert(org, { recordingId });
  const [own, copies] = [await makeDataset(org, { name: "A" }), await makeDataset(org, { name: "B" })];
  await addRange(org, own, alert, 2);
  const copy = makeItem(org, copies, alert, null);
  await prisma.item.create({ data: copy });
  const label = await makeProject(org);
  await label(copies, copy.uid, "submitted", { pallet: 2 });
  expect((await read(org, alert)).map(({ uid, items, labelled }) => [uid, items, labelled])).toEqual([
    [copies.uid, 1, 1],
    [own.uid, 2, 0],
  ]);
});

test("nothing of datasets and projects is said to people who do not see them", async () => {
  const org = await makeOrganization();
  const { alertId: alert } = await makeAlert(org, { recordingId });
  const dataset = await makeDataset(org);
  const [item = ""] = await addRange(org, dataset, alert, 1);
  const label = await makeProject(org);
  const project = await label(dataset, item, "accepted", { pallet: 1 });
  const member = await addMember(org);
  const readAsMember = () => createTrpcCaller(org, member).items.labelsOfAlert({ uid: alert });
  expect(await readAsMember()).toMatchObject([{ labelled: 1 }]);
  await prisma.project.update({ where: { uid: project }, data: { access: "assigned" } });
  expect(await readAsMember()).toMatchObject([{ items: 1, labelled: 0, labels: [] }]);
  await prisma.dataset.update({ where: { uid: dataset.uid }, data: { access: "assigned" } });
  expect(await readAsMember()).toEqual([]);
  await expect(read(await makeOrganization(), alert)).rejects.toMatchObject({ code: "NOT_FOUND" });
});
