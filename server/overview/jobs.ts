import { systemContext } from "@/server/context";
import { prisma } from "@/server/db";
import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";
import { endMaintenance } from "@/server/overview/device-bulk";

export const endDeviceMaintenance = handle(jobs.endMaintenance, ({ organizationId, deviceId }) =>
  endMaintenance(systemContext(prisma, organizationId), deviceId),
);
