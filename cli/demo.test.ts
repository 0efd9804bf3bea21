import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeDemo, removeDemo } from "@/cli/demo";
import { demoDevices, demoRecordings, sampleStory } from "@/server/demo/fleet";
import { recordStory } from "@/server/demo/stories";
import { prisma } from "@/server/platform/db";
import { env } from "@/server/platform/env";
import { deleteStoredObjects } from "@/server/platform/storage/jobs";
import { makeDemoDuring } from "@/server/testing/demo-jobs";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { jsonRecording, processedRecording, runJobs, temperatures } from "@/server/testing/processing";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let server: Loopback;
let own: string;
const now = new Date("2026-06-15T12:34:56Z");
beforeAll(async () => {
  org = await makeOrganization();
  server = await startLoopback();
  const device = await makeDevice(org);
  own = await processedRecording(org, device.uid, [await jsonRecording({ "/temp": temperatures([1, 2]) })]);
});
afterAll(() => server.close());

async function list<T>(at: string): Promise<T[]> {
  const response = await request("GET", at, { key: org.key });
  expect(response.status).toBe(200);
  return (response.body as unknown as { results: T[] }).results;
}

describe("the demo's recordings", () => {
  test("are the same in every run, over the seven days before now", async () => {
    const stories = demoRecordings(now, false);
    expect(stories).toHaveLength(30);
    for (const { start, seconds } of stories) {
      expect(seconds).toBeGreaterThanOrEqual(120);
      expect(seconds).toBeLessThanOrEqual(1_200);
      const startMs = Number(start / 1_000_000n);
      expect(startMs).toBeGreaterThan(now.getTime() - 7.1 * 86_400_000);
      expect(startMs + seconds * 1_000).toBeLessThan(now.getTime());
    }
    const [story] = demoRecordings(now, true);
    const [first, second] = [await recordStory(story!), await recordStory(story!)];
    expect(first.equals(second)).toBe(true);
  });

  test("the sample of the quick start equals what the generator makes of its story", async () => {
    const sample = fs.readFileSync(path.resolve("public/samples/overheating-arm.mcap"));
    expect(sample.equals(await recordStory(sampleStory))).toBe(true);
    expect(sample.length).toBeLessThan(100_000);
  });
});

describe("the demo fleet", () => {
  test("is created through the API and the pipeline, marked as demo, and removed completely", async () => {
    const options = { url: server.url, key: org.key, quick: true, print: () => {} };
    const { processed, alerts } = await makeDemoDuring(org.uid, makeDemo(options));

    const devices = await list<{ demo: boolean; status: string }>("/fleet/devices/?limit=200");
    expect(devices.filter(({ demo }) => demo)).toHaveLength(demoDevices.length);
    const statuses = devices.filter(({ demo }) => demo).map(({ status }) => status);
    expect([
      statuses.filter((each) => each === "offline").length,
      statuses.filter((each) => each === "maintenance").length,
    ]).toEqual([1, 1]);
    const uploaded = await list<{ uid: string; demo: boolean; status: string; gaps: unknown[] }>(
      "/fleet/recordings/?limit=200",
    );
    expect(uploaded.filter(({ demo, status }) => demo && status === "ready")).toHaveLength(10);
    expect(processed).toBe(10);
    expect(uploaded.some(({ gaps }) => gaps.length > 0)).toBe(true);
    const rules = await list<{ demo: boolean; condition: { type: string }; hit_count: number }>(
      "/fleet/rules/?limit=200",
    );
    expect(new Set(rules.filter(({ demo }) => demo).map(({ condition }) => condition.type)).size).toBe(5);
    expect(rules.filter(({ demo, hit_count: hits }) => demo && hits === 0)).toEqual([]);
    const raised = await list<{ demo: boolean; status: string }>("/fleet/alerts/?limit=200");
    expect(raised).toHaveLength(alerts);
    expect(new Set(raised.map(({ status }) => status))).toEqual(new Set(["open", "acknowledged", "resolved"]));
    expect(raised.every(({ demo }) => demo)).toBe(true);
    await expect(makeDemo(options)).rejects.toThrow("is there already");

    const prefixes = await prisma.uploadSession.findMany({
      where: { recording: { organizationId: org.uid, demo: true } },
      select: { prefix: true },
    });
    await removeDemo(options);
    await runJobs([deleteStoredObjects]);
    for (const kind of ["devices", "groups", "recordings", "rules", "alerts", "silences", "alerts/channels"]) {
      expect(
        (await list<{ demo: boolean }>(`/fleet/${kind}/?limit=200`)).filter(({ demo }) => demo),
        kind,
      ).toEqual([]);
    }
    expect(await prisma.event.count({ where: { organizationId: org.uid } })).toBe(0);
    expect(prefixes).toHaveLength(10);
    for (const { prefix } of prefixes) expect(fs.existsSync(path.join(env.DATA_DIR, "files", prefix))).toBe(false);
    expect(
      (await list<{ uid: string; status: string }>("/fleet/recordings/")).map(({ uid, status }) => [uid, status]),
    ).toEqual([[own, "ready"]]);
  });
});
