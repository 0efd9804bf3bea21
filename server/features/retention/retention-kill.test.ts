import { once } from "node:events";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { prisma } from "@/server/platform/db";
import { aged } from "@/server/testing/aged";
import { bundleProgram, killNow, startProgram } from "@/server/testing/child-program";
import { makeDevice, makeOrganization, makeRecording } from "@/server/testing/factories";

const [recordings, entries] = [30, 200];

let program: Awaited<ReturnType<typeof bundleProgram>>;
beforeAll(async () => {
  program = await bundleProgram("retention-process");
});
afterAll(() => program.remove());

test("a daily deletion whose worker is killed with SIGKILL twice goes on in the next, and counts each row once", async () => {
  const own = await makeOrganization();
  const retention = { recordings_days: 5, audit_days: 90 };
  await prisma.organization.update({ where: { uid: own.uid }, data: { settings: { retention } } });
  const device = await makeDevice(own);
  for (let n = 0; n < recordings; n++)
    await makeRecording(own, device.uid, { ...aged("recording", 6), sizeBytes: 10n });
  const entry = { actorType: "user", actorId: "u", actorName: "u", action: "x", targetType: "t", targetId: "t" };
  await prisma.auditEntry.createMany({
    data: Array.from({ length: entries }, () => ({ ...aged(null, 100), ...entry, organizationId: own.uid })),
  });
  const where = { organizationId: own.uid };
  const countLeft = async () =>
    (await prisma.recording.count({ where })) + (await prisma.auditEntry.count({ where: { ...where, action: "x" } }));
  const start = async () => (await startProgram(program.file, { ORGANIZATION: own.uid }))[0];

  let left = recordings + entries;
  for (const share of [0.95, 0.5]) {
    const child = await start();
    try {
      const enough = (recordings + entries) * share;
      await vi.waitFor(async () => expect(await countLeft()).toBeLessThan(enough), { timeout: 60_000, interval: 5 });
    } finally {
      await killNow(child);
    }
    const now = await countLeft();
    expect(now).toBeGreaterThan(0);
    expect(now).toBeLessThan(left);
    expect(await prisma.retentionRun.findUniqueOrThrow({ where })).toMatchObject({ finishedAt: null });
    left = now;
  }

  const last = await start();
  const [{ freed }] = (await once(last, "message")) as [{ freed: object }];
  expect(freed).toEqual({ recordings, bytes: recordings * 10, audit: entries });
  expect(await countLeft()).toBe(0);
  const applied = await prisma.auditEntry.findMany({ where: { ...where, action: "organization.retention_applied" } });
  expect(applied).toHaveLength(1);
}, 180_000);
