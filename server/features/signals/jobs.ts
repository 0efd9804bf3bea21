import { sweepSignals } from "@/server/features/signals/queue-service";
import { refuseSignals, writeSignals } from "@/server/features/signals/write-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle, handleReading } from "@/server/platform/jobs/handler";

export const write = handleReading(jobs.writeSignals, writeSignals, refuseSignals);

export const sweep = handle(jobs.sweepSignals, async () => {
  await sweepSignals();
});
