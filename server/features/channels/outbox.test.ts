import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { channelMessages } from "@/server/features/channels/delivery-service";
import type { DeliveryResource } from "@/server/features/channels/resource";
import { prisma } from "@/server/platform/db";
import { Outbox } from "@/server/platform/outbox/outbox";
import { leaseMs } from "@/server/platform/outbox/queries";
import { defaultRetryPolicy } from "@/server/platform/outbox/retry";
import type { Page } from "@/server/platform/pagination";
import { makeAlert, makeChannel } from "@/server/testing/alerts";
import { allowLoopback } from "@/server/testing/egress";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let receiver: Receiver;
allowLoopback();
beforeEach(async () => {
  [org, receiver] = await Promise.all([makeOrganization(), startReceiver()]);
});
afterEach(() => receiver.close());

const retryDelays = defaultRetryPolicy.delays;
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);
const drain = (at?: Date) => new Outbox(channelMessages, org.uid).drain(at);
const act = (uid: string, action: string) =>
  request("POST", `/fleet/alerts/${uid}/${action}/`, { key: org.key, body: {} });
const hook = (url = receiver.url) => makeChannel(org, "webhook", { url });
const events = () => receiver.received.map(({ headers }) => headers["x-service-event"]);
const deliveries = async (uid: string) =>
  (
    await request<Page<DeliveryResource>>("GET", `/fleet/alerts/channels/${uid}/deliveries/?limit=200`, {
      key: org.key,
    })
  ).body.results;
const only = async (uid: string) => {
  const [first] = await deliveries(uid);
  if (!first) throw new Error("no delivery");
  return first;
};
const status = (code: number, headers: Record<string, string> = {}) =>
  receiver.respondWith((_request, response) => response.writeHead(code, headers).end());

describe("the time of sending", () => {
  test("a message is sent after the undo window, a critical one immediately", async () => {
    const channel = await hook();
    await makeAlert(org, { channelIds: [channel.uid], severity: "error" });
    await drain();
    expect(receiver.received).toHaveLength(0);
    await makeAlert(org, { channelIds: [channel.uid], severity: "critical" });
    await drain();
    expect(receiver.received).toHaveLength(1);
    await drain(inSeconds(9));
    expect(receiver.received).toHaveLength(2);
  });

  test("an undo within the window cancels the messages of the step that was undone", async () => {
    const channel = await hook();
    const { alertId } = await makeAlert(org, { channelIds: [channel.uid] });
    await drain(inSeconds(9));
    await act(alertId, "acknowledge");
    await act(alertId, "reopen");
    await act(alertId, "resolve");
    await act(alertId, "reopen");
    await drain(inSeconds(11));
    expect(events()).toEqual(["alert.triggered"]);
    expect((await deliveries(channel.uid)).map((delivery) => delivery.status)).toEqual([
      "canceled",
      "canceled",
      "delivered",
    ]);
  });

  test("an undo after the message was sent notifies that the alert is reopened", async () => {
    const channel = await hook();
    const { alertId } = await makeAlert(org, { channelIds: [channel.uid] });
    await act(alertId, "resolve");
    await drain(inSeconds(11));
    await act(alertId, "reopen");
    await drain(inSeconds(11));
    expect(events()).toEqual(["alert.triggered", "alert.resolved", "alert.triggered"]);
    expect(JSON.parse(receiver.received[2]?.body ?? "")).toMatchObject({ reopened: true, alert: { status: "open" } });
  });

  test("the resolution is not sent before the trigger, even when the trigger is retried", async () => {
    const channel = await hook();
    const { alertId } = await makeAlert(org, { channelIds: [channel.uid] });
    await act(alertId, "resolve");
    status(503);
    await drain(inSeconds(11));
    expect(events()).toEqual(["alert.triggered"]);
    status(200);
    await drain(inSeconds(20));
    expect(events()).toEqual(["alert.triggered", "alert.triggered", "alert.resolved"]);
  });

  test("only channels that were notified of an alert are notified of its changes", async () => {
    const channel = await hook();
    const { alertId } = await makeAlert(org, { channelIds: [channel.uid], notify: false });
    await act(alertId, "acknowledge");
    await drain(inSeconds(11));
    expect(receiver.received).toHaveLength(0);
  });
});

