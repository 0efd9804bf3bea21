import { runImport } from "@/server/features/imports/run-service";
import { logFor } from "@/server/platform/log";
import { jobIds, takeJob } from "@/server/testing/queued-jobs";

// Runs an import in the next attempt of its job. Ends with the test that started it.
process.once("disconnect", () => process.exit());
const { ORGANIZATION: organizationId = "", IMPORT: importId = "" } = process.env;
process.send?.({ started: true });
const [id = ""] = await jobIds({ importId });
const attempt = await takeJob(id, `worker of ${importId}`);
const signal = new AbortController().signal;
await runImport({ organizationId, importId }, { attempt, lastAttempt: false, signal, log: logFor("test") });
process.disconnect();
