import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { BulkMatching } from "@/domain/alerts/inbox-schema";
import { inboxTabs } from "@/domain/alerts/lifecycle";
import type { Severity } from "@/domain/severity";
import { nsFromMs } from "@/domain/time/nanoseconds";
import { prisma } from "@/server/platform/db";
import { newUid } from "@/server/platform/uid";
import type { BulkMatchingResult } from "@/server/read-models/inbox/groups";
import { makeAlert, makeChannel } from "@/server/testing/alerts";
import {
  addMember,
  makeDevice,
  makeOrganization,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

type InboxFilters = Parameters<ReturnType<typeof createTrpcCaller>["alerts"]["inboxCounts"]>[0];

let org: TestOrganization;
let colleague: TestMember;
let me: ReturnType<typeof createTrpcCaller>;
beforeEach(async () => {
  org = await makeOrganization();
  colleague = await addMember(org);
  me = createTrpcCaller(org);
});

const raise = async (severity: Severity, more: Parameters<typeof makeAlert>[1] = {}) =>
  (await makeAlert(org, { severity, ...more })).alertId;
const inbox = async (input: Parameters<typeof me.alerts.inbox>[0] = {}) =>
  (await me.alerts.inbox(input)).results.map((alert) => alert.uid);

/** The uids of every page of the inbox, two alerts at a time. */
async function pages(input: Parameters<typeof me.alerts.inbox>[0] = {}): Promise<string[]> {
  const uids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await me.alerts.inbox({ ...input, limit: 2, ...(cursor !== undefined && { cursor }) });
    uids.push(...page.results.map((alert) => alert.uid));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return uids;
}

describe("the open tab", () => {
  test("lists own and unassigned alerts before those of others, the worst first, then the newest, on any page", async () => {
    const warning = await raise("warning");
    const info = await raise("info");
    const otherAssigned = await raise("critical");
    await me.alerts.assign({ uid: otherAssigned, assignee: colleague.username });
    const critical = await raise("critical");
    const ownAssigned = await raise("error");
    await me.alerts.assign({ uid: ownAssigned, assignee: "me" });
    const newer = await raise("warning");
    const order = [critical, ownAssigned, newer, warning, info, otherAssigned];
    expect(await inbox()).toEqual(order);
    expect(await pages()).toEqual(order);
    expect(await pages({ order: "newest" })).toEqual([...order].sort().reverse());
  });

  test("an alert whose severity changes moves to its new position", async () => {
    const at = {
      rule: { uid: newUid("rule"), name: "Too hot", version: 1 },
      device: { uid: newUid("device"), name: "arm" },
      recordingId: newUid("recording"),
    };
    const moving = await raise("info", at);
    const other = await raise("error");
    expect(await inbox()).toEqual([other, moving]);
    await raise("critical", at);
    expect(await inbox()).toEqual([moving, other]);
  });

  test("can be filtered by minimum severity, relative time and assignee", async () => {
    const [warning, critical] = [await raise("warning"), await raise("critical")];
    await me.alerts.assign({ uid: warning, assignee: colleague.username });
    expect(await inbox({ severity: ">=error" })).toEqual([critical]);
    expect(await inbox({ since: "-1h" })).toEqual([critical, warning]);
    expect(await inbox({ until: "-1h" })).toEqual([]);
    expect(await inbox({ assignee: colleague.username })).toEqual([warning]);
    await expect(me.alerts.inbox({ severity: ">=bad" })).rejects.toThrow();
    await expect(me.alerts.inbox({ since: "yesterday" })).rejects.toThrow();
  });

  test("is ordered and filtered by when alerts triggered, not by when their recordings arrived", async () => {
    const ago = (hours: number) => nsFromMs(Date.now() - hours * 3_600_000);
    const recent = await raise("error", { triggeredNs: ago(1) });
    const lastWeek = await raise("error", { triggeredNs: ago(24 * 6) });
    const yesterday = await raise("error", { triggeredNs: ago(26) });
    expect(await inbox()).toEqual([recent, yesterday, lastWeek]);
    expect(await pages({ order: "newest" })).toEqual([recent, yesterday, lastWeek]);
    expect(await inbox({ since: "-2d" })).toEqual([recent, yesterday]);
    expect(await inbox({ until: "-2d" })).toEqual([lastWeek]);
    expect((await me.alerts.inboxCounts({ since: "-2d" })).open).toBe(2);
    expect(await me.alerts.neighbours({ uid: yesterday, tab: "open" })).toEqual({ previous: recent, next: lastWeek });
    const { results } = await me.alerts.groups({ by: "device", since: "-2d" });
    expect(results.map(({ count }) => count)).toEqual([1, 1]);
  });

  test("a cursor of another tab is refused", async () => {
    for (let each = 0; each < 3; each++) await raise("info");
    const { next } = await me.alerts.inbox({ limit: 2 });
    await expect(me.alerts.inbox({ tab: "resolved", limit: 2, cursor: next ?? "" })).rejects.toThrow();
  });
});

test("silenced and snoozed alerts are under Silenced and in no count of open alerts", async () => {
  const device = await makeDevice(org);
  const muted = await raise("critical", { device: { uid: device.uid, name: device.name } });
  const [snoozed, open] = [await raise("error"), await raise("info")];
  await me.alerts.snooze({ uid: snoozed, until: "2099-01-01T00:00:00Z" });
  await me.silences.create({
    matchers: { device_ids: [device.uid] },
    reason: "works",
    ends_at: "2099-01-01T00:00:00Z",
  });
  expect(await inbox()).toEqual([open]);
  expect(await pages({ tab: "silenced" })).toEqual([muted, snoozed]);
  expect(await me.alerts.openBadge({})).toMatchObject({ count: 1, worst: "info" });
});

describe("groups", () => {
  const rule = { uid: newUid("rule"), name: "High temp", version: 1 };
  const storm = (count: number, severity: Severity = "warning") =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        raise(severity, { rule, device: { uid: newUid("device"), name: `arm-${at}` } }),
      ),
    );

  test("collapse a storm into one row with its counts, its worst severity and its newest alert", async () => {
    await storm(11);
    await storm(1, "critical");
    const single = await raise("error");
    const { results, partial } = await me.alerts.groups({ by: "rule" });
    expect(partial).toBe(false);
    expect(results).toHaveLength(2);
    expect(results[0]).toMatchObject({
      key: rule.uid,
      name: "High temp",
      count: 12,
      devices: 12,
      severity: "critical",
      only: null,
      unassigned: 12,
      single: null,
    });
    expect(results[1]).toMatchObject({ name: "Motor too hot", count: 1, only: "arm-04", severity: "error" });
    // A group of one is the alert itself, as the list has it.
    const [listed] = (await me.alerts.inbox({})).results.filter(({ uid }) => uid === single);
    expect(results[1]?.single).toEqual(listed);
    expect((await inbox({ rule_id: rule.uid })).includes(single)).toBe(false);
  });

  test("have the alerts of each of the last 24 hours, whatever triggered before or in another group", async () => {
    const at = (hours: number) => ({ rule, triggeredNs: nsFromMs(Date.now() - hours * 3_600_000) });
    for (const hours of [0.5, 2.5, 2.6, 23.5, 26]) await raise("error", at(hours));
    await raise("error", { triggeredNs: nsFromMs(Date.now() - 5 * 3_600_000) });
    const { results } = await me.alerts.groups({ by: "rule" });
    const group = results.find(({ key }) => key === rule.uid);
    expect(group).toMatchObject({ count: 5 });
    expect(group?.hours).toEqual([1, ...Array.from({ length: 20 }, () => 0), 2, 0, 1]);
  });

  test("are suggested where a rule has three alerts in the tab, and not in a history or for one rule", async () => {
    const suggested = async (input: Parameters<typeof me.alerts.suggestedGrouping>[0]) =>
      (await me.alerts.suggestedGrouping(input)).by;
    await storm(2);
    await raise("warning");
    expect(await suggested({})).toBe(null);
    const [last] = await storm(1);
    expect(await suggested({})).toBe("rule");
    expect(await suggested({ severity: "critical" })).toBe(null);
    expect(await suggested({ rule_id: rule.uid })).toBe(null);
    expect(await suggested({ tab: "acknowledged" })).toBe(null);
    const { results } = await me.alerts.groups({ by: "rule" });
    expect(results.find(({ key }) => key === rule.uid)?.newest_uid).toBe(last);
    await me.alerts.bulkMatching({ action: "resolve", tab: "open", filters: {} });
    expect(await suggested({ tab: "resolved" })).toBe(null);
  });

  test("an action on a group changes all of its alerts except later ones, and returns the result of each", async () => {
    const uids = await storm(3);
    const newest = (await me.alerts.inbox({})).newest ?? undefined;
    const [later] = await storm(1);
    const done = await me.alerts.bulkMatching({
      action: "acknowledge",
      tab: "open",
      filters: { rule_id: rule.uid },
      newest,
    });
    expect(done).toMatchObject({ succeeded: 3, failed: 0, next: null });
    expect(done.results.map((each) => each.uid).sort()).toEqual([...uids].sort());
    expect(await inbox()).toEqual([later]);
    const again = await me.alerts.bulkMatching({
      action: "resolve",
      tab: "acknowledged",
      filters: { rule_id: rule.uid },
      reason: "duplicate",
    });
    expect(again.succeeded).toBe(3);
  });

  test("more alerts than one request changes are reached part by part, also by what leaves them in their tab", async () => {
    const uids = await storm(5);
    const all = async (action: Pick<BulkMatching, "action" | "assignee">) => {
      const reached: string[] = [];
      let cursor: string | null = null;
      do {
        const part: BulkMatchingResult = await me.alerts.bulkMatching({
          ...{ ...action, tab: "open", filters: { rule_id: rule.uid }, limit: 2 },
          ...(cursor !== null && { cursor }),
        });
        reached.push(...part.results.map(({ uid }) => uid));
        cursor = part.next;
      } while (cursor !== null);
      return reached.sort();
    };
    expect(await all({ action: "assign", assignee: "me" })).toEqual([...uids].sort());
    expect(await all({ action: "acknowledge" })).toEqual([...uids].sort());
    expect(await inbox({ tab: "acknowledged" })).toHaveLength(5);
    const stale = { action: "resolve" as const, tab: "open" as const, filters: {}, cursor: "none" };
    await expect(me.alerts.bulkMatching(stale)).rejects.toThrow();
  });
});

