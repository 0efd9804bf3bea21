import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { publish } from "@/server/features/platform-events/service";
import { webhookDeliveries } from "@/server/features/webhooks/delivery-service";
import type { DeliveryDetail, DeliveryResource, WebhookWithSecret } from "@/server/features/webhooks/resource";
import { systemContext } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";
import { Outbox } from "@/server/platform/outbox/outbox";
import { defaultRetryPolicy } from "@/server/platform/outbox/retry";
import type { Page } from "@/server/platform/pagination";
import { allowLoopback } from "@/server/testing/egress";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { request } from "@/server/testing/requests";

const retryDelays = defaultRetryPolicy.delays;
let org: TestOrganization;
let receiver: Receiver;
allowLoopback();
beforeEach(async () => {
  [org, receiver] = await Promise.all([makeOrganization(), startReceiver()]);
});
afterEach(() => receiver.close());

const call = <T>(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object) =>
  request<T>(method, path, { key: org.key, ...(body && { body }) });
const subscribe = async (more: object = {}, target = `${receiver.url}/hook`) => {
  const { status, body } = await call<WebhookWithSecret>("POST", "/webhooks/", {
    target_url: target,
    events: ["dataset.created"],
    ...more,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
};
const dataset = { dataset_uid: "01900000-0000-7000-8000-000000000000", name: "Halls", slug: "halls", owner: "acme" };
const publishEvent = () => transaction(systemContext(prisma, org.uid), (tx) => publish(tx, "dataset.created", dataset));
const drain = (at?: Date) => new Outbox(webhookDeliveries, org.uid).drain(at);
const deliveries = async () =>
  (await call<Page<DeliveryResource>>("GET", "/webhook-deliveries/?limit=1000")).body.results;
const readOnlyDelivery = async () => {
  const [first, ...others] = await deliveries();
  expect(others).toEqual([]);
  return (await call<DeliveryDetail>("GET", `/webhook-deliveries/${first?.uid}/`)).body;
};
const respondWith = (code: number, headers: Record<string, string> = {}) =>
  receiver.respondWith((_request, response) => response.writeHead(code, headers).end("body"));

/** The signature that openssl computes, or node:crypto where openssl is not installed. */
function computeHmac(secret: string, body: string): string {
  const { status, stdout } = spawnSync("openssl", ["dgst", "-sha256", "-hmac", secret], {
    input: body,
    encoding: "utf8",
  });
  return status === 0
    ? (stdout.trim().split(" ").at(-1) ?? "")
    : createHmac("sha256", secret).update(body).digest("hex");
}

describe("a delivery", () => {
  test("is flat JSON, signed so that the public library and openssl verify it", async () => {
    const { secret, uid } = await subscribe();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    await publishEvent();
    await drain();
    const [arrived, ...more] = receiver.received;
    expect(more).toEqual([]);
    if (!arrived) throw new Error("nothing arrived");
    expect(arrived.body).toBe(JSON.stringify({ event: "dataset.created", ...dataset }));
    expect(new Webhook(secret).verify(arrived.body, arrived.headers)).toEqual({ event: "dataset.created", ...dataset });
    expect(arrived.headers["x-service-signature"]).toBe(computeHmac(secret, arrived.body));
    const delivery = await readOnlyDelivery();
    expect(arrived.headers).toMatchObject({
      "x-service-event": "dataset.created",
      "x-service-delivery": delivery.uid,
      "webhook-id": delivery.uid,
    });
    expect(delivery).toMatchObject({
      subscription: uid,
      status: "delivered",
      response_status: 200,
      response_body: "ok",
      attempts: 1,
      next_retry_at: null,
      payload: { event: "dataset.created", ...dataset },
      attempt_log: [{ ok: true, status_code: 200 }],
    });
  });

  test("exists only if the change that it reports is committed", async () => {
    await subscribe();
    const failing = transaction(systemContext(prisma, org.uid), async (tx) => {
      await publish(tx, "dataset.created", dataset);
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    expect(await deliveries()).toEqual([]);
  });

  test("is sent to active subscriptions of its event only", async () => {
    await subscribe({ events: ["export.failed"] }, `${receiver.url}/other`);
    await subscribe({ is_active: false }, `${receiver.url}/off`);
    await subscribe();
    await publishEvent();
    await drain();
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook"]);
  });

  test("that fails is retried on schedule, and is failed after the last attempt", async () => {
    await subscribe();
    respondWith(500);
    await publishEvent();
    let at = Date.now();
    for (const [tries, delay] of retryDelays.entries()) {
      await drain(new Date(at));
      const { attempts, status, next_retry_at } = await readOnlyDelivery();
      expect([attempts, status]).toEqual([tries + 1, "pending"]);
      const wait = new Date(next_retry_at ?? 0).getTime() - at;
      expect(wait).toBeGreaterThanOrEqual(delay * 0.8 - 1);
      expect(wait).toBeLessThanOrEqual(delay * 1.2 + 1);
      await drain(new Date(at + wait - 1));
      expect((await readOnlyDelivery()).attempts).toBe(tries + 1);
      at += wait;
    }
    await drain(new Date(at));
    expect(await readOnlyDelivery()).toMatchObject({
      attempts: retryDelays.length + 1,
      status: "failed",
      next_retry_at: null,
      response_status: 500,
    });
  });

  test("that is redirected fails, and the redirect is not followed", async () => {
    await subscribe();
    respondWith(302, { location: `${receiver.url}/elsewhere` });
    await publishEvent();
    await drain();
    expect(receiver.received).toHaveLength(1);
    expect(await readOnlyDelivery()).toMatchObject({ status: "pending", response_status: 302 });
  });

  test("with a 2xx and an endless body is delivered, and the beginning of the body is stored", async () => {
    await subscribe();
    receiver.respondWith((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x".repeat(4_096)), 5);
      response.once("close", () => clearInterval(timer));
    });
    await publishEvent();
    await drain();
    const { status, response_body } = await readOnlyDelivery();
    expect(status).toBe("delivered");
    expect(response_body).toHaveLength(16 * 1024);
  });

  test("can be repeated as a new delivery", async () => {
    const { uid } = await subscribe();
    respondWith(404);
    await publishEvent();
    for (const _ of retryDelays) await drain(new Date(Date.now() + 10 * 24 * 3_600_000));
    await prisma.webhookDelivery.updateMany({ where: { subscriptionId: uid }, data: { status: "failed" } });
    respondWith(200);
    const first = await readOnlyDelivery();
    const again = await call<DeliveryDetail>("POST", `/webhook-deliveries/${first.uid}/redeliver/`);
    expect(again.status).toBe(202);
    expect(again.body).toMatchObject({ replay_of: first.uid, status: "pending", payload: first.payload });
    await drain();
    expect((await call<DeliveryDetail>("GET", `/webhook-deliveries/${again.body.uid}/`)).body.status).toBe("delivered");
  });

  test("waits for the receiver's Retry-After, between the delay and twice the delay", async () => {
    await subscribe();
    respondWith(503, { "retry-after": "7" });
    await publishEvent();
    const at = Date.now();
    await drain(new Date(at));
    expect(new Date((await readOnlyDelivery()).next_retry_at ?? 0).getTime() - at).toBe(7_000);
  });
});

describe("a subscription", () => {
  test("that responds 410 is turned off immediately, and its pending deliveries fail", async () => {
    const { uid } = await subscribe();
    respondWith(410);
    await publishEvent();
    await publishEvent();
    await drain();
    const { body } = await call<WebhookWithSecret>("GET", `/webhooks/${uid}/`);
    expect(body).toMatchObject({ is_active: false, disabled_reason: "gone" });
    expect((await deliveries()).map(({ status }) => status)).toEqual(["failed", "failed"]);
    await publishEvent();
    expect(await deliveries()).toHaveLength(2);
  });

  test("without a success for 120 hours is turned off, and one success resets the period", async () => {
    const { uid } = await subscribe();
    respondWith(500);
    await publishEvent();
    await drain();
    const since = (await prisma.webhookSubscription.findUniqueOrThrow({ where: { uid } })).failingSince;
    expect(since).not.toBeNull();
    respondWith(200);
    await publishEvent();
    await drain();
    expect((await prisma.webhookSubscription.findUniqueOrThrow({ where: { uid } })).failingSince).toBeNull();
    await prisma.webhookSubscription.update({
      where: { uid },
      data: { failingSince: new Date(Date.now() - 121 * 3_600_000) },
    });
    respondWith(500);
    await publishEvent();
    await drain();
    expect((await call<WebhookWithSecret>("GET", `/webhooks/${uid}/`)).body).toMatchObject({
      is_active: false,
      disabled_reason: "failing",
    });
  });

  test("that was turned off and on again can replay what failed, once", async () => {
    const { uid } = await subscribe();
    respondWith(410);
    await publishEvent();
    await publishEvent();
    await drain();
    respondWith(200);
    expect((await call("POST", `/webhooks/${uid}/replay/`, {})).status).toBe(409);
    expect((await call<WebhookWithSecret>("PATCH", `/webhooks/${uid}/`, { is_active: true })).body).toMatchObject({
      is_active: true,
      disabled_reason: "",
    });
    expect((await call("POST", `/webhooks/${uid}/replay/`, {})).body).toMatchObject({ queued: 2 });
    expect((await call("POST", `/webhooks/${uid}/replay/`, {})).body).toMatchObject({ queued: 0 });
    receiver.received.length = 0;
    await drain();
    expect(receiver.received).toHaveLength(2);
  });

  test("of an address is the only one, however the address is spelled", async () => {
    await subscribe({}, "https://Example.com:443/a/../hook");
    const { status, body } = await call("POST", "/webhooks/", {
      target_url: "https://example.com/hook",
      events: ["export.failed"],
    });
    expect([status, body]).toEqual([400, { target_url: ["A webhook with this target URL already exists."] }]);
    const other = await subscribe({}, "https://example.com/other");
    expect((await call("PATCH", `/webhooks/${other.uid}/`, { target_url: "https://example.com/hook" })).status).toBe(
      400,
    );
  });

  test("is listed page by page, newest first, for its own organization only, and without its secret", async () => {
    const made: string[] = [];
    for (const n of [1, 2, 3]) made.unshift((await subscribe({}, `${receiver.url}/hook-${n}`)).uid);
    const first = (await call<Page<{ uid: string; secret?: string }>>("GET", "/webhooks/?limit=2")).body;
    const next = first.next?.slice(first.next.indexOf("/webhooks/")) ?? "";
    const rest = (await call<Page<{ uid: string }>>("GET", next)).body;
    expect([...first.results, ...rest.results].map(({ uid }) => uid)).toEqual(made);
    expect([rest.next, first.results.every((each) => !("secret" in each))]).toEqual([null, true]);
    const other = await makeOrganization();
    expect((await request<Page<unknown>>("GET", "/webhooks/", { key: other.key })).body.results).toEqual([]);
  });

  test("shows its secret once, and is changed without it", async () => {
    const { uid, secret } = await subscribe({ secret: "a secret of ours" });
    expect(secret).toBe("a secret of ours");
    for (const response of [
      await call<object>("GET", `/webhooks/${uid}/`),
      await call<object>("PUT", `/webhooks/${uid}/`, {
        target_url: `${receiver.url}/new`,
        events: ["dataset.created"],
        secret: "another one",
      }),
      await call<object>("PATCH", `/webhooks/${uid}/`, { events: ["dataset.created"], secret: "another one" }),
    ]) {
      expect(response.status).toBe(200);
      expect(response.body).not.toHaveProperty("secret");
    }
    await publishEvent();
    await drain();
    const [arrived] = receiver.received;
    expect(arrived?.headers["x-service-signature"]).toBe(computeHmac("a secret of ours", arrived?.body ?? ""));
  });

  test("signs with both secrets for 24 hours after a rotation", async () => {
    const { uid, secret: old } = await subscribe();
    const { body } = await call<WebhookWithSecret>("POST", `/webhooks/${uid}/rotate-secret/`);
    expect(body.secret).not.toBe(old);
    await publishEvent();
    await drain();
    const [arrived] = receiver.received;
    for (const secret of [old, body.secret])
      expect(() => new Webhook(secret).verify(arrived?.body ?? "", arrived?.headers ?? {})).not.toThrow();
    await prisma.webhookSubscription.update({ where: { uid }, data: { previousUntil: new Date(Date.now() - 1_000) } });
    await publishEvent();
    await drain();
    const after = receiver.received[1];
    expect(() => new Webhook(old).verify(after?.body ?? "", after?.headers ?? {})).toThrow();
  });

  test("that is deleted fails its pending deliveries and keeps their rows", async () => {
    const { uid } = await subscribe();
    await publishEvent();
    expect((await call("DELETE", `/webhooks/${uid}/`)).status).toBe(204);
    await drain();
    expect(receiver.received).toEqual([]);
    const delivery = await readOnlyDelivery();
    expect(delivery).toMatchObject({ status: "failed", error: "The subscription was deleted." });
    expect((await call("POST", `/webhook-deliveries/${delivery.uid}/redeliver/`)).status).toBe(404);
  });

  test("can be pinged although it is turned off", async () => {
    const { uid } = await subscribe({ is_active: false });
    const { status, body } = await call<{ detail: string; delivery_uid: string }>("POST", `/webhooks/${uid}/test/`);
    expect(status).toBe(202);
    await drain();
    expect(receiver.received.map(({ body: text }) => text)).toEqual(['{"event":"test.ping"}']);
    expect((await readOnlyDelivery()).uid).toBe(body.delivery_uid);
  });

  test("requires known events and an allowed address", async () => {
    const refused = async (body: object) => (await call<Record<string, string[]>>("POST", "/webhooks/", body)).body;
    expect(await refused({ target_url: "https://example.com/a", events: ["dataset.sung"] })).toHaveProperty("events");
    expect(await refused({ target_url: "https://example.com/a", events: [] })).toHaveProperty("events");
    expect(await refused({ target_url: "http://example.com/a", events: ["dataset.created"] })).toHaveProperty(
      "target_url",
    );
    expect(await refused({ target_url: "https://10.0.0.1/a", events: ["dataset.created"] })).toHaveProperty(
      "target_url",
    );
    expect(await refused({})).toEqual({ target_url: ["This field is required."], events: ["This field is required."] });
  });
});

test("an unresponsive receiver does not delay the others", async () => {
  const hanging = await startReceiver(() => {});
  try {
    await subscribe({}, `${hanging.url}/never`);
    await subscribe();
    for (let n = 0; n < 3 * webhookDeliveries.concurrency.initial; n++) await publishEvent();
    const outbox = new Outbox(webhookDeliveries, org.uid);
    await outbox.wake();
    await expect
      .poll(() => receiver.received.length, { timeout: 8_000 })
      .toBe(3 * webhookDeliveries.concurrency.initial);
    expect(hanging.received.length).toBeLessThanOrEqual(webhookDeliveries.concurrency.initial);
    await hanging.close();
    await outbox.close();
  } finally {
    await hanging.close().catch(() => {});
  }
});
