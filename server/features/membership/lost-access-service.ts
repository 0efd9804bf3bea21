import type { Ctx } from "@/server/platform/context";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";

/** Has the work of those ended who may not go on with it, after a change of who may do what. */
export const endLostWork = (tx: Ctx): Promise<void> =>
  enqueue(tx, jobs.endLostWork, { organizationId: tx.organizationId });
