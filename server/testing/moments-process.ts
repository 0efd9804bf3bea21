import { setTimeout as sleep } from "node:timers/promises";
import { extract } from "@/server/features/moments/jobs";
import { runJobs } from "@/server/testing/processing";

// What a worker does for moments, without its other jobs. Ends with the test that started it.
process.once("disconnect", () => process.exit());
process.send?.({ started: true });
for (;;) {
  await runJobs([extract]);
  await sleep(50);
}
