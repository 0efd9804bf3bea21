import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { make } from "@/server/demo/jobs";
import { agentPushes } from "@/server/features/agents/push-service";
import { channelMessages } from "@/server/features/channels/delivery-service";
import { examine } from "@/server/features/datasets/jobs";
import * as exports from "@/server/features/exports/jobs";
import { extract } from "@/server/features/moments/jobs";
import * as processing from "@/server/features/processing/jobs";
import * as slices from "@/server/features/slices/jobs";
import { webhookDeliveries } from "@/server/features/webhooks/delivery-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { Outbox } from "@/server/platform/outbox/outbox";
import { runJobs } from "@/server/testing/processing";
import { queuedJobs, removeJobs, runQueuedJobs } from "@/server/testing/queued-jobs";

const parts = [processing.process, processing.processSmall, extract, examine, exports.start, exports.run, slices.count];

/** Messages about changes wait ten seconds, so that an undone one sends nothing. */
const changeWaitMs = 10_000;

/** Drops the jobs that other tests left in the queue, whatever they would take. */
async function dropOthersJobs(organizationId: string): Promise<void> {
  for (const { definition } of [make, ...parts]) {
    const others = (await queuedJobs(definition)).filter(({ payload }) => payload.organizationId !== organizationId);
    await removeJobs(others.map(({ id }) => id));
  }
}

/**
 * Until `work` is done or the test over, builds the demo fleet that it asks for in an organization, with all that its
 * parts set in motion and send.
 */
export async function makeDemoDuring<T>(organizationId: string, work: Promise<T>): Promise<T> {
  let isOver = false;
  const end = () => void (isOver = true);
  onTestFinished(end);
  const done = work.finally(end);
  await dropOthersJobs(organizationId);
  const messages = new Outbox(channelMessages, organizationId);
  const outboxes = [messages, new Outbox(webhookDeliveries, organizationId), new Outbox(agentPushes, organizationId)];
  const repeat = async (round: () => Promise<unknown>) => {
    while (!isOver) {
      await round();
      await sleep(100);
    }
  };
  const follow = async () => {
    await runJobs(parts);
    for (const outbox of outboxes) await outbox.drain();
  };
  await Promise.all([repeat(() => runJobs([make])), repeat(follow)]);
  await follow();
  // Counts wait a second for more changes.
  await runQueuedJobs(jobs.countSlices, { organizationId });
  await messages.drain(new Date(Date.now() + changeWaitMs));
  return done;
}
