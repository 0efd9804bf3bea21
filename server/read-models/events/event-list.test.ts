import { describe, expect, test } from "vitest";
import { EventFilters } from "@/domain/events/schema";
import { EventHistogramQuery, EventScreenFilters } from "@/domain/events/screen-schema";
import { deleteEvents, tagEvents } from "@/server/features/events/bulk-service";
import { replaceDerivedEvents } from "@/server/features/events/derived-service";
import { deleteEvent } from "@/server/features/events/service";
import { createEvent, createEvents } from "@/server/features/events/write-service";
import { pool, prisma, transaction } from "@/server/platform/db";
import { listEventOverviews } from "@/server/read-models/events/event-list";
import { eventHistogram, computeGrid } from "@/server/read-models/events/histogram";
import { makeDevice, makeOrganization, makeRecording } from "@/server/testing/factories";

const [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
const { uid: deviceId } = await makeDevice(org, { name: "arm-04" });

const recording = async () => (await makeRecording(org, deviceId)).uid;
const at = (seconds: number) => BigInt(1_770_000_000 + seconds) * 1_000_000_000n;
const event = (recordingId: string, type: "error" | "warning" | "info", seconds: number, tags: string[] = []) =>
  createEvent(org.ctx, { recording_id: recordingId, type, label: "slip", timestamp: at(seconds), tags });
const listTypes = async (recordingId: string) =>
  (await prisma.recordingEventType.findMany({ where: { recordingId }, orderBy: { type: "asc" } })).map(
    ({ type }) => type,
  );
const histogram = (query: Record<string, string> = {}, of = org) =>
  eventHistogram(of.ctx, EventHistogramQuery.parse(query));

describe("the event types of a recording", () => {
  test("include a type from its first event until its last is deleted, whatever its source", async () => {
    const uid = await recording();
    const first = await event(uid, "error", 1);
    const second = await event(uid, "error", 2);
    await event(uid, "info", 3);
    expect(await listTypes(uid)).toEqual(["error", "info"]);
    await deleteEvent(org.ctx, first.uid);
    expect(await listTypes(uid)).toEqual(["error", "info"]);
    await deleteEvent(org.ctx, second.uid);
    expect(await listTypes(uid)).toEqual(["info"]);
    const made = {
      type: "anomaly",
      severity: "warning",
      label: "hot",
      timestampNs: 5n,
      durationNs: 7n,
      metadata: {},
    } as const;
    const derive = (events: (typeof made)[]) =>
      transaction(org.ctx, (tx) =>
        replaceDerivedEvents(tx, { ruleId: "rul_types", recordingId: uid, deviceId }, events),
      );
    await derive([made, made]);
    expect(await listTypes(uid)).toEqual(["anomaly", "info"]);
    await derive([]);
    expect(await listTypes(uid)).toEqual(["info"]);
  });

  test("keep a type when its last event is deleted while another is created", async () => {
    const uid = await recording();
    for (let round = 0; round < 10; round++) {
      const last = await event(uid, "warning", round);
      const [next] = await Promise.all([event(uid, "warning", round + 100), deleteEvent(org.ctx, last.uid)]);
      expect(await listTypes(uid)).toEqual(["warning"]);
      await deleteEvent(org.ctx, next.uid);
      expect(await listTypes(uid)).toEqual([]);
    }
  });
});

describe("the list for the screen", () => {
  test("includes the names of device, recording and source", async () => {
    const uid = await recording();
    await event(uid, "error", 1);
    const page = await listEventOverviews(org.ctx, EventFilters.parse({ recording_id: uid }));
    expect(page.results[0]).toMatchObject({
      device_name: "arm-04",
      source: "user",
      source_name: org.owner.username,
      timestamp_ns: String(at(1)),
      watched: [],
    });
    expect((await listEventOverviews(other.ctx, EventFilters.parse({ recording_id: uid }))).results).toEqual([]);
  });
});

test("a relative range can be paged; severities can be given by their minimum", async () => {
  const uid = await recording();
  const now = BigInt(Date.now()) * 1_000_000n;
  for (let n = 1; n <= 3; n++) {
    await createEvent(org.ctx, {
      recording_id: uid,
      type: "warning",
      label: `w${n}`,
      timestamp: now - BigInt(n) * 1_000_000_000n,
    });
  }
  const page = (cursor?: string) =>
    listEventOverviews(
      org.ctx,
      EventScreenFilters.parse({ recording_id: uid, since: "-1h", severity: ">=warning", limit: 2, cursor }),
    );
  const first = await page();
  const rest = await page(first.next ?? "");
  expect([...first.results, ...rest.results].map(({ label }) => label)).toEqual(["w1", "w2", "w3"]);
  expect(EventScreenFilters.safeParse({ since: "-5 bananas" }).success).toBe(false);
  expect(EventScreenFilters.parse({ severity: ">=error" }).severity).toEqual(["error", "critical"]);
});

describe("bulk actions on events", () => {
  test("tag each event on its own and report what changed, was deleted or belongs to another organization", async () => {
    const uid = await recording();
    const [a, b] = [await event(uid, "info", 1, ["seen"]), await event(uid, "info", 2)];
    const absent = "evt_00000000-0000-7000-8000-000000000001";
    const response = await tagEvents(org.ctx, { uids: [a.uid, b.uid, absent, "nonsense"], add: ["seen", "night"] });
    expect(response).toMatchObject({
      succeeded: 2,
      failed: 2,
      results: [{ added: ["night"] }, { added: ["seen", "night"] }, { ok: false, error: "Not found." }, { ok: false }],
    });
    await tagEvents(org.ctx, { uids: [b.uid], remove: ["seen"] });
    expect((await prisma.event.findUnique({ where: { uid: b.uid } }))?.tags).toEqual(["night"]);
    expect((await tagEvents(other.ctx, { uids: [a.uid], add: ["theirs"] })).succeeded).toBe(0);
    expect((await deleteEvents(other.ctx, [a.uid])).succeeded).toBe(0);
    expect((await deleteEvents(org.ctx, [a.uid, b.uid])).succeeded).toBe(2);
    expect(await listTypes(uid)).toEqual([]);
  });
});

describe("the histogram", () => {
  test("counts every matching event once, in the bucket of its time and by type", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const { uid } = await makeRecording(own, device.uid);
    const write = (type: string, seconds: number[]) =>
      createEvents(own.ctx, {
        recording_id: uid,
        events: seconds.map((s) => ({
          type: type as "error",
          label: "x",
          timestamp: at(s),
          tags: s % 2 ? ["odd"] : [],
        })),
      });
    await write("error", [0, 1, 2, 100]);
    await write("info", [50, 50, 50]);
    const sums = (found: Awaited<ReturnType<typeof histogram>>) => {
      const total: Record<string, number> = {};
      for (const { counts } of found?.buckets ?? [])
        for (const [type, n] of Object.entries(counts)) total[type] = (total[type] ?? 0) + n;
      return total;
    };
    const all = await histogram({}, own);
    expect(all).toMatchObject({ counted: "exact", share: 1, step_ns: "2000000000" });
    expect(sums(all)).toEqual({ error: 4, info: 3 });
    expect(all?.buckets.find(({ counts }) => counts.info)).toEqual({ at: String(at(50)), counts: { info: 3 } });
    expect(sums(await histogram({ type: "error" }, own))).toEqual({ error: 4 });
    expect(sums(await histogram({ severity: "info" }, own))).toEqual({ info: 3 });
    expect(sums(await histogram({ recording_id: uid }, own))).toEqual({ error: 4, info: 3 });
    expect(sums(await histogram({ tags: "odd" }, own))).toEqual({ error: 1 });
    const some = await histogram(
      {
        since: new Date(Number(at(1) / 1_000_000n)).toISOString(),
        until: new Date(Number(at(60) / 1_000_000n)).toISOString(),
      },
      own,
    );
    expect(sums(some)).toEqual({ error: 2, info: 3 });
    expect(await histogram({ type: "custom" }, own)).toBeNull();
    expect(await histogram({ recording_id: uid }, other)).toBeNull();
  });

  test("is an estimate, and marked as one, beyond the limit of exact counting", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const { uid } = await makeRecording(own, device.uid);
    const { uid: demo } = await makeRecording(own, device.uid, { demo: true });
    const rows = 240_000;
    await prisma.$executeRaw`insert into events (uid, organization_id, recording_id, device_id, type, severity, label, timestamp_ns, source)
      select 'evt_' || gen_random_uuid(), ${own.uid}, case when n % 3 = 0 then ${demo} else ${uid} end, ${device.uid}, case when n % 4 = 0 then 'error' else 'info' end, 'info', 'x',
        ${at(0)} + n::bigint * 1000000000, 'user' from generate_series(1, ${rows}) as n`;
    await prisma.$executeRaw`analyze events`;
    const all = await histogram({}, own);
    const notDemo = await histogram({ demo: "false" }, own);
    // Other tests of this database read whole tables and must not find these rows.
    await prisma.$executeRaw`delete from events where organization_id = ${own.uid}`;
    await pool.query("vacuum events");
    for (const [found, expected] of [
      [all, rows],
      [notDemo, (rows / 3) * 2],
    ] as const) {
      expect(found?.counted).toBe("sampled");
      expect(found?.share).toBeLessThan(1);
      const total = (found?.buckets ?? []).reduce(
        (sum, { counts }) => sum + (counts.error ?? 0) + (counts.info ?? 0),
        0,
      );
      expect(Math.abs(total - expected) / expected).toBeLessThan(0.1);
    }
  });

  test("has round buckets that cover everything", () => {
    for (const [first, last] of [
      [0n, 0n],
      [5n, 10n ** 18n],
      [10n ** 18n, 10n ** 18n + 3n * 86_400_000_000_000n],
    ] as const) {
      const { from, to, count } = computeGrid(first, last);
      expect(from <= first && last < to && count <= 73).toBe(true);
    }
  });
});
