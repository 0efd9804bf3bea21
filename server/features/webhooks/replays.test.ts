import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { publish } from "@/server/features/platform-events/service";
import { webhookDeliveries } from "@/server/features/webhooks/delivery-service";
import { releaseReplays } from "@/server/features/webhooks/release-service";
import type {
  DeliveryDetail,
  DeliveryResource,
  ReplayResource,
  WebhookWithSecret,
} from "@/server/features/webhooks/resource";
import { systemContext } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";
import { Outbox } from "@/server/platform/outbox/outbox";
import type { Page } from "@/server/platform/pagination";
import { allowLoopback } from "@/server/testing/egress";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { createTrpcCaller, request } from "@/server/testing/requests";

let org: TestOrganization;
let receiver: Receiver;
let webhook: WebhookWithSecret;
allowLoopback();
beforeEach(async () => {
  [org, receiver] = await Promise.all([makeOrganization(), startReceiver()]);
  webhook = await createTrpcCaller(org).webhooks.create({
    target_url: `${receiver.url}/hook`,
    events: ["dataset.created", "dataset.updated"],
  });
});
afterEach(() => receiver.close());

const me = () => createTrpcCaller(org);
const dataset = { dataset_uid: "01900000-0000-7000-8000-000000000000", name: "Halls", slug: "halls", owner: "acme" };
const drain = (at?: Date) => new Outbox(webhookDeliveries, org.uid).drain(at);
const respondWith = (code: number) =>
  receiver.respondWith((_request, response) => response.writeHead(code).end("body"));
async function publishMany(count: number, type: "dataset.created" | "dataset.updated" = "dataset.created") {
  for (let n = 0; n < count; n++)
    await transaction(systemContext(prisma, org.uid), (tx) => publish(tx, type, { ...dataset, name: `Hall ${n}` }));
}
/** Deliveries that have failed for good, as after the last attempt. */
async function makeFailed(count: number, status = 503) {
  respondWith(status);
  await publishMany(count);
  await drain();
  await prisma.webhookDelivery.updateMany({
    where: { subscriptionId: webhook.uid, status: "pending" },
    data: { status: "failed", nextAttemptAt: null },
  });
  receiver.received.length = 0;
  respondWith(200);
}
const rest = async (query: string) =>
  (await request<Page<DeliveryResource>>("GET", `/webhook-deliveries/?${query}`, { key: org.key })).body.results;
const readReplay = async () => {
  const [replay] = await me().webhooks.replays({ uid: webhook.uid });
  return replay;
};

