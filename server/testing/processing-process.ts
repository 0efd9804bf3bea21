import { processStoredRecording } from "@/server/features/processing/service";
import { logFor } from "@/server/platform/log";
import { jobIds, takeJob } from "@/server/testing/queued-jobs";

// Processes recordings one after the other, each in the next attempt of its job, and sends what memory the process has
// needed at most after each. Ends with the test that started it.
process.once("disconnect", () => process.exit());
const { ORGANIZATION = "", RECORDINGS = "" } = process.env;
process.send?.({ started: true });
const most: number[] = [];
for (const uid of RECORDINGS.split(",")) {
  const [id = ""] = await jobIds({ recordingId: uid });
  const attempt = await takeJob(id, `worker of ${uid}`);
  const signal = new AbortController().signal;
  await processStoredRecording(ORGANIZATION, uid, { attempt, lastAttempt: false, signal, log: logFor("test") });
  most.push(process.resourceUsage().maxRSS * 1024);
}
process.send?.({ most });
process.disconnect();
