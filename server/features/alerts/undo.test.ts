import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ChannelType } from "@/domain/channels/channel-type";
import { severities } from "@/domain/severity";
import { recoverDevice } from "@/server/features/alerts/offline-service";
import { withdrawAlert, type RaisedAlert } from "@/server/features/alerts/raise-service";
import type { AlertDetail, BulkResult, TimelineEntry } from "@/server/features/alerts/resource";
import { channelMessages } from "@/server/features/channels/delivery-service";
import { systemContext } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { Outbox } from "@/server/platform/outbox/outbox";
import type { Page } from "@/server/platform/pagination";
import { newUid } from "@/server/platform/uid";
import { makeAlert, makeChannel } from "@/server/testing/alerts";
import { allowLoopback } from "@/server/testing/egress";
import { addMember, makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { startMailServer } from "@/server/testing/mail-server";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let receiver: Receiver;
allowLoopback();
beforeEach(async () => {
  [org, receiver] = await Promise.all([makeOrganization(), startReceiver()]);
});
afterEach(() => receiver.close());

/** Sends what is due so many seconds after a moment, as a process does that has just started. */
const drain = (seconds: number, from = Date.now()) =>
  new Outbox(channelMessages, org.uid).drain(new Date(from + seconds * 1_000));
const act = (uid: string, action: string, body: unknown = {}) =>
  request("POST", `/fleet/alerts/${uid}/${action}/`, { key: org.key, body });
interface Received {
  event: string;
  reopened: boolean;
  actor: string | null;
  occurred_at: string;
  alert: AlertDetail;
}
const listReceived = () => receiver.received.map(({ body }) => JSON.parse(body) as Received);
const listEvents = () => listReceived().map(({ event, reopened }) => (reopened ? "reopened" : event));

/** An alert of which the channel was notified. */
async function notifyOfAlert(input: Partial<RaisedAlert> = {}): Promise<string> {
  const channel = await makeChannel(org, "webhook", { url: receiver.url });
  const { alertId } = await makeAlert(org, { channelIds: [channel.uid], ...input });
  await drain(8);
  expect(listEvents()).toEqual(["alert.triggered"]);
  receiver.received.length = 0;
  return alertId;
}

describe("a change", () => {
  test.each(severities)("of an alert that is %s is sent after ten seconds, and not before", async (severity) => {
    const uid = await notifyOfAlert({ severity });
    for (const [action, event] of [
      ["acknowledge", "alert.acknowledged"],
      ["resolve", "alert.resolved"],
      ["reopen", "reopened"],
    ] as const) {
      receiver.received.length = 0;
      const before = Date.now();
      await act(uid, action);
      await drain(9.9, before);
      expect(listEvents()).toEqual([]);
      await drain(10.5);
      expect(listEvents()).toEqual([event]);
    }
  });

  test("that is undone is sent over no type of channel", async () => {
    const mails = await startMailServer();
    const configs: Record<ChannelType, Record<string, unknown>> = {
      webhook: { url: receiver.url },
      slack: { webhook_url: receiver.url },
      teams: { webhook_url: receiver.url },
      pagerduty: { routing_key: "R".repeat(32), url: receiver.url },
      email: { recipients: ["a@example.com"] },
    };
    try {
      const channels = await Promise.all(
        Object.entries(configs).map(([type, config]) => makeChannel(org, type as ChannelType, config)),
      );
      const { alertId } = await makeAlert(org, { channelIds: channels.map(({ uid }) => uid), severity: "critical" });
      await drain(0.1);
      expect([receiver.received.length, mails.received.length]).toEqual([4, 1]);
      for (const step of ["acknowledge", "reopen", "resolve", "reopen"]) await act(alertId, step);
      await drain(60);
      expect([receiver.received.length, mails.received.length]).toEqual([4, 1]);
    } finally {
      await mails.close();
    }
  });

  test("of the platform waits too, and is dropped when a person reopens the alert", async () => {
    const device = await makeDevice(org);
    await prisma.device.update({ where: { uid: device.uid }, data: { status: "online" } });
    const uid = await notifyOfAlert({ device, recordingId: null, severity: "critical" });
    const before = Date.now();
    await recoverDevice(org.uid, device.uid);
    await drain(9.9, before);
    expect((await act(uid, "reopen")).body).toMatchObject({ status: "open" });
    await drain(60);
    expect(listEvents()).toEqual([]);
  });

  test("is described by the alert as it is when the message is sent, with the time of the change", async () => {
    const uid = await notifyOfAlert({ severity: "critical" });
    const { body } = await act(uid, "acknowledge");
    await act(uid, "assign", { assignee: org.owner.username });
    await drain(11);
    expect(listReceived()).toMatchObject([
      {
        event: "alert.acknowledged",
        occurred_at: body.acknowledged_at,
        alert: { status: "acknowledged", acknowledged_at: body.acknowledged_at, assignee: org.owner.username },
      },
    ]);
  });
});

describe("several changes", () => {
  test.each([
    ["acknowledge, reopen, acknowledge", ["alert.acknowledged"]],
    ["acknowledge, reopen, acknowledge, reopen", []],
    ["resolve, reopen, resolve", ["alert.resolved"]],
    ["acknowledge, resolve", ["alert.acknowledged", "alert.resolved"]],
    ["resolve, reopen, acknowledge, resolve", ["alert.acknowledged", "alert.resolved"]],
    ["acknowledge, resolve, reopen", ["alert.acknowledged"]],
    ["resolve, reopen, acknowledge, reopen", []],
  ])("%s: the channel gets the net effect", async (steps, expected) => {
    const uid = await notifyOfAlert({ severity: "critical" });
    for (const step of steps.split(", ")) expect((await act(uid, step)).status).toBe(200);
    await drain(60);
    expect(listEvents()).toEqual(expected);
  });

  test.each([
    ["resolve", "reopen, resolve", []],
    ["resolve", "reopen", ["reopened"]],
    ["acknowledge", "reopen, acknowledge", []],
    ["acknowledge", "resolve, reopen", []],
    ["acknowledge, resolve", "reopen, reopen", ["reopened"]],
    ["resolve", "reopen, acknowledge", ["reopened", "alert.acknowledged"]],
    ["resolve", "reopen, acknowledge, reopen", ["reopened"]],
    ["acknowledge", "reopen, resolve", ["alert.resolved"]],
  ])("a channel that knows of %s gets only what is new of %s", async (known, steps, expected) => {
    const uid = await notifyOfAlert({ severity: "critical" });
    for (const step of known.split(", ")) {
      await act(uid, step);
      await drain(11);
    }
    receiver.received.length = 0;
    for (const step of steps.split(", ")) expect((await act(uid, step)).status).toBe(200);
    await drain(60);
    expect(listEvents()).toEqual(expected);
  });

  test("one that is repeated after its undo starts the ten seconds anew", async () => {
    const uid = await notifyOfAlert({ severity: "critical" });
    await act(uid, "resolve");
    await prisma.notification.updateMany({
      where: { alertId: uid, status: "pending" },
      data: { nextAttemptAt: new Date(Date.now() + 1_000) },
    });
    await act(uid, "reopen");
    const before = Date.now();
    await act(uid, "resolve");
    await drain(9.9, before);
    expect(listEvents()).toEqual([]);
    await drain(10.5);
    expect(listEvents()).toEqual(["alert.resolved"]);
  });

  test("the undo of a resolution leaves the acknowledgement to whom it was", async () => {
    const colleague = await addMember(org);
    const uid = await notifyOfAlert({ severity: "critical" });
    const { body } = await act(uid, "acknowledge");
    await request("POST", `/fleet/alerts/${uid}/resolve/`, { key: colleague.key, body: {} });
    await request("POST", `/fleet/alerts/${uid}/reopen/`, { key: colleague.key, body: {} });
    await drain(60);
    expect(listReceived()).toMatchObject([
      { event: "alert.acknowledged", actor: org.owner.username, occurred_at: body.acknowledged_at },
    ]);
  });

  test("by many at once, while processes send, end in a message with the state of the alert", async () => {
    const uid = await notifyOfAlert({ severity: "critical" });
    for (let n = 0; n < 8; n++) {
      const steps = ["acknowledge", "reopen", "resolve", "reopen", "acknowledge"].map((step) => act(uid, step));
      await Promise.all([...steps, drain(11), drain(11), drain(11)]);
    }
    await drain(60);
    const { body } = await request<AlertDetail>("GET", `/fleet/alerts/${uid}/`, { key: org.key });
    const last = listReceived().at(-1);
    expect(last === undefined ? "open" : last.alert.status).toBe(body.status);
    const states = listReceived().map(({ alert }) => alert.status);
    expect(states.filter((state, at) => state === (states[at - 1] ?? "open"))).toEqual([]);
  });

  test("of many alerts in one request are dropped when they are undone in one", async () => {
    const channel = await makeChannel(org, "webhook", { url: receiver.url });
    const uids: string[] = [];
    for (let n = 0; n < 60; n++)
      uids.push((await makeAlert(org, { channelIds: [channel.uid], severity: "critical" })).alertId);
    await drain(0.1);
    expect(receiver.received).toHaveLength(60);
    for (const action of ["acknowledge", "reopen"]) {
      const { body } = await request<BulkResult>("POST", "/fleet/alerts/bulk/", {
        key: org.key,
        body: { action, uids },
      });
      expect(body.succeeded).toBe(60);
    }
    await drain(60);
    expect(receiver.received).toHaveLength(60);
  });
});

describe("evaluating again", () => {
  const place = { ruleId: newUid("rule"), deviceId: newUid("device"), recordingId: newUid("recording") };
  const found: Partial<RaisedAlert> = {
    rule: { uid: place.ruleId, name: "Motor too hot", version: 1 },
    device: { uid: place.deviceId, name: "arm-04" },
    recordingId: place.recordingId,
    severity: "critical",
  };

  test("what is withdrawn and found again within ten seconds is not sent", async () => {
    const uid = await notifyOfAlert(found);
    const ctx = systemContext(prisma, org.uid);
    expect(await withdrawAlert(ctx, place)).toBe("resolved");
    expect(await makeAlert(org, found)).toMatchObject({ alertId: uid, created: false });
    await drain(60);
    expect(listEvents()).toEqual([]);
  });

  test("a message that waits tells what was found last", async () => {
    const channel = await makeChannel(org, "webhook", { url: receiver.url });
    const own = { ...found, recordingId: newUid("recording"), severity: "error" as const, channelIds: [channel.uid] };
    await makeAlert(org, own);
    await makeAlert(org, { ...own, message: "temperature 99 > 80", occurrenceCount: 3 });
    await drain(9);
    expect(listReceived()).toMatchObject([{ alert: { message: "temperature 99 > 80", occurrence_count: 3 } }]);
  });
});

test("the timeline says what was done and what was not sent", async () => {
  const uid = await notifyOfAlert({ severity: "critical" });
  await act(uid, "acknowledge");
  await act(uid, "reopen");
  await drain(60);
  const { body } = await request<Page<TimelineEntry>>("GET", `/fleet/alerts/${uid}/timeline/`, { key: org.key });
  expect(body.results.map(({ action }) => action)).toEqual([
    "alert.triggered",
    "delivered",
    "alert.acknowledged",
    "canceled",
    "alert.reopened",
  ]);
});

test("a silence that begins before the first message of an alert is sent cancels all of them", async () => {
  const channel = await makeChannel(org, "webhook", { url: receiver.url });
  const { alertId } = await makeAlert(org, { channelIds: [channel.uid], severity: "error" });
  await act(alertId, "acknowledge");
  const { status } = await request("POST", "/fleet/silences/", {
    key: org.key,
    body: { matchers: { severities: ["error"] }, reason: "bench", ends_at: "2099-01-01T00:00:00Z" },
  });
  expect(status).toBe(201);
  await act(alertId, "resolve");
  await drain(60);
  expect(receiver.received).toHaveLength(0);
});
