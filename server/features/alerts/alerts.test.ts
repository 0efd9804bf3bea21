import { beforeAll, describe, expect, test } from "vitest";
import { wakeSnoozedAlerts } from "@/server/features/alerts/offline-service";
import { withdrawAlert } from "@/server/features/alerts/raise-service";
import type {
  AlertDetail,
  AlertResource,
  BulkResult,
  CommentResource,
  TimelineEntry,
} from "@/server/features/alerts/resource";
import { isoDuration } from "@/server/features/alerts/resource";
import { systemContext } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { newUid } from "@/server/platform/uid";
import { makeAlert, makeChannel } from "@/server/testing/alerts";
import { addMember, makeOrganization, type TestMember, type TestOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let colleague: TestMember;
beforeAll(async () => {
  [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
  colleague = await addMember(org);
});

const raise = async (...args: Parameters<typeof makeAlert> extends [unknown, ...infer R] ? R : never) =>
  (await makeAlert(org, ...args)).alertId;
const get = (uid: string, key = org.key) => request<AlertDetail>("GET", `/fleet/alerts/${uid}/`, { key });
const post = <T = AlertDetail>(uid: string, action: string, body: unknown = {}, key = org.key) =>
  request<T>("POST", `/fleet/alerts/${uid}/${action}/`, { key, body });
const list = (query: string, key = org.key) => request<Page<AlertResource>>("GET", `/fleet/alerts/?${query}`, { key });
const listUids = async (query: string, key = org.key) =>
  (await list(query, key)).body.results.map((alert) => alert.uid);
const system = () => systemContext(prisma, org.uid);
const place = () => ({
  rule: { uid: newUid("rule"), name: "Too hot", version: 1 },
  device: { uid: newUid("device"), name: "arm" },
  recordingId: newUid("recording"),
});
const where = ({ rule, device, recordingId }: ReturnType<typeof place>) => ({
  ruleId: rule.uid,
  deviceId: device.uid,
  recordingId,
});

describe("raising", () => {
  test("opens an alert with every member of the resource", async () => {
    const at = place();
    const uid = await raise({ ...at, severity: "error", triggeredNs: 1_790_000_000_123_456_789n });
    const { body } = await get(uid);
    expect(body).toMatchObject({
      uid,
      rule_id: at.rule.uid,
      rule_name: "Too hot",
      rule_version: 1,
      device_id: at.device.uid,
      device_name: "arm",
      recording_id: at.recordingId,
      severity: "error",
      status: "open",
      message: "temperature 91.5 > 80",
      triggered_at: new Date(1_790_000_000_123).toISOString(),
      acknowledged_at: null,
      acknowledged_by: null,
      resolved_at: null,
      resolved_by: null,
      duration: null,
      note: "",
      resolution_reason: null,
      assignee: null,
      snoozed_until: null,
      silence_id: null,
      occurrence_count: 1,
      delivery: "none",
      demo: false,
      evidence: { value: 91.5 },
    });
  });

  test("creates one alert for a rule, device and recording, also in concurrent evaluations", async () => {
    const at = place();
    const results = await Promise.all(Array.from({ length: 6 }, () => makeAlert(org, at)));
    expect(new Set(results.map((result) => result.alertId)).size).toBe(1);
    expect(results.filter((result) => result.created)).toHaveLength(1);
  });

  test("another evaluation updates the facts, keeps the status people set, and sends no second message", async () => {
    const channel = await makeChannel(org, "webhook", { url: "https://example.com/hook" });
    const at = { ...place(), channelIds: [channel.uid] };
    const uid = await raise(at);
    await post(uid, "acknowledge");
    await makeAlert(org, {
      ...at,
      rule: { ...at.rule, version: 2 },
      severity: "critical",
      message: "99 > 80",
      occurrenceCount: 7,
      evidence: { value: 99 },
    });
    expect((await get(uid)).body).toMatchObject({
      status: "acknowledged",
      acknowledged_by: org.owner.username,
      message: "99 > 80",
      severity: "critical",
      occurrence_count: 7,
      rule_version: 2,
      evidence: { value: 99 },
    });
    expect(await prisma.notification.count({ where: { alertId: uid, event: "alert.triggered" } })).toBe(1);
  });

  test("channels that are deleted or of another organization are skipped and returned as missing", async () => {
    const foreign = await makeChannel(other, "webhook", { url: "https://example.com/hook" });
    const own = await makeChannel(org, "webhook", { url: "https://example.com/hook" });
    const deleted = newUid("channel");
    const result = await makeAlert(org, { channelIds: [deleted, own.uid, foreign.uid] });
    expect(result).toMatchObject({ created: true, missingChannelIds: [deleted, foreign.uid] });
    expect(await prisma.notification.findMany({ where: { alertId: result.alertId } })).toMatchObject([
      { channelId: own.uid },
    ]);
  });

  test("an alert no longer found is deleted while untouched, else resolved with a note", async () => {
    const [untouched, touched] = [place(), place()];
    const [first, second] = [await raise(untouched), await raise(touched)];
    await post(second, "comments", { body: "looking" });
    expect(await withdrawAlert(system(), where(untouched))).toBe("deleted");
    expect(await withdrawAlert(system(), where(touched))).toBe("resolved");
    expect(await withdrawAlert(system(), where(touched))).toBeNull();
    expect((await get(first)).status).toBe(404);
    const { body } = await get(second);
    expect(body).toMatchObject({ status: "resolved", resolved_by: "muster" });
    expect(body.note).not.toBe("");
    await makeAlert(org, touched);
    expect((await get(second)).body).toMatchObject({
      status: "open",
      resolved_at: null,
      note: "",
      resolution_reason: null,
    });
  });

  test("an alert resolved by a person stays resolved when it is found again", async () => {
    const at = place();
    const uid = await raise(at);
    await post(uid, "resolve", { note: "known", reason: "expected" });
    await makeAlert(org, at);
    expect((await get(uid)).body).toMatchObject({ status: "resolved", note: "known", resolution_reason: "expected" });
  });
});

describe("acknowledging and resolving", () => {
  test("acknowledging returns four members; acknowledging again changes nothing", async () => {
    const uid = await raise();
    const first = await post(uid, "acknowledge");
    expect(first.body).toEqual({
      uid,
      status: "acknowledged",
      acknowledged_at: first.body.acknowledged_at,
      acknowledged_by: org.owner.username,
    });
    const again = await post(uid, "acknowledge", {}, colleague.key);
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  test("concurrent acknowledgements record one name, which all responses have", async () => {
    const uid = await raise();
    const keys = [org.key, colleague.key, org.key, colleague.key];
    const responses = await Promise.all(keys.map((key) => post(uid, "acknowledge", {}, key)));
    expect(new Set(responses.map(({ body }) => body.acknowledged_by)).size).toBe(1);
    const entries = await prisma.auditEntry.findMany({ where: { targetId: uid, action: "alert.acknowledged" } });
    expect(entries.map(({ targetName }) => targetName)).toEqual(["Motor too hot on arm-04"]);
  });

  test("resolving returns the alert with its note and duration; twice is refused and changes nothing", async () => {
    const uid = await raise({ triggeredNs: BigInt(Date.now() - 3_852_000) * 1_000_000n });
    await post(uid, "acknowledge");
    const { status, body } = await post(uid, "resolve", { resolution_note: "new bearing", reason: "fixed" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      uid,
      status: "resolved",
      note: "new bearing",
      resolution_reason: "fixed",
      resolved_by: org.owner.username,
    });
    expect(body.duration).toBe(isoDuration(body.triggered_at, body.resolved_at ?? ""));
    expect(body.duration).toMatch(/^PT1H4M\d+S$/);
    for (const action of ["resolve", "acknowledge"]) {
      const refused = await post<Record<string, string[]>>(uid, action, { note: "other" });
      expect(refused.status).toBe(400);
      expect(Object.keys(refused.body)).toEqual(["status"]);
    }
    expect((await get(uid)).body).toEqual(body);
  });

  test("resolving needs no body, and one of two concurrent requests is refused", async () => {
    const uid = await raise();
    const responses = await Promise.all(
      [1, 2].map(() => request("POST", `/fleet/alerts/${uid}/resolve/`, { key: org.key })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test.each([
    [0, "PT0S"],
    [59, "PT59S"],
    [60, "PT1M"],
    [3_600, "PT1H"],
    [3_852, "PT1H4M12S"],
    [180_001, "PT50H1S"],
    [-5, "PT0S"],
  ])("%i seconds are %s", (seconds, expected) => {
    expect(isoDuration(new Date(0), new Date(seconds * 1_000))).toBe(expected);
  });

  test("reopening restores the previous status and is refused for an open alert", async () => {
    const uid = await raise();
    expect((await post(uid, "reopen")).status).toBe(400);
    await post(uid, "acknowledge", {}, colleague.key);
    await post(uid, "resolve", { note: "n", reason: "fixed" });
    expect((await post(uid, "reopen")).body).toMatchObject({
      status: "acknowledged",
      acknowledged_by: colleague.username,
      resolved_at: null,
      duration: null,
      note: "",
      resolution_reason: null,
    });
    expect((await post(uid, "reopen")).body).toMatchObject({
      status: "open",
      acknowledged_at: null,
      acknowledged_by: null,
    });
    await post(uid, "resolve");
    expect((await post(uid, "reopen")).body).toMatchObject({ status: "open" });
  });

  test.each([
    ["resolve", { note: 3 }, { note: ["Not a valid string."] }],
    ["resolve", { note: "x".repeat(4_097) }, { note: ["Ensure this field has no more than 4096 characters."] }],
    [
      "resolve",
      { reason: "bored" },
      { reason: ['"bored" is not a valid choice. Choices: fixed, expected, false_alarm, duplicate.'] },
    ],
    ["assign", {}, { assignee: ["This field is required."] }],
    ["assign", { assignee: "nobody here" }, { assignee: ["No member of this organization has this name."] }],
    ["snooze", { until: "tomorrow" }, expect.objectContaining({ until: expect.any(Array) as unknown }) as object],
    ["snooze", { until: "2001-01-01T00:00:00Z" }, { until: ["Ensure this time is in the future."] }],
    ["comments", { body: " " }, { body: ["This field may not be blank."] }],
  ])("%s with %j is refused", async (action, body, expected) => {
    const response = await post(await raise(), action, body);
    expect([response.status, response.body]).toEqual([400, expected]);
  });
});

describe("triage", () => {
  test("an alert can be assigned to a member, to the caller or to nobody, but not to an outsider", async () => {
    const uid = await raise();
    expect((await post(uid, "assign", { assignee: colleague.username })).body).toMatchObject({
      assignee: colleague.username,
      assignee_id: colleague.uid,
    });
    expect((await post(uid, "assign", { assignee: "me" })).body.assignee).toBe(org.owner.username);
    expect((await post(uid, "assign", { assignee: other.owner.username })).status).toBe(400);
    expect((await post(uid, "assign", { assignee: other.owner.uid })).status).toBe(400);
    expect(await listUids("assignee=me&limit=200")).toContain(uid);
    expect((await post(uid, "assign", { assignee: null })).body.assignee).toBeNull();
    expect(await listUids("assignee=none&limit=200")).toContain(uid);
    expect(await listUids(`assignee=${org.owner.username}`)).not.toContain(uid);
  });

  test("comments have their author's name and are listed oldest first", async () => {
    const uid = await raise();
    const first = await post<CommentResource>(uid, "comments", { body: "one" });
    await post(uid, "comments", { body: "two" }, colleague.key);
    expect(first).toMatchObject({ status: 201, body: { alert_id: uid, author: org.owner.username, body: "one" } });
    const { body } = await request<Page<CommentResource>>("GET", `/fleet/alerts/${uid}/comments/`, { key: org.key });
    expect(body.results.map(({ author, body: text }) => [author, text])).toEqual([
      [org.owner.username, "one"],
      [colleague.username, "two"],
    ]);
    expect(body.results[0]).toEqual(first.body);
  });

  test("a snoozed alert is out of the inbox until the snooze ends", async () => {
    const uid = await raise();
    const until = "2098-01-01T00:00:00.000Z";
    expect((await post(uid, "snooze", { until })).body.snoozed_until).toBe(until);
    expect(await listUids("status=open&snoozed=false&limit=200")).not.toContain(uid);
    await wakeSnoozedAlerts(new Date("2097-12-31"));
    expect((await get(uid)).body.snoozed_until).toBe(until);
    await wakeSnoozedAlerts(new Date(until));
    expect((await get(uid)).body.snoozed_until).toBeNull();
    expect(await listUids("status=open&snoozed=false&limit=200")).toContain(uid);
    await post(uid, "resolve");
    expect((await post(uid, "snooze", { until })).status).toBe(400);
  });

  test("the timeline lists changes, comments and deliveries in order", async () => {
    const channel = await makeChannel(org, "webhook", { url: "https://example.com/hook" });
    const uid = await raise({ channelIds: [channel.uid] });
    await post(uid, "acknowledge");
    await post(uid, "comments", { body: "on it" }, colleague.key);
    await post(uid, "assign", { assignee: colleague.username });
    await post(uid, "resolve", { note: "done", reason: "fixed" });
    const { body } = await request<Page<TimelineEntry>>("GET", `/fleet/alerts/${uid}/timeline/`, { key: org.key });
    const entries = body.results.filter((entry) => entry.kind !== "delivery").map(({ actor, text }) => [actor, text]);
    expect(entries).toEqual([
      [null, "temperature 91.5 > 80"],
      [org.owner.username, "Acknowledged"],
      [colleague.username, "on it"],
      [org.owner.username, `Assigned to ${colleague.username}`],
      [org.owner.username, "Resolved (fixed): done"],
    ]);
    expect(
      body.results.filter((entry) => entry.kind === "delivery").map(({ action, channel_id }) => [action, channel_id]),
    ).toEqual(Array(3).fill(["pending", channel.uid]));
    expect(body.results[0]).toMatchObject({ kind: "triggered", at: (await get(uid)).body.triggered_at });
    expect(body.results.map((entry) => entry.at)).toEqual(body.results.map((entry) => entry.at).sort());
  });
});

describe("bulk actions", () => {
  test("each alert has its own result, in the order requested; a failure does not affect the others", async () => {
    const [open, resolved, foreign] = [await raise(), await raise(), (await makeAlert(other)).alertId];
    await post(resolved, "resolve");
    const uids = [open, resolved, foreign, "nonsense", newUid("alert"), open];
    const { status, body } = await request<BulkResult>("POST", "/fleet/alerts/bulk/", {
      key: org.key,
      body: { action: "acknowledge", uids },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      results: [
        { uid: open, ok: true, status: "acknowledged", error: null },
        { uid: resolved, ok: false, status: null, error: "A resolved alert cannot be acknowledged." },
        ...[foreign, "nonsense", uids[4]].map((uid) => ({ uid, ok: false, status: null, error: "Not found." })),
      ],
      succeeded: 1,
      failed: 4,
    });
    expect((await get(foreign, other.key)).body.status).toBe("open");
  });

  test("resolve, assign and snooze accept the members of the single actions", async () => {
    const uids = [await raise(), await raise()];
    const bulk = (body: object) =>
      request<BulkResult>("POST", "/fleet/alerts/bulk/", { key: org.key, body: { uids, ...body } });
    expect((await bulk({ action: "assign", assignee: colleague.username })).body.succeeded).toBe(2);
    expect((await bulk({ action: "snooze", until: "2098-01-01T00:00:00Z" })).body.succeeded).toBe(2);
    expect((await bulk({ action: "resolve", note: "all fine", reason: "false_alarm" })).body.succeeded).toBe(2);
    for (const uid of uids) {
      expect((await get(uid)).body).toMatchObject({
        assignee: colleague.username,
        snoozed_until: null,
        note: "all fine",
        resolution_reason: "false_alarm",
      });
    }
    expect((await bulk({ action: "reopen" })).body.results.map((result) => result.status)).toEqual(["open", "open"]);
    expect((await bulk({ action: "assign" })).body).toEqual({ assignee: ["This field is required."] });
    expect((await bulk({ action: "dance" })).body).toEqual({
      action: ['"dance" is not a valid choice. Choices: acknowledge, resolve, reopen, assign, snooze.'],
    });
    expect((await bulk({ action: "reopen", uids: [] })).status).toBe(400);
    expect((await bulk({ action: "reopen", uids: Array.from({ length: 1_001 }, (_, n) => `x${n}`) })).status).toBe(400);
  });
});
