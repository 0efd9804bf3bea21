import { expect, test } from "vitest";
import { make } from "@/server/features/demo/jobs";
import { prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization, createTrpcCaller } from "@/server/testing/factories";
import { processDuring, runJobs } from "@/server/testing/processing";

test(
  "the demo fleet requested in the browser is created once in the background, and one call removes it",
  // Thirty recordings are created, uploaded and processed.
  { timeout: 60_000 },
  async () => {
    const org = await makeOrganization();
    await makeDevice(org, { name: "own" });
    const me = createTrpcCaller(org);
    expect((await me.demo.status()).state).toBe("none");
    expect((await me.demo.start()).state).toBe("making");
    expect((await me.demo.start()).state).toBe("making");
    await processDuring(runJobs([make]));

    const status = await me.demo.status();
    expect(status).toMatchObject({ state: "ready", devices: 12, processed: 30, uploaded: 30 });
    expect(status.alerts).toBeGreaterThanOrEqual(35);
    const where = { organizationId: org.uid };
    const states = await prisma.alert.groupBy({ by: ["status"], where });
    expect(states.map((each) => each.status).sort()).toEqual(["acknowledged", "open", "resolved"]);
    await expect(me.demo.start()).rejects.toMatchObject({ code: "CONFLICT" });
    expect((await me.demo.steps()).noisy?.name).toBe("Motor warm");

    await me.demo.remove();
    expect(await me.demo.status()).toMatchObject({ state: "none", devices: 0, alerts: 0 });
    expect(await prisma.device.count({ where })).toBe(1);
  },
);

test("the first steps are ticked for each person by what happened, and stay dismissed", async () => {
  const org = await makeOrganization();
  const me = createTrpcCaller(org);
  expect(await me.demo.steps()).toMatchObject({ dismissed: false, done: { evidence: false, device: false } });
  expect((await me.demo.tick({ step: "evidence" })).done.evidence).toBe(true);
  const { uid } = await makeDevice(org);
  await me.devices.update({ uid, change: { status: "online" } });
  expect((await me.demo.steps()).done.device).toBe(true);
  await me.demo.dismiss({ dismissed: true });
  expect((await me.demo.steps()).dismissed).toBe(true);
});
