import { heartbeatTiming } from "@/domain/devices/connectivity";
import * as live from "@/server/features/rules/live-service";
import { refuseRun, workOnRun } from "@/server/features/rules/run-work-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle, handleReading } from "@/server/platform/jobs/handler";

/** A platform that was down received no heartbeats: after a start, devices get time to send one. */
const isUpLongEnough = () => process.uptime() >= heartbeatTiming.offlineAfterSeconds;

export const evaluateLiveRules = handle(
  jobs.evaluateLiveRules,
  async (_payload, { log }) => {
    const count = await live.evaluateLiveRules({ silence: isUpLongEnough() });
    if (count > 0) log.info({ count }, "rules triggered on heartbeats");
  },
  live.anyLiveRule,
);

/** Applies a saved rule to past recordings, or computes a preview that is too large for a request. */
export const runRule = handleReading(
  jobs.runRule,
  ({ organizationId, runId }, run) => workOnRun(organizationId, runId, run),
  refuseRun,
);
