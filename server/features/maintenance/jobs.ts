import { endMaintenance } from "@/server/features/maintenance/service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

export const endDeviceMaintenance = handle(jobs.endMaintenance, ({ organizationId, deviceId }) =>
  endMaintenance(organizationId, deviceId),
);
