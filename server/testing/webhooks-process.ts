import { setTimeout as sleep } from "node:timers/promises";
import { wakeWebhooks } from "@/server/features/webhooks/jobs";
import { logFor } from "@/server/platform/log";

// What a worker does for webhooks, without its other jobs: runs the job that a sweep enqueues every two seconds. Ends with
// the test that started it.
process.once("disconnect", () => process.exit());
process.send?.({ started: true });
const run = {
  attempt: { jobId: "1", attempt: 1 },
  lastAttempt: false,
  signal: new AbortController().signal,
  log: logFor("test"),
};
for (;;) {
  await wakeWebhooks.run({}, run);
  await sleep(100);
}