describe("failures", () => {
  test("retries after growing delays; after the last attempt the message is failed", async () => {
    const channel = await hook();
    await makeAlert(org, { channelIds: [channel.uid], severity: "critical" });
    status(500);
    let at = inSeconds(1);
    for (const [index, base] of retryDelays.entries()) {
      await drain(at);
      const delivery = await only(channel.uid);
      const wait = Date.parse(delivery.next_retry_at ?? "") - at.getTime();
      expect(delivery).toMatchObject({ status: "pending", attempts: index + 1, status_code: 500 });
      expect(wait).toBeGreaterThanOrEqual(base * 0.8);
      expect(wait).toBeLessThanOrEqual(base * 1.2);
      at = new Date(at.getTime() + wait);
    }
    await drain(at);
    const failed = await only(channel.uid);
    expect(failed).toMatchObject({
      status: "failed",
      attempts: retryDelays.length + 1,
      next_retry_at: null,
      error: "The receiver answered 500.",
    });
    expect(failed.attempt_log).toHaveLength(retryDelays.length + 1);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    await drain(new Date(at.getTime() + 1e9));
    expect(receiver.received).toHaveLength(retryDelays.length + 1);
  });

  test("a receiver's Retry-After is honoured up to twice the wait", async () => {
    const channel = await hook();
    await makeAlert(org, { channelIds: [channel.uid], severity: "critical" });
    status(429, { "retry-after": "600" });
    const at = inSeconds(1);
    await drain(at);
    expect(Date.parse((await only(channel.uid)).next_retry_at ?? "") - at.getTime()).toBe(10_000);
  });

  test("a response of 410 Gone is not retried", async () => {
    const channel = await hook();
    await makeAlert(org, { channelIds: [channel.uid], severity: "critical" });
    status(410);
    await drain(inSeconds(1));
    expect(await only(channel.uid)).toMatchObject({ status: "failed", attempts: 1 });
  });

  test("a redirect is a failure", async () => {
    const channel = await hook();
    await makeAlert(org, { channelIds: [channel.uid], severity: "critical" });
    status(302, { location: "https://example.com/" });
    await drain(inSeconds(1));
    expect(await only(channel.uid)).toMatchObject({ status: "pending", status_code: 302 });
  });

  test("secrets that cannot be opened fail without a retry, with an error that explains what to do", async () => {
    const channel = await hook();
    await makeAlert(org, { channelIds: [channel.uid], severity: "critical" });
    await prisma.channel.update({
      where: { uid: channel.uid },
      data: { secretsSealed: "v1.AAAA.AAAAAAAAAAAAAAAAAAAAAAAA" },
    });
    await drain(inSeconds(1));
    expect(await only(channel.uid)).toMatchObject({
      status: "failed",
      error: expect.stringContaining("Enter them again") as string,
    });
    expect(receiver.received).toHaveLength(0);
  });
});

describe("several workers", () => {
  test("send each message once", async () => {
    const channels = await Promise.all([hook(), hook(), hook()]);
    for (let n = 0; n < 20; n++) {
      await makeAlert(org, { channelIds: channels.map((channel) => channel.uid), severity: "critical" });
    }
    await Promise.all(Array.from({ length: 4 }, () => drain(inSeconds(1))));
    const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toHaveLength(60);
    expect(new Set(ids).size).toBe(60);
  });

  test("a message of a stuck worker is sent by another after the lease, and the late outcome is ignored", async () => {
    const channel = await hook();
    await makeAlert(org, { channelIds: [channel.uid], severity: "critical" });
    let respondFirst = () => {};
    receiver.respondWith((_request, response) => {
      respondFirst = () => response.writeHead(500).end();
    });
    const at = inSeconds(1);
    const stuck = drain(at);
    await expect.poll(() => receiver.received.length).toBe(1);
    status(200);
    await drain(new Date(at.getTime() + leaseMs - 1_000));
    expect(receiver.received).toHaveLength(1);
    await drain(new Date(at.getTime() + leaseMs + 1_000));
    expect(await only(channel.uid)).toMatchObject({ status: "delivered", attempts: 2 });
    respondFirst();
    await stuck;
    expect(await only(channel.uid)).toMatchObject({ status: "delivered", attempts: 2, status_code: 200 });
  });
});

describe("one unresponsive receiver", () => {
  test("does not delay other receivers and gets a limited number of concurrent requests", async () => {
    const dead = await startReceiver(() => {});
    let open = 0;
    let max = 0;
    dead.respondWith((_request, response) => {
      max = Math.max(max, ++open);
      response.on("close", () => open--);
    });
    const [deadChannel, liveChannel] = await Promise.all([hook(dead.url), hook()]);
    for (let n = 0; n < 12; n++) await makeAlert(org, { channelIds: [deadChannel.uid], severity: "critical" });
    for (let n = 0; n < 12; n++) await makeAlert(org, { channelIds: [liveChannel.uid], severity: "critical" });
    const outbox = new Outbox(channelMessages, org.uid);
    const drained = outbox.drain(inSeconds(1));
    await expect.poll(() => receiver.received.length).toBe(12);
    expect(open).toBe(channelMessages.concurrency.initial);
    expect(max).toBe(channelMessages.concurrency.initial);
    await Promise.all([outbox.close(), dead.close()]);
    await drained;
    expect((await deliveries(liveChannel.uid)).every((delivery) => delivery.status === "delivered")).toBe(true);
    expect((await deliveries(deadChannel.uid)).every((delivery) => delivery.status === "pending")).toBe(true);
  });
});
