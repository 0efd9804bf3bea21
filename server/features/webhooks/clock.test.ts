import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { publish } from "@/server/features/platform-events/service";
import { webhookDeliveries } from "@/server/features/webhooks/delivery-service";
import type { WebhookWithSecret } from "@/server/features/webhooks/resource";
import { databaseClock } from "@/server/platform/clock";
import { systemContext } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";
import { Outbox } from "@/server/platform/outbox/outbox";
import { measureClock } from "@/server/platform/process/clock-check";
import { allowLoopback } from "@/server/testing/egress";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { setMachineAhead } from "@/server/testing/machine-clock";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { request } from "@/server/testing/requests";

const hourMs = 3_600_000;
/** Far more than the test takes, far less than the hour. */
const toleranceMs = 5 * 60_000;

let org: TestOrganization;
let receiver: Receiver;
allowLoopback();
beforeEach(async () => {
  [org, receiver] = await Promise.all([makeOrganization(), startReceiver()]);
  const target = { target_url: `${receiver.url}/hook`, events: ["dataset.created"] };
  const { status } = await request<WebhookWithSecret>("POST", "/webhooks/", { key: org.key, body: target });
  expect(status).toBe(201);
});
afterEach(async () => {
  vi.useRealTimers();
  databaseClock.forget();
  await receiver.close();
});

const dataset = { dataset_uid: "01900000-0000-7000-8000-000000000000", name: "Halls", slug: "halls", owner: "acme" };
const publishEvent = () => transaction(systemContext(prisma, org.uid), (tx) => publish(tx, "dataset.created", dataset));
const onlyDelivery = () => prisma.webhookDelivery.findFirstOrThrow({ where: { organizationId: org.uid } });

test("a worker whose clock is an hour ahead sends nothing twice or early, and signs with the database's time", async () => {
  const right = Date.now();
  setMachineAhead(hourMs);
  await measureClock();
  const worker = () => new Outbox(webhookDeliveries, org.uid);

  // Another worker has claimed it: its lease ends by the database's time.
  await publishEvent();
  const { uid } = await onlyDelivery();
  const lease = new Date(right + toleranceMs);
  await prisma.webhookDelivery.update({ where: { uid }, data: { nextAttemptAt: lease, attempts: 1 } });
  await worker().drain();
  expect(receiver.received).toEqual([]);

  receiver.respondWith((_received, response) => response.writeHead(500).end());
  await prisma.webhookDelivery.update({ where: { uid }, data: { nextAttemptAt: new Date(right), attempts: 1 } });
  await worker().drain();
  const [sent, ...others] = receiver.received;
  expect(others).toEqual([]);
  const signedAt = Number(sent?.headers["webhook-timestamp"]) * 1_000;
  expect(Math.abs(signedAt - right)).toBeLessThan(toleranceMs);

  // Its next attempt is minutes away, not an hour, and not due for this worker either.
  const { nextAttemptAt } = await onlyDelivery();
  expect(nextAttemptAt?.getTime()).toBeGreaterThan(right);
  expect(nextAttemptAt?.getTime()).toBeLessThan(right + 2 * toleranceMs);
  await worker().drain();
  expect(receiver.received).toHaveLength(1);
});
