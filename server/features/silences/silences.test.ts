import { beforeAll, describe, expect, test } from "vitest";
import type { AlertCounts, AlertResource } from "@/server/features/alerts/resource";
import type { Mutes, SilenceResource } from "@/server/features/silences/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { newUid } from "@/server/platform/uid";
import { makeAlert, makeChannel } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { request, createTrpcCaller } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let channel: string;
beforeAll(async () => {
  [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
  channel = (await makeChannel(org, "webhook", { url: "https://example.com/hook" })).uid;
});

const end = "2098-01-01T00:00:00.000Z";
const send = (body: unknown, key = org.key) => request<SilenceResource>("POST", "/fleet/silences/", { key, body });
const silence = async (matchers: object, more: object = {}) =>
  (await send({ matchers, reason: "planned work", ends_at: end, ...more })).body;
const at = (uid: string) => `/fleet/silences/${uid}/`;
const get = (uid: string, key = org.key) => request<SilenceResource>("GET", at(uid), { key });
const raise = async (input: Parameters<typeof makeAlert>[1] = {}) =>
  makeAlert(org, { channelIds: [channel], ...input });
const alert = async (uid: string) =>
  (await request<AlertResource>("GET", `/fleet/alerts/${uid}/`, { key: org.key })).body;
const queued = (alertId: string) => prisma.notification.count({ where: { alertId, status: "pending" } });

describe("a silence", () => {
  test("returns the current names of the devices and rules it mutes, without deleted ones", async () => {
    const [device, foreign] = await Promise.all([makeDevice(org), makeDevice(other)]);
    const rule = await prisma.rule.findFirstOrThrow({ where: { organizationId: org.uid } });
    const ids = { device_ids: [device.uid, foreign.uid, newUid("device")], rule_ids: [rule.uid] };
    expect(await createTrpcCaller(org).silences.names(ids)).toEqual({
      [device.uid]: device.name,
      [rule.uid]: rule.name,
    });
  });

  test("is read as it was returned at creation, with its creator, state and what it mutes", async () => {
    const device = await makeDevice(org);
    const { status, body } = await send({
      matchers: { device_ids: [device.uid] },
      reason: "new gearbox",
      ticket: "OPS-7",
      ends_at: end,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      matchers: { device_ids: [device.uid] },
      reason: "new gearbox",
      ticket: "OPS-7",
      creator: org.owner.username,
      state: "active",
      ends_at: end,
      mutes: { open_alerts: 0, rules: 1, devices: 1 },
    });
    expect(body.uid).toMatch(/^sil_/);
    expect((await get(body.uid)).body).toEqual(body);
  });

  test.each([
    [{}, ["matchers", "reason", "ends_at"]],
    [{ matchers: {}, reason: "r", ends_at: end }, ["matchers"]],
    [{ matchers: { tags: [] }, reason: "r", ends_at: end }, ["matchers"]],
    [{ matchers: { severities: ["bad"] }, reason: "r", ends_at: end }, ["matchers"]],
    [{ matchers: { device_ids: [newUid("device")] }, reason: "r", ends_at: end }, ["matchers"]],
    [{ matchers: { rule_ids: ["nonsense"] }, reason: "r", ends_at: end }, ["matchers"]],
    [{ matchers: { tags: ["a"] }, reason: " ", ends_at: end }, ["reason"]],
    [{ matchers: { tags: ["a"] }, reason: "r", ends_at: "2001-01-01T00:00:00Z" }, ["ends_at"]],
    [{ matchers: { tags: ["a"] }, reason: "r", starts_at: "2099-01-01T00:00:00Z", ends_at: end }, ["ends_at"]],
  ])("%j is refused", async (body, fields) => {
    const response = await send(body);
    expect([response.status, Object.keys(response.body)]).toEqual([400, fields]);
  });

  test("a foreign device is refused like one that does not exist", async () => {
    const foreign = await makeDevice(other);
    const responses = await Promise.all(
      [foreign.uid, newUid("device")].map(async (uid) => {
        const { body } = await send({ matchers: { device_ids: [uid] }, reason: "r", ends_at: end });
        return JSON.stringify(body).replaceAll(uid, "");
      }),
    );
    expect(responses[0]).toBe(responses[1]);
  });
});

describe("a silenced alert", () => {
  test("is recorded with its silence and not sent; one that does not match is sent", async () => {
    const device = await makeDevice(org, { tags: ["hall-3", "arm"] });
    const muting = await silence({ tags: ["hall-3", "arm"], severities: ["warning", "info"] });
    const on = { uid: device.uid, name: device.name };
    const muted = await raise({ device: on });
    const tooBad = await raise({ device: on, severity: "critical" });
    const elsewhere = await raise();
    expect(muted).toMatchObject({ created: true, silenced: true });
    expect(await alert(muted.alertId)).toMatchObject({
      status: "open",
      silenced: true,
      silence_id: muting.uid,
      delivery: "none",
    });
    expect([tooBad.silenced, elsewhere.silenced]).toEqual([false, false]);
    expect([await queued(muted.alertId), await queued(tooBad.alertId), await queued(elsewhere.alertId)]).toEqual([
      0, 1, 1,
    ]);
    await request("POST", `/fleet/alerts/${muted.alertId}/resolve/`, { key: org.key, body: {} });
    expect(await queued(muted.alertId)).toBe(0);
  });

  test("open alerts are muted in lists and counts while the silence is active, and return when it ends", async () => {
    const own = await makeOrganization();
    const device = await makeDevice(own);
    const { alertId } = await makeAlert(own, { device: { uid: device.uid, name: device.name } });
    await makeAlert(own);
    const counts = async () => {
      const { open, silenced } = (await request<AlertCounts>("GET", "/fleet/alerts/counts/", { key: own.key })).body;
      return { open, silenced };
    };
    const listed = async (silenced: boolean) =>
      (
        await request<Page<AlertResource>>("GET", `/fleet/alerts/?status=open&silenced=${silenced}`, { key: own.key })
      ).body.results.map(({ uid }) => uid);
    expect(await counts()).toEqual({ open: 2, silenced: 0 });
    const { body } = await send({ matchers: { device_ids: [device.uid] }, reason: "r", ends_at: end }, own.key);
    expect(body.mutes).toEqual({ open_alerts: 1, rules: 1, devices: 1 });
    expect(await counts()).toEqual({ open: 1, silenced: 1 });
    expect(await listed(true)).toEqual([alertId]);
    expect(await listed(false)).not.toContain(alertId);
    const ended = await request<SilenceResource>("POST", `${at(body.uid)}expire/`, { key: own.key });
    expect(ended.body).toMatchObject({ state: "expired", mutes: { open_alerts: 0, rules: 0, devices: 0 } });
    expect(await counts()).toEqual({ open: 2, silenced: 0 });
    const again = await request<SilenceResource>("POST", `${at(body.uid)}expire/`, { key: own.key });
    expect(again.body).toEqual(ended.body);
  });

  test("a queued first message is canceled; channels that were notified are still notified of the end", async () => {
    const [waiting, notified] = [await raise({ severity: "error" }), await raise({ severity: "error" })];
    await prisma.notification.updateMany({
      where: { alertId: notified.alertId },
      data: { status: "delivered", attempts: 1 },
    });
    const muting = await silence({ severities: ["error"] });
    expect(await queued(waiting.alertId)).toBe(0);
    expect(await alert(waiting.alertId)).toMatchObject({ silence_id: muting.uid });
    for (const { alertId } of [waiting, notified])
      await request("POST", `/fleet/alerts/${alertId}/resolve/`, { key: org.key, body: {} });
    expect([await queued(waiting.alertId), await queued(notified.alertId)]).toEqual([0, 1]);
    await request("DELETE", at(muting.uid), { key: org.key });
  });

  test("a scheduled silence mutes nothing yet, and one of another organization never does", async () => {
    await silence({ severities: ["info"] }, { starts_at: "2097-01-01T00:00:00Z" });
    await send({ matchers: { severities: ["info", "critical"] }, reason: "r", ends_at: end }, other.key);
    expect(await raise({ severity: "info" })).toMatchObject({ silenced: false });
  });
});

describe("managing silences", () => {
  test("a silence can be changed until it expires; an empty change changes nothing", async () => {
    const made = await silence({ tags: ["x"] }, { starts_at: "2097-01-01T00:00:00Z" });
    expect(made.state).toBe("scheduled");
    const patch = (body: unknown) => request<SilenceResource>("PATCH", at(made.uid), { key: org.key, body });
    expect((await patch({})).body).toEqual(made);
    expect((await patch({ reason: "longer", matchers: { tags: ["y"] } })).body).toMatchObject({
      reason: "longer",
      matchers: { tags: ["y"] },
    });
    expect((await patch({ ends_at: "2096-01-01T00:00:00Z" })).status).toBe(400);
    await request("POST", `${at(made.uid)}expire/`, { key: org.key });
    expect((await patch({ reason: "too late" })).status).toBe(400);
    expect((await get(made.uid)).body.reason).toBe("longer");
  });

  test("a preview counts what would be muted now", async () => {
    const own = await makeOrganization();
    const [a] = [await makeDevice(own, { tags: ["arm"] }), await makeDevice(own)];
    await makeAlert(own, { device: { uid: a.uid, name: a.name } });
    await makeAlert(own, { severity: "critical" });
    const preview = async (matchers: object) =>
      (await request<Mutes>("POST", "/fleet/silences/preview/", { key: own.key, body: { matchers } })).body;
    expect(await preview({ tags: ["arm"] })).toEqual({ open_alerts: 1, rules: 1, devices: 1 });
    expect(await preview({ severities: ["warning", "critical"] })).toEqual({ open_alerts: 2, rules: 1, devices: 2 });
  });

  test("lists are the organization's own, by state, newest first", async () => {
    const own = await makeOrganization();
    const make = async (more: object = {}) =>
      (await send({ matchers: { tags: ["x"] }, reason: "r", ends_at: end, ...more }, own.key)).body.uid;
    const [active, scheduled] = [await make(), await make({ starts_at: "2097-01-01T00:00:00Z" })];
    const list = async (query = "") =>
      (await request<Page<SilenceResource>>("GET", `/fleet/silences/?${query}`, { key: own.key })).body.results.map(
        ({ uid }) => uid,
      );
    expect(await list()).toEqual([scheduled, active]);
    expect(await list("state=active")).toEqual([active]);
    expect(await list("state=scheduled,expired")).toEqual([scheduled]);
    expect((await get(active)).status).toBe(404);
    expect((await request("PATCH", at(active), { key: org.key, body: { reason: 3 } })).status).toBe(404);
    expect((await request("DELETE", at(active), { key: org.key })).status).toBe(404);
    expect((await request("DELETE", at(active), { key: own.key })).status).toBe(204);
    expect(await list()).toEqual([scheduled]);
  });
});

describe("a recurring silence", () => {
  /** Hours that include the current time, or that are twelve hours away, in UTC. */
  const hours = (inside: boolean) => {
    const hour = (by: number) => `${String((new Date().getUTCHours() + by + 48) % 24).padStart(2, "0")}:00`;
    return { days: [0, 1, 2, 3, 4, 5, 6], from: hour(inside ? -2 : 10), to: hour(inside ? 3 : 14), time_zone: "UTC" };
  };

  test("mutes only within its hours, and returns its next window", async () => {
    const device = await makeDevice(org);
    const matchers = { device_ids: [device.uid] };
    const outside = await silence(matchers, { recurrence: hours(false) });
    expect(outside).toMatchObject({ state: "active", muting: false, recurrence: hours(false) });
    expect(Date.parse(outside.window?.starts_at ?? "")).toBeGreaterThan(Date.now());
    const at = { device: { uid: device.uid, name: device.name } };
    expect((await raise(at)).silenced).toBe(false);
    const inside = await silence(matchers, { recurrence: hours(true) });
    expect(inside).toMatchObject({ muting: true });
    const { alertId, silenced } = await raise(at);
    expect([silenced, await queued(alertId), (await alert(alertId)).silenced]).toEqual([true, 0, true]);
    const patched = await request<SilenceResource>("PATCH", `/fleet/silences/${inside.uid}/`, {
      key: org.key,
      body: { recurrence: null },
    });
    expect(patched.body).toMatchObject({ recurrence: null, window: null, muting: true });
  });

  test.each([
    [{ days: [], from: "22:00", to: "06:00", time_zone: "UTC" }],
    [{ days: [7], from: "22:00", to: "06:00", time_zone: "UTC" }],
    [{ days: [1], from: "24:00", to: "06:00", time_zone: "UTC" }],
    [{ days: [1], from: "06:00", to: "06:00", time_zone: "UTC" }],
    [{ days: [1], from: "22:00", to: "06:00", time_zone: "Mars/Olympus" }],
    [{ from: "22:00", to: "06:00" }],
    ["nights"],
  ])("%j is refused", async (recurrence) => {
    const response = await send({ matchers: { tags: ["a"] }, reason: "r", ends_at: end, recurrence });
    expect([response.status, Object.keys(response.body)]).toEqual([400, ["recurrence"]]);
  });
});
