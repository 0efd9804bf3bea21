import { expect, test } from "vitest";
import { make } from "@/server/features/filmstrips/jobs";
import { enqueueFilmstrip } from "@/server/features/filmstrips/queue-queries";
import { prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization, makeRecording } from "@/server/testing/factories";
import { runJobs } from "@/server/testing/processing";
import { queuedJobs } from "@/server/testing/queued-jobs";

test("jobs that wait for each other in one queue are all run", async () => {
  const org = await makeOrganization();
  const { uid: deviceId } = await makeDevice(org);
  for (let n = 0; n < 4; n++) {
    const { uid } = await makeRecording(org, deviceId);
    await prisma.$transaction((db) => enqueueFilmstrip({ ...org.ctx, db }, uid));
  }
  const waiting = () => queuedJobs(make.definition, { organizationId: org.uid });
  expect(await waiting()).toHaveLength(4);
  await runJobs([make]);
  expect(await waiting()).toHaveLength(0);
});