describe("a replay", () => {
  test("shows its number first, sends as many, and each copy names its original", async () => {
    await makeFailed(3);
    expect(await me().webhooks.replayPreview({ uid: webhook.uid })).toMatchObject({ count: 3, more: false });
    const { queued } = await me().webhooks.replay({ uid: webhook.uid, per_second: 20 });
    expect(queued).toBe(3);
    expect(await me().webhooks.replayPreview({ uid: webhook.uid })).toMatchObject({ count: 0 });
    await releaseReplays();
    await drain();
    expect(receiver.received).toHaveLength(3);
    expect(await readReplay()).toMatchObject({ total: 3, done: 3, delivered: 3, failed: 0, retrying: 0, dropped: 0 });
    const { results } = await me().deliveries.list({ subscription: webhook.uid });
    const originals = results.filter(({ replay_of: of }) => of === null).map(({ uid }) => uid);
    expect(results.flatMap(({ replay_of: of }) => of ?? []).sort()).toEqual(originals.sort());
    const first = await me().deliveries.get({ uid: originals[0] ?? "" });
    expect(first.repeats).toMatchObject([{ status: "delivered" }]);
  });

  test("keeps its rate, also after a pause of the workers", async () => {
    await makeFailed(25);
    await me().webhooks.replay({ uid: webhook.uid, per_second: 5 });
    const started = Date.now();
    await releaseReplays(new Date(started));
    await drain(new Date(started));
    expect(receiver.received).toHaveLength(5);
    await releaseReplays(new Date(started + 500));
    await drain(new Date(started + 500));
    expect(receiver.received.length).toBeLessThanOrEqual(8);
    const before = receiver.received.length;
    await releaseReplays(new Date(started + 3_600_000));
    await drain(new Date(started + 3_600_000));
    expect(receiver.received.length - before).toBe(10);
    expect(await readReplay()).toMatchObject({ status: "running", total: 25 });
  });

  test("that is stopped sends no more, and the rest can be replayed later", async () => {
    await makeFailed(12);
    const { replay_uid: replay } = await me().webhooks.replay({ uid: webhook.uid, per_second: 5 });
    await releaseReplays();
    await drain();
    const sent = receiver.received.length;
    expect(await me().webhooks.stopReplay({ uid: replay })).toEqual({ dropped: 12 - sent });
    await releaseReplays(new Date(Date.now() + 60_000));
    await drain();
    expect(receiver.received).toHaveLength(sent);
    expect(await readReplay()).toMatchObject({ status: "stopped", total: 12, done: sent, dropped: 12 - sent });
    expect(await me().webhooks.replayPreview({ uid: webhook.uid })).toMatchObject({ count: 12 - sent });
  });

  test("takes those that wait for their next attempt as well, and ends their own retries", async () => {
    respondWith(503);
    await publishMany(2);
    await drain();
    respondWith(200);
    receiver.received.length = 0;
    await me().webhooks.replay({ uid: webhook.uid, per_second: 20 });
    await releaseReplays();
    await drain();
    await drain(new Date(Date.now() + 7 * 24 * 3_600_000));
    expect(receiver.received).toHaveLength(2);
  });

  test("of one cause leaves the others", async () => {
    await makeFailed(2, 503);
    await makeFailed(1, 404);
    const { groups } = await me().deliveries.groups({ uid: webhook.uid });
    expect(groups.map(({ cause, count, event_types }) => [cause, count, event_types])).toEqual([
      ["503", 2, ["dataset.created"]],
      ["404", 1, ["dataset.created"]],
    ]);
    await me().webhooks.replay({ uid: webhook.uid, cause: "503", per_second: 20 });
    const rest = await me().deliveries.groups({ uid: webhook.uid });
    expect(rest.groups.map(({ cause, count }) => [cause, count])).toEqual([["404", 1]]);
  });

  test("of chosen deliveries sends those, delivered ones too, and none that is on its way", async () => {
    await publishMany(2);
    await drain();
    await publishMany(1);
    const { results } = await me().deliveries.list({ subscription: webhook.uid });
    const { queued } = await me().webhooks.replay({
      uid: webhook.uid,
      uids: results.map(({ uid }) => uid),
      per_second: 20,
    });
    expect(queued).toBe(2);
  });

  test("over REST is at the given rate, and all at once without one", async () => {
    await makeFailed(3);
    const body = { per_second: 2 };
    const path = `/webhooks/${webhook.uid}/replay/`;
    const slow = await request<{ queued: number; replay_uid: string }>("POST", path, { key: org.key, body });
    expect(slow).toMatchObject({ status: 202, body: { queued: 3, replay_uid: expect.any(String) } });
    await releaseReplays();
    await drain();
    expect(receiver.received).toHaveLength(2);
    expect((await request("POST", path, { key: org.key, body: { per_second: 0 } })).status).toBe(400);
  });

  test("over REST can be of one cause or of chosen deliveries, is followed, and is stopped", async () => {
    await makeFailed(4, 503);
    await makeFailed(2, 404);
    const path = `/webhooks/${webhook.uid}/replay/`;
    const start = async (body: object) =>
      (await request<{ queued: number; replay_uid: string }>("POST", path, { key: org.key, body })).body;
    const { queued, replay_uid: replay } = await start({ cause: "503", per_second: 1 });
    expect(queued).toBe(4);
    const [newest] = await rest("response_status=404&limit=1");
    expect((await start({ uids: [newest?.uid] })).queued).toBe(1);
    await releaseReplays();
    await drain();
    const at = `/webhook-replays/${replay}/`;
    const progress = await request<ReplayResource>("GET", at, { key: org.key });
    expect(progress.body).toMatchObject({ status: "running", total: 4, done: 1, delivered: 1, per_second: 1 });
    const stopped = await request<ReplayResource>("POST", `${at}stop/`, { key: org.key });
    expect(stopped).toMatchObject({ status: 200, body: { status: "stopped", done: 1, dropped: 3 } });
    const other = await makeOrganization();
    expect((await request("GET", at, { key: other.key })).status).toBe(404);
    expect((await request("POST", `${at}stop/`, { key: other.key })).status).toBe(404);
  });

  test("of another organization's webhook is not found", async () => {
    const other = createTrpcCaller(await makeOrganization());
    for (const call of [
      () => other.webhooks.replay({ uid: webhook.uid, per_second: 20 }),
      () => other.webhooks.replayPreview({ uid: webhook.uid }),
      () => other.webhooks.replays({ uid: webhook.uid }),
      () => other.deliveries.groups({ uid: webhook.uid }),
      () => other.webhooks.page({ uid: webhook.uid }),
    ])
      await expect(call()).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("deliveries", () => {
  test("are found by period, status of the receiver and object", async () => {
    respondWith(503);
    await publishMany(1);
    await drain();
    respondWith(200);
    await publishMany(1, "dataset.updated");
    await drain();
    const [second, first] = await rest("limit=10");
    if (!first || !second) throw new Error("two deliveries were expected");
    expect(first.object).toEqual({ kind: "dataset", uid: dataset.dataset_uid, name: "Hall 0" });
    const uids = async (query: string) => (await rest(query)).map(({ uid }) => uid);
    expect(await uids("response_status=503")).toEqual([first.uid]);
    expect(await uids(`object=${dataset.dataset_uid}`)).toEqual([second.uid, first.uid]);
    expect(await uids("object=01900000-0000-7000-8000-00000000000f")).toEqual([]);
    expect(await uids(`since=${second.created_at}&event_type=dataset.updated`)).toEqual([second.uid]);
    expect(await uids(`until=${first.created_at}`)).toEqual([]);
    expect((await request("GET", "/webhook-deliveries/?response_status=abc", { key: org.key })).status).toBe(400);
  });

  test("of several statuses are paged newest first, forwards and back, for their own organization only", async () => {
    await makeFailed(2);
    await publishMany(1);
    await drain();
    await publishMany(2, "dataset.updated");
    const filters = { subscription: webhook.uid, status: "pending,failed" };
    const all = await me().deliveries.list(filters);
    expect(all.results.map(({ status }) => status)).toEqual(["pending", "pending", "failed", "failed"]);
    const first = await me().deliveries.list({ ...filters, limit: "3" });
    const next = await me().deliveries.list({ ...filters, limit: "3", cursor: first.next ?? "" });
    const again = await me().deliveries.list({ ...filters, limit: "3", cursor: next.previous ?? "" });
    expect([...first.results, ...next.results]).toEqual(all.results);
    expect(again.results).toEqual(first.results);
    const other = createTrpcCaller(await makeOrganization());
    expect((await other.deliveries.list(filters)).results).toEqual([]);
    expect((await other.deliveries.list({ subscription: webhook.uid })).results).toEqual([]);
  });

  test("keep the headers of each attempt as they were sent, and no secret", async () => {
    await publishMany(1);
    await drain();
    const [delivery] = await rest("limit=1");
    const path = `/webhook-deliveries/${delivery?.uid}/`;
    const { body } = await request<DeliveryDetail>("GET", path, { key: org.key });
    const headers = body.attempt_log[0]?.request_headers ?? {};
    const received = receiver.received[0]?.headers ?? {};
    expect(headers["webhook-signature"]).toBe(received["webhook-signature"]);
    for (const [name, value] of Object.entries(headers))
      expect([name, received[name.toLowerCase()]]).toEqual([name, value]);
    expect(JSON.stringify(headers)).not.toContain(webhook.secret.replace("whsec_", ""));
  });

  test("are shown with the body as it was sent", async () => {
    await publishMany(1);
    await drain();
    const { results } = await me().deliveries.list({ subscription: webhook.uid });
    expect((await me().deliveries.get({ uid: results[0]?.uid ?? "" })).body).toBe(receiver.received[0]?.body);
  });

  test("can be paged by a relative time", async () => {
    await publishMany(3);
    const first = await me().deliveries.list({ subscription: webhook.uid, since: "-1h", limit: "2" });
    const next = await me().deliveries.list({
      subscription: webhook.uid,
      since: "-1h",
      limit: "2",
      cursor: first.next ?? "",
    });
    expect([first.results.length, next.results.length]).toEqual([2, 1]);
  });
});

describe("the list of webhooks", () => {
  const overview = async () => (await me().webhooks.overview({})).results[0];

  test("counts the attempts of the last day, with their durations and the newest cause", async () => {
    expect(await overview()).toMatchObject({ delivered_rate: null, p95_ms: null, last: null, failing: null });
    await publishMany(3);
    await drain();
    respondWith(503);
    await publishMany(1);
    await drain();
    const row = await overview();
    expect(row).toMatchObject({
      delivered_rate: 0.75,
      last: { status: "pending", retrying: true },
      failing: { cause: "503", count: 1, more: false },
      failing_since: expect.any(String),
    });
    expect(row?.bars).toHaveLength(12);
    expect(row?.bars.reduce((sum, bar) => sum + bar.ok * 100 + bar.failed, 0)).toBe(301);
    expect(row?.p95_ms).toBeGreaterThan(0);
  });

  test("is filtered by state and event", async () => {
    const list = async (input: object) => (await me().webhooks.overview(input)).results.length;
    expect([await list({ state: "on" }), await list({ state: "failing,turned_off,off" })]).toEqual([1, 0]);
    expect([await list({ event_type: "dataset.updated" }), await list({ event_type: "export.failed" })]).toEqual([
      1, 0,
    ]);
  });

  test("says how many Muster turned off", async () => {
    expect(await me().webhooks.turnedOff({})).toEqual({ count: 0 });
    respondWith(410);
    await publishMany(1);
    await drain();
    expect(await me().webhooks.turnedOff({})).toEqual({ count: 1 });
    await me().webhooks.update({ uid: webhook.uid, change: { is_active: true } });
    expect(await me().webhooks.turnedOff({})).toEqual({ count: 0 });
    expect(await me().webhooks.replayPreview({ uid: webhook.uid })).toMatchObject({ count: 1 });
  });

  test("says until when the secret before a rotation signs", async () => {
    expect((await overview())?.previous_secret_until).toBeNull();
    await me().webhooks.rotateSecret({ uid: webhook.uid });
    const until = new Date((await overview())?.previous_secret_until ?? 0).getTime();
    expect(Math.abs(until - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
  });
});

describe("a URL that is typed", () => {
  const check = (url: string, uid?: string) => me().webhooks.checkUrl({ target_url: url, ...(uid && { uid }) });

  test("is refused with the reason, and accepted where a delivery could reach it", async () => {
    expect(await check("ftp://example.com")).toMatchObject({ result: "refused" });
    expect(await check("https://10.0.0.1/hook")).toMatchObject({ result: "refused" });
    expect(await check(`${receiver.url}/hook`)).toMatchObject({
      result: "refused",
      message: expect.stringContaining("already exists"),
    });
    expect(await check(`${receiver.url}/hook`, webhook.uid)).toEqual({ result: "accepted", message: "" });
    expect(await check(`${receiver.url}/other`)).toEqual({ result: "accepted", message: "" });
  });
});
