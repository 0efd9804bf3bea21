import { beforeAll, expect, test } from "vitest";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { demoDevices, demoRecordings } from "@/server/demo/fleet";
import { battery, demoHealth } from "@/server/demo/health";
import { connectDemoDevice, sendDemoHeartbeats } from "@/server/demo/heartbeat-service";
import { recordStory } from "@/server/demo/stories";
import { prisma, transaction } from "@/server/platform/db";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { readPoints, readStates } from "@/server/testing/metric-rows";
import { readRos2Messages } from "@/server/testing/ros2-messages";

const minute = 60_000;
const now = new Date(Math.floor(Date.now() / minute) * minute);
const stories = demoRecordings(now, false);
const listStories = (device: number) => stories.filter((story) => story.device === device);

let org: TestOrganization;
beforeAll(async () => {
  org = await makeOrganization();
});

const readMessages = readRos2Messages<{ percentage: number; temperature: number }>;

test("what a demo robot reports while it records is what its recording says", async () => {
  const story = stories.at(-1)!;
  const points = demoHealth(demoDevices[story.device]!, listStories(story.device), now, story.device);
  const messages = await readMessages(await recordStory({ ...story, pictures: false, lidar: undefined }));
  const during = points.filter(({ at }) => {
    const seconds = Number(nsFromMs(at.getTime()) - story.start) / 1e9;
    return seconds >= 0 && seconds < story.seconds - 60;
  });
  expect(during.length).toBeGreaterThan(1);
  for (const { at, metrics } of during) {
    // A point is that of the minute it lies in.
    const near = (topic: string) =>
      messages.get(topic)!.filter(({ time }) => Math.abs(Number(time - nsFromMs(at.getTime()))) < 61e9);
    const charges = near("/battery_state").map(({ message }) => message.percentage * 100);
    expect(metrics.battery_percent).toBeGreaterThan(Math.min(...charges) - 0.5);
    expect(metrics.battery_percent).toBeLessThan(Math.max(...charges) + 0.5);
    const heats = near("/motor/state").map(({ message }) => message.temperature);
    expect(metrics.motor_temperature_c).toBeGreaterThan(Math.min(...heats) - 1.5);
    expect(metrics.motor_temperature_c).toBeLessThan(Math.max(...heats) + 1.5);
    expect(metrics.charging).toBe(false);
  }
});

test("the battery of a demo robot falls while it works, rises while it charges, and never leaps", () => {
  for (const [n, device] of demoDevices.entries()) {
    const points = demoHealth(device, listStories(n), now, n);
    expect(points).toHaveLength(24 * 60 + 1);
    for (const [at, { metrics }] of points.entries()) {
      const before = points[at - 1]?.metrics;
      if (!before) continue;
      const change = metrics.battery_percent - before.battery_percent;
      expect(Math.abs(change), `${device.name} ${at}`).toBeLessThan(60 * battery.perSecondOfCharge + 0.7);
      if (metrics.charging && before.charging) expect(change).toBeGreaterThanOrEqual(0);
      if (!metrics.charging && !before.charging) expect(change).toBeLessThan(0.7);
    }
    if (device.state !== "offline") expect(points.some(({ metrics }) => metrics.charging)).toBe(true);
  }
});

test("a new demo robot has the points of its last day, and its heartbeats go on from there", async () => {
  const { uid } = await makeDevice(org, { name: "Arm A1", demo: true });
  await transaction(org.ctx, (tx) => connectDemoDevice(tx, uid, demoDevices[0]!, listStories(0), now));
  const past = await readPoints(uid);
  expect([past.length, past.at(-1)?.[0]]).toEqual([24 * 60 + 1, now.toISOString()]);
  expect((await readStates(uid)).length).toBeGreaterThan(3);

  await prisma.membership.updateMany({ where: { organizationId: org.uid }, data: { lastActiveAt: new Date() } });
  await sendDemoHeartbeats();
  const points = await readPoints(uid);
  expect(points.length).toBe(past.length + 1);
  const [before, after] = points.slice(-2).map(([, numbers]) => Number(numbers.battery_percent));
  expect(Math.abs(after! - before!)).toBeLessThan(3);
  const device = await prisma.device.findUniqueOrThrow({ where: { uid } });
  expect(device.metrics).toMatchObject(points.at(-1)![1]);
});