test("the last five alerts of the rule on the device are returned with their notes", async () => {
  const at = {
    rule: { uid: newUid("rule"), name: "Too hot", version: 1 },
    device: { uid: newUid("device"), name: "arm" },
  };
  const uids: string[] = [];
  for (let each = 0; each < 7; each++) uids.push(await raise("info", at));
  await me.alerts.comment({ uid: uids[5] ?? "", body: "fan replaced" });
  await me.alerts.resolve({ uid: uids[5] ?? "", note: "new fan", reason: "fixed" });
  const previous = await me.alerts.previous({ uid: uids[6] ?? "" });
  expect(previous.map((alert) => alert.uid)).toEqual(uids.slice(1, 6).reverse());
  expect(previous[0]).toMatchObject({
    note: "new fan",
    resolution_reason: "fixed",
    comments: [{ body: "fan replaced" }],
  });
  expect(Date.parse((await me.alerts.lastResolved()).at ?? "")).toBeGreaterThan(0);
  // The resolved alert is skipped: it is in another tab.
  expect(await me.alerts.neighbours({ uid: uids[4] ?? "", tab: "open" })).toEqual({ previous: uids[6], next: uids[3] });
});

test("alerts before another are those that triggered earlier, though their recordings were uploaded later", async () => {
  const at = {
    rule: { uid: newUid("rule"), name: "Too hot", version: 1 },
    device: { uid: newUid("device"), name: "arm" },
  };
  const day = (of: number) => ({ ...at, triggeredNs: nsFromMs(Date.UTC(2026, 10, of)) });
  const fifteenth = await raise("info", day(15));
  const eighteenth = await raise("info", day(18));
  const fourteenth = await raise("info", day(14));
  const before = async (uid: string) => (await me.alerts.previous({ uid })).map((alert) => alert.uid);
  expect(await before(fifteenth)).toEqual([fourteenth]);
  expect(await before(eighteenth)).toEqual([fifteenth, fourteenth]);
  expect(await before(fourteenth)).toEqual([]);
});

