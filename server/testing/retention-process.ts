import { batchSizes } from "@/server/features/retention/batch-service";
import { applyRetention } from "@/server/features/retention/organization-service";
import { logFor } from "@/server/platform/log";

// The daily deletion of one organization in a process of its own, in small batches. Ends with the test that started it.
process.once("disconnect", () => process.exit());
Object.assign(batchSizes, { rows: 2, recordings: 2 });
process.send?.({ started: true });
const freed = await applyRetention(process.env.ORGANIZATION ?? "", {
  attempt: { jobId: "0", attempt: 1 },
  lastAttempt: false,
  signal: new AbortController().signal,
  log: logFor("test"),
});
process.send?.({ freed });
process.disconnect();
