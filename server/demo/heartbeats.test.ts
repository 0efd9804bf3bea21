import { expect, test } from "vitest";
import { sendDemoHeartbeats } from "@/server/demo/heartbeat-service";
import { sweepOfflineDevices } from "@/server/features/alerts/offline-service";
import { updateDevice } from "@/server/features/devices/service";
import { prisma } from "@/server/platform/db";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";

const longAgo = new Date(Date.now() - 3_600_000);

async function makeRobot(org: TestOrganization, name: string, demo: boolean, status: "online" | "offline" = "online") {
  const { uid } = await makeDevice(org, { name, demo });
  await updateDevice(org.ctx, uid, { status, last_seen_at: longAgo });
  await prisma.device.update({ where: { uid }, data: { lastSeenAt: longAgo } });
  return uid;
}

const read = (uid: string) =>
  prisma.device.findUniqueOrThrow({ where: { uid }, select: { lastSeenAt: true, metrics: true, status: true } });
const seeAgo = async (uid: string) => Date.now() - ((await read(uid)).lastSeenAt?.getTime() ?? 0);

test("demo robots send heartbeats with their battery while somebody uses the organization", async () => {
  const [used, unused] = [await makeOrganization(), await makeOrganization()];
  await prisma.membership.updateMany({ where: { organizationId: used.uid }, data: { lastActiveAt: new Date() } });
  await prisma.membership.updateMany({
    where: { organizationId: unused.uid },
    data: { lastActiveAt: new Date(Date.now() - 2 * 86_400_000) },
  });
  await prisma.apiKey.updateMany({ where: { organizationId: unused.uid }, data: { lastUsedAt: null } });
  const robot = await makeRobot(used, "robot", true);
  const lost = await makeRobot(used, "lost", true, "offline");
  const own = await makeRobot(used, "own", false);
  const forgotten = await makeRobot(unused, "forgotten", true);
  await sendDemoHeartbeats();

  expect(await seeAgo(robot)).toBeLessThan(60_000);
  const { metrics } = await read(robot);
  expect(metrics).toMatchObject({ charging: expect.any(Boolean), motor_temperature_c: expect.any(Number) });
  const { battery_percent: battery } = metrics as { battery_percent: number };
  expect(battery).toBeGreaterThanOrEqual(24);
  expect(battery).toBeLessThanOrEqual(96);
  for (const silent of [lost, own, forgotten]) expect(await seeAgo(silent)).toBeGreaterThan(3_000_000);

  // A forgotten demo is not reported as lost.
  await sweepOfflineDevices();
  expect((await read(forgotten)).status).toBe("online");
  expect((await read(own)).status).toBe("offline");
});