describe("the counts of the tabs", () => {
  const [rule, device, recordingId] = [newUid("rule"), newUid("device"), newUid("recording")];
  /** An alert in each tab that every filter matches, and one that none does. */
  async function fillTabs(channel: string): Promise<void> {
    const rarity: Parameters<typeof makeAlert>[1] = {
      rule: { uid: rule, name: "Too hot", version: 1 },
      message: "needle",
      channelIds: [channel],
      demo: true,
      triggeredNs: nsFromMs(Date.now() - 100 * 60_000),
    };
    for (const { uid } of [{ uid: device }, { uid: newUid("device") }]) {
      const more = uid === device ? { ...rarity, device: { uid, name: "arm" } } : {};
      const severity = uid === device ? "critical" : "info";
      for (const action of ["open", "acknowledge", "resolve", "snooze"] as const) {
        const id = await raise(severity, { ...more, recordingId: newUid("recording") });
        if (uid === device) await me.alerts.assign({ uid: id, assignee: "me" });
        if (action === "acknowledge") await me.alerts.acknowledge({ uid: id });
        if (action === "resolve") await me.alerts.resolve({ uid: id });
        if (action === "snooze") await me.alerts.snooze({ uid: id, until: "2099-01-01T00:00:00Z" });
        if (uid === device) await prisma.alert.update({ where: { uid: id }, data: { recordingId } });
      }
    }
  }

  test("are those of their lists under each filter, and under all together", async () => {
    const { uid: channel } = await makeChannel(org, "webhook", { url: "https://example.com/hook" });
    // One value of every filter: one without a value here does not compile.
    const values: Required<InboxFilters> = {
      severity: ">=error",
      device_id: device,
      rule_id: rule,
      recording_id: recordingId,
      channel_id: channel,
      assignee: "me",
      since: "-2h",
      until: "-90m",
      demo: "true",
      q: "needle",
    };
    await fillTabs(channel);
    const each = Object.entries(values).map(([key, value]): InboxFilters => ({ [key]: value }));
    for (const filters of [...each, values]) {
      const counts = await me.alerts.inboxCounts(filters);
      for (const tab of inboxTabs) {
        const count = tab === "silenced" ? counts.silenced + counts.snoozed : counts[tab];
        const listed = await inbox({ ...filters, tab });
        // Both alerts are of the last two hours; every other filter leaves one out.
        expect([filters, tab, listed.length]).toEqual([filters, tab, "since" in filters && !filters.q ? 2 : 1]);
        expect([filters, tab, count]).toEqual([filters, tab, listed.length]);
      }
    }
  });
});

describe("a test alert", () => {
  let channel: string;
  beforeAll(async () => {
    channel = (await makeChannel(await makeOrganization(), "webhook", { url: "https://example.com/hook" })).uid;
  });

  test("is delivered like a real one, is marked as a test, and can be removed", async () => {
    const own = await makeChannel(org, "webhook", { url: "https://example.com/hook" });
    const { uid } = await me.alerts.test({ severity: "warning", channel_ids: [own.uid] });
    expect(await me.alerts.get({ uid })).toMatchObject({
      rule_name: "Test alert",
      status: "open",
      delivery: "pending",
      evidence: { kind: "test" },
    });
    expect(await prisma.notification.count({ where: { alertId: uid } })).toBe(1);
    await me.alerts.removeTest({ uid });
    await expect(me.alerts.get({ uid })).rejects.toThrow();
    const real = await raise("info");
    await expect(me.alerts.removeTest({ uid: real })).rejects.toThrow();
  });

  test("is not sent over another organization's channel", async () => {
    await expect(me.alerts.test({ severity: "info", channel_ids: [channel] })).rejects.toThrow();
    expect(await inbox()).toEqual([]);
  });
});
