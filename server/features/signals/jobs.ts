import { sweepSignals } from "@/server/features/signals/queue-service";
import { writeSignals } from "@/server/features/signals/write-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const write = handle(jobs.writeSignals, writeSignals);

export const sweep = handle(jobs.sweepSignals, async () => {
  await sweepSignals();
});
