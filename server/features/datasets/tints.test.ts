import { expect, test } from "vitest";
import * as datasetJobs from "@/server/features/datasets/jobs";
import { sweepTints } from "@/server/features/datasets/tint-service";
import { prisma } from "@/server/platform/db";
import { objectStore } from "@/server/platform/storage/current";
import { makeDataset, picture, readItems, uploadTo } from "@/server/testing/datasets";
import { makeOrganization } from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";

test("pictures of an earlier version get their mean colour, and one that is gone stays without", async () => {
  const org = await makeOrganization();
  const dataset = await makeDataset(org);
  const bytes = await picture();
  await uploadTo(org, dataset, { "a.png": bytes, "b.png": bytes, "c.png": bytes });
  await readItems();
  const read = async () => {
    const rows = await prisma.item.findMany({ where: { datasetId: dataset.uid }, orderBy: { key: "asc" } });
    return rows.map(({ tint }) => tint);
  };
  const before = await read();
  expect(before).toEqual([expect.stringMatching(/^#[0-9a-f]{6}$/), before[0], before[0]]);

  const where = { datasetId: dataset.uid, key: { not: "c.png" } };
  await prisma.item.updateMany({ where, data: { tint: null } });
  const gone = await prisma.item.findFirstOrThrow({ where: { datasetId: dataset.uid, key: "b.png" } });
  await objectStore().delete(gone.thumbnailKey ?? "");
  expect(await sweepTints()).toBeGreaterThan(0);
  await runJobs([datasetJobs.tints]);
  expect(await read()).toEqual([before[0], null, before[0]]);
});
