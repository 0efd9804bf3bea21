import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { publish } from "@/server/features/platform-events/service";
import { systemContext } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";
import { leaseMs } from "@/server/platform/outbox/queries";
import { bundleProgram, killNow, startProgram } from "@/server/testing/child-program";
import { allowLoopback } from "@/server/testing/egress";
import { makeOrganization } from "@/server/testing/factories";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { createTrpcCaller } from "@/server/testing/requests";

const total = 40;
/** Longer than between two attempts, so that some are always under way. */
const responseMs = 300;

/** What is answered while the first worker runs: the others wait for an answer when it is killed. */
const answered = 2;

let receiver: Receiver;
let unanswered = 0;
let isHolding = true;
let program: Awaited<ReturnType<typeof bundleProgram>>;
allowLoopback();
beforeAll(async () => {
  program = await bundleProgram("webhooks-process");
  receiver = await startReceiver((_received, response) => {
    unanswered++;
    if (isHolding && receiver.received.length > answered) return;
    // oxlint-disable-next-line no-restricted-globals -- a receiver that takes a while
    setTimeout(() => {
      unanswered--;
      response.end("ok");
    }, responseMs);
  });
});
afterAll(async () => {
  await receiver.close();
  program.remove();
});

const startWorker = async () => {
  const environment = { ROLE: "worker", EGRESS_ALLOW_CIDRS: "127.0.0.0/8" };
  return (await startProgram(program.file, environment))[0];
};

test("a replay whose worker is killed with SIGKILL goes on in the next one, and loses and repeats nothing else", async () => {
  const org = await makeOrganization();
  const { uid } = await createTrpcCaller(org).webhooks.create({
    target_url: `${receiver.url}/hook`,
    events: ["dataset.created"],
  });
  const payload = { dataset_uid: "01900000-0000-7000-8000-000000000000", slug: "halls", owner: "acme" };
  for (let n = 0; n < total; n++)
    await transaction(systemContext(prisma, org.uid), (tx) =>
      publish(tx, "dataset.created", { ...payload, name: `Hall ${n}` }),
    );
  await prisma.webhookDelivery.updateMany({
    where: { subscriptionId: uid },
    data: { status: "failed", nextAttemptAt: null, attempts: 1, error: "The receiver answered 503." },
  });
  const me = createTrpcCaller(org);
  // So slow that the worker is killed long before all of it is due.
  const { queued } = await me.webhooks.replay({ uid, per_second: 1 });
  expect(queued).toBe(total);
  const readReplay = async () => (await me.webhooks.replays({ uid }))[0];

  const first = await startWorker();
  try {
    await vi.waitFor(() => expect(unanswered * Number(receiver.received.length > answered)).toBeGreaterThan(0), {
      timeout: 60_000,
      interval: 5,
    });
  } finally {
    await killNow(first);
    isHolding = false;
  }
  const halfway = await readReplay();
  expect(halfway).toMatchObject({ status: "running", total });
  expect(halfway?.done).toBeLessThan(total);

  await prisma.webhookReplay.updateMany({ where: { subscriptionId: uid }, data: { perSecond: 20 } });
  const second = await startWorker();
  try {
    // All but those that were under way, which belong to the killed worker until their lease ends.
    const claimed = { subscriptionId: uid, replayOf: { not: null }, status: "pending", attempts: { gt: 0 } };
    await vi.waitFor(
      async () => {
        const pending = await prisma.webhookDelivery.count({ where: { ...claimed, attempts: { gte: 0 } } });
        const leased = await prisma.webhookDelivery.findMany({ where: claimed, select: { nextAttemptAt: true } });
        expect(leased.length).toBeGreaterThan(0);
        expect(pending).toBe(leased.length);
      },
      { timeout: 60_000 },
    );
    const cutOff = await prisma.webhookDelivery.findMany({ where: claimed });
    for (const each of cutOff)
      await prisma.webhookDelivery.update({
        where: { uid: each.uid },
        data: { nextAttemptAt: new Date((each.nextAttemptAt?.getTime() ?? 0) - leaseMs) },
      });
    await vi.waitFor(async () => expect(await readReplay()).toMatchObject({ status: "done", delivered: total }), {
      timeout: 60_000,
    });

    const copies = await prisma.webhookDelivery.findMany({ where: { subscriptionId: uid, replayOf: { not: null } } });
    expect(new Set(copies.map(({ replayOf }) => replayOf)).size).toBe(total);
    expect(copies).toHaveLength(total);
    const sent = receiver.received.map(({ headers }) => headers["webhook-id"] ?? "");
    expect(new Set(sent)).toEqual(new Set(copies.map((copy) => copy.uid)));
    // What arrived without its outcome being recorded is sent again under the same id; nothing else is.
    const twice = sent.filter((id, at) => sent.indexOf(id) !== at);
    expect(cutOff.map((each) => each.uid)).toEqual(expect.arrayContaining(twice));
    expect(twice.length).toBeLessThanOrEqual(cutOff.length);
  } finally {
    await killNow(second);
  }
}, 120_000);
