import { setTimeout as sleep } from "node:timers/promises";
import { agentOutbox } from "@/server/features/agents/push-service";
import { channelOutbox } from "@/server/features/channels/delivery-service";
import { examine } from "@/server/features/datasets/jobs";
import { make } from "@/server/features/demo/jobs";
import * as exports from "@/server/features/exports/jobs";
import * as processing from "@/server/features/processing/jobs";
import * as slices from "@/server/features/slices/jobs";
import { webhookOutbox } from "@/server/features/webhooks/delivery-service";
import { runJobs } from "@/server/testing/processing";

const parts = [processing.process, examine, exports.start, exports.run, slices.count];
const outboxes = () => [channelOutbox(), webhookOutbox(), agentOutbox()];

/** Until `work` is done, builds the demo fleet that it asks for, with all that its parts set in motion. */
export async function makeDemoDuring<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const done = work.finally(() => (isOver = true));
  const repeat = async (round: () => Promise<unknown>) => {
    while (!isOver) {
      await round();
      await sleep(100);
    }
  };
  const follow = async () => {
    await runJobs(parts);
    for (const outbox of outboxes()) await outbox.drain();
  };
  await Promise.all([repeat(() => runJobs([make])), repeat(follow)]);
  await follow();
  return done;
}
