import { beforeAll, describe, expect, test } from "vitest";
import { replaceDerivedEvents } from "@/server/features/events/derived-service";
import type { EventResource } from "@/server/features/events/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { makeDevice, makeOrganization, makeRecording, type TestOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let deviceId: string;
let recordingId: string;
let token: string;

beforeAll(async () => {
  [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
  const device = await makeDevice(org);
  [deviceId, token] = [device.uid, device.device_token];
  recordingId = (await makeRecording(org, deviceId)).uid;
});

const valid = { type: "anomaly", label: "slip", timestamp: "2026-01-02T03:04:05.678Z" };
const create = (body: object, key = org.key) => request<EventResource>("POST", "/fleet/events/", { key, body });
const batch = (events: unknown, extra: object = {}) =>
  request<EventResource[]>("POST", "/fleet/events/batch/", {
    key: org.key,
    body: { recording_id: recordingId, events, ...extra },
  });
const list = async (query: string) =>
  (await request<Page<EventResource>>("GET", `/fleet/events/?${query}`, { key: org.key })).body;
const count = () => prisma.event.count({ where: { recordingId } });

describe("creating", () => {
  test("an event is read as it was created", async () => {
    const { status, body } = await create({
      recording_id: recordingId,
      ...valid,
      description: "grip lost",
      duration_ms: 12.5,
      tags: ["b", "a", "b"],
      metadata: { force: 1.25, nested: { Keep_Me: [] } },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      recording_id: recordingId,
      device_id: deviceId,
      severity: "warning",
      timestamp: valid.timestamp,
      duration_ms: 12.5,
      tags: ["b", "a"],
      source: "api_key",
      rule_id: null,
    });
    expect((await request("GET", `/fleet/events/${body.uid}/`, { key: org.key })).body).toEqual(body);
  });

  test.each([
    ["error", "error"],
    ["warning", "warning"],
    ["info", "info"],
    ["state_change", "info"],
    ["anomaly", "warning"],
    ["custom", "info"],
  ])("an event of type %s is of severity %s unless one is given", async (type, severity) => {
    expect((await create({ recording_id: recordingId, ...valid, type })).body.severity).toBe(severity);
    expect((await create({ recording_id: recordingId, ...valid, type, severity: "critical" })).body.severity).toBe(
      "critical",
    );
  });

  test("times are kept to the nanosecond, returned to the millisecond, and are UTC without an offset", async () => {
    const { body } = await create({
      recording_id: recordingId,
      ...valid,
      timestamp: "2026-01-02T08:34:05.123456789+05:30",
    });
    expect(body.timestamp).toBe("2026-01-02T03:04:05.123Z");
    expect((await prisma.event.findUnique({ where: { uid: body.uid } }))?.timestampNs).toBe(1767323045123456789n);
    expect(
      (await create({ recording_id: recordingId, ...valid, timestamp: "2026-01-02T03:04:05" })).body.timestamp,
    ).toBe("2026-01-02T03:04:05.000Z");
  });

  test.each([
    "2024-02-30T00:00:00Z",
    "0",
    "-1",
    "Jan 1 2024",
    "infinity",
    "now",
    "2024-W01-1",
    "2024-01-01T23:59:60Z",
    "2024-01-01T24:00:00Z",
    "2024-01-01T00:00:00+99:99",
    "0000-01-01T00:00:00Z",
    "10000-01-01T00:00:00Z",
    "+275760-09-13T00:00:00Z",
    "1969-12-31T23:59:59Z",
  ])("timestamp %s is refused", async (timestamp) => {
    const response = await create({ recording_id: recordingId, ...valid, timestamp });
    expect(response).toMatchObject({
      status: 400,
      body: { timestamp: [expect.stringContaining("Datetime has wrong format")] },
    });
  });

  test.each([
    ["severity", { severity: null }],
    ["type", { type: "ERROR" }],
    ["duration_ms", { duration_ms: -1 }],
    ["duration_ms", { duration_ms: "NaN" }],
    ["label", { label: "" }],
    ["tags", { tags: Array.from({ length: 101 }, (_, n) => `t${n}`) }],
    ["metadata", { metadata: { a: "x".repeat(65_536) } }],
    ["recording_id", { recording_id: "not-a-uuid" }],
  ])("an invalid %s is refused, naming the field", async (field, change) => {
    const before = await count();
    const response = await create({ recording_id: recordingId, ...valid, ...change });
    expect([response.status, Object.keys(response.body)]).toEqual([400, [field]]);
    expect(await count()).toBe(before);
  });

  test("another organization's recording is refused like one that does not exist", async () => {
    const foreign = await create({ recording_id: recordingId, ...valid }, other.key);
    const unknown = "rec_00000000-0000-7000-8000-000000000001";
    const missing = await create({ recording_id: unknown, ...valid }, other.key);
    expect(foreign.status).toBe(400);
    expect(JSON.stringify(foreign.body).replace(recordingId, unknown)).toBe(JSON.stringify(missing.body));
  });

  test("an archived recording takes no events", async () => {
    const { uid } = await makeRecording(org, deviceId);
    await prisma.recording.update({ where: { uid }, data: { status: "archived" } });
    expect(await create({ recording_id: uid, ...valid })).toMatchObject({
      status: 400,
      body: { recording_id: [expect.any(String)] },
    });
    expect(await prisma.event.count({ where: { recordingId: uid } })).toBe(0);
  });

  test("a device writes events on its own recordings only", async () => {
    const sibling = await makeDevice(org);
    const own = await request("POST", "/fleet/events/", { token, body: { recording_id: recordingId, ...valid } });
    const others = await request("POST", "/fleet/events/", {
      token: sibling.device_token,
      body: { recording_id: recordingId, ...valid },
    });
    expect([own.status, others.status]).toEqual([201, 400]);
  });
});

describe("a batch", () => {
  test("creates all of its events, in their order", async () => {
    const events = Array.from({ length: 1_000 }, (_, n) => ({
      ...valid,
      label: `e${n}`,
      ...(n % 10 === 0 && { tags: ["tenth"] }),
    }));
    const { status, body } = await batch(events);
    expect(status).toBe(201);
    expect(body.map((event) => event.label)).toEqual(events.map((event) => event.label));
    expect((await list("tags=tenth&limit=200")).results.length).toBe(100);
  });

  test.each([
    ["no events", [], /empty/],
    ["1,001", Array.from({ length: 1_001 }, () => valid), /no more than 1000/],
    ["no list", {}, /list of items/],
    [
      "1,000 of which the last but one is bad",
      Array.from({ length: 1_000 }, (_, n) => (n === 998 ? { ...valid, label: null } : valid)),
      /^998\.label: /,
    ],
    ["an event that is no object", [valid, 3], /^1: /],
  ])("of %s creates no event", async (_, events, message) => {
    const before = await count();
    const response = await batch(events);
    expect(response.status).toBe(400);
    expect((response.body as unknown as { events: string[] }).events[0]).toMatch(message);
    expect(await count()).toBe(before);
  });
});

describe("listing", () => {
  test("is ordered by time, newest first or, on request, oldest first", async () => {
    const { uid } = await makeRecording(org, deviceId);
    for (const [n, second] of [5, 1, 3].entries()) {
      await create({ recording_id: uid, ...valid, label: `e${n}`, timestamp: `2026-02-01T00:00:0${second}Z` });
    }
    const labels = async (query: string) =>
      (await list(`recording_id=${uid}&${query}`)).results.map((event) => event.label);
    expect(await labels("")).toEqual(["e0", "e2", "e1"]);
    expect(await labels("order_by=timestamp")).toEqual(["e1", "e2", "e0"]);
    expect(await labels("since=2026-02-01T00:00:01Z&until=2026-02-01T00:00:05Z")).toEqual(["e2", "e1"]);
    expect(await labels("since=2026-02-02T00:00:00Z&until=2026-02-01T00:00:05Z")).toEqual([]);
    // As it is written by hand: what an address says with a plus arrives as a space.
    expect(await labels("since=2026-02-01T02:00:03+02:00")).toEqual(["e0", "e2"]);
    expect(await labels("since=2026-02-01T02:00:03%2B02:00")).toEqual(["e0", "e2"]);
  });

  test("every filter returns exactly its events, page by page", async () => {
    const ownOrg = await makeOrganization();
    const device = await makeDevice(ownOrg);
    const recording = await makeRecording(ownOrg, device.uid);
    const types = ["error", "warning", "info", "custom"];
    const levels = ["info", "warning", "critical"];
    const events = Array.from({ length: 60 }, (_, n) => ({
      type: types[n % 4],
      severity: levels[n % 3],
      label: `e${n}`,
      timestamp: new Date(1_770_000_000_000 + (n % 7) * 1000).toISOString(),
      tags: [...(n % 2 ? ["odd"] : []), ...(n % 5 ? [] : ["fifth"])],
      metadata: { n, parity: { odd: n % 2 === 1 } },
    }));
    const created = await request<EventResource[]>("POST", "/fleet/events/batch/", {
      key: ownOrg.key,
      body: { recording_id: recording.uid, events },
    });
    const all = async (query: string) => {
      const found: EventResource[] = [];
      for (let at: string | null = `/fleet/events/?limit=7&${query}`; at;) {
        const page: { body: Page<EventResource> } = await request<Page<EventResource>>(
          "GET",
          at.replace(/^.*\/api\/v1/, ""),
          { key: ownOrg.key },
        );
        found.push(...page.body.results);
        at = page.body.next;
      }
      return found;
    };
    const odd = encodeURIComponent('{"parity":{"odd":true}}');
    const cases: [string, (event: EventResource) => boolean][] = [
      ["", () => true],
      ["type=error", (e) => e.type === "error"],
      ["type=error,custom&severity=critical", (e) => ["error", "custom"].includes(e.type) && e.severity === "critical"],
      ["severity=info", (e) => e.severity === "info"],
      ["tags=odd", (e) => e.tags.includes("odd")],
      ["tags=odd,fifth&type=warning", (e) => e.tags.length === 2 && e.type === "warning"],
      [`metadata_filter=${odd}`, (e) => (e.metadata as { n: number }).n % 2 === 1],
      [`recording_id=${recording.uid}&type=info`, (e) => e.type === "info"],
      [`device_id=${device.uid}&tags=fifth`, (e) => e.tags.includes("fifth")],
      ["recording_id=nonsense", () => false],
    ];
    for (const [query, matches] of cases) {
      const found = await all(query);
      expect(found.map((e) => e.uid).sort(), query).toEqual(
        created.body
          .filter(matches)
          .map((e) => e.uid)
          .sort(),
      );
      const times = found.map((e) => e.timestamp);
      expect(times, query).toEqual([...times].sort().reverse());
    }
  });

  test.each(["order_by=label", "since=yesterday", "type=errors", "metadata_filter=[]", "severity=high"])(
    "%s is refused",
    async (query) => {
      const response = await request("GET", `/fleet/events/?${query}`, { key: org.key });
      expect([response.status, Object.keys(response.body)]).toEqual([400, [query.split("=")[0]]]);
    },
  );
});

describe("changing and deleting", () => {
  test("the tag filter finds changed tags", async () => {
    const { uid } = (await create({ recording_id: recordingId, ...valid, tags: ["before-change"] })).body;
    const changed = await request<EventResource>("PATCH", `/fleet/events/${uid}/`, {
      key: org.key,
      body: { tags: ["after-change"], duration_ms: null, label: "renamed" },
    });
    expect(changed).toMatchObject({ status: 200, body: { tags: ["after-change"], label: "renamed" } });
    expect((await list("tags=before-change")).results).toEqual([]);
    expect((await list("tags=after-change")).results.map((event) => event.uid)).toEqual([uid]);
  });

  test("a deleted event is 404 and not found by its tags", async () => {
    const { uid } = (await create({ recording_id: recordingId, ...valid, tags: ["doomed"] })).body;
    expect((await request("DELETE", `/fleet/events/${uid}/`, { key: other.key })).status).toBe(404);
    expect((await request("DELETE", `/fleet/events/${uid}/`, { key: org.key })).status).toBe(204);
    expect((await request("GET", `/fleet/events/${uid}/`, { key: org.key })).status).toBe(404);
    expect((await list("tags=doomed")).results).toEqual([]);
  });

  test("events of a rule are replaced, not duplicated, by another evaluation", async () => {
    const target = { ruleId: "rul_test", recordingId, deviceId };
    const event = {
      type: "anomaly",
      severity: "critical",
      label: "hot",
      timestampNs: 5n,
      durationNs: 7n,
      metadata: {},
    } as const;
    await replaceDerivedEvents(org.ctx, target, [event, event]);
    await replaceDerivedEvents(org.ctx, target, [event]);
    expect(await prisma.event.count({ where: { ruleId: "rul_test" } })).toBe(1);
  });
});
