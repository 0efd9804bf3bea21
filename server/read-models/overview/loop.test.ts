import { expect, test } from "vitest";
import { prisma } from "@/server/platform/db";
import { pictures } from "@/server/testing/datasets";
import { makeOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

test("what is new and what is to be done lead to the dataset that has it", async () => {
  const org = await makeOrganization();
  const dataset = await pictures(org, 2);
  const { overview } = createTrpcCaller(org);
  const address = `${org.slug}/${dataset.slug}`;
  expect(await overview.loop({})).toMatchObject({ new_items: 2, items_in: address, tasks_in: null, results_in: null });

  await prisma.project.create({
    data: {
      uid: `crossings-${dataset.uid}`,
      organizationId: org.uid,
      name: "Crossings",
      taskType: "image-annotation",
      status: "active",
      taskCount: 5,
      completedCount: 3,
      acceptedCount: 1,
      datasets: { create: { datasetId: dataset.uid } },
    },
  });
  const expected = { open_tasks: 2, tasks_in: address, results: 2, results_in: address };
  expect(await overview.loop({})).toMatchObject(expected);

  // Of several datasets none has all.
  await pictures(org, 1);
  expect(await overview.loop({})).toMatchObject({ ...expected, new_items: 3, items_in: null });
});

test("an organization without a dataset and a project has no training data", async () => {
  const org = await makeOrganization();
  expect(await createTrpcCaller(org).overview.loop({})).toBeNull();
  await prisma.project.create({
    data: {
      uid: `crossings-${org.uid}`,
      organizationId: org.uid,
      name: "Crossings",
      taskType: "image-annotation",
      status: "active",
    },
  });
  expect(await createTrpcCaller(org).overview.loop({})).toMatchObject({ open_tasks: 0, new_items: 0 });
});
