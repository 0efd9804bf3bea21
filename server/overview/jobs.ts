import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { endMaintenance } from "@/server/overview/device-bulk";

export const endDeviceMaintenance = handle(jobs.endMaintenance, ({ organizationId, deviceId }) =>
  endMaintenance(organizationId, deviceId),
);
