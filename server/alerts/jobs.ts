import * as offline from "@/server/alerts/offline";
import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";

export const sweepOfflineDevices = handle(jobs.sweepOfflineDevices, async (_payload, { log }) => {
  const count = await offline.sweepOfflineDevices();
  if (count > 0) log.info({ count }, "devices went offline");
});

export const deviceRecovered = handle(jobs.deviceRecovered, ({ organizationId, deviceId }) =>
  offline.recoverDevice(organizationId, deviceId),
);

export const wakeSnoozed = handle(jobs.wakeSnoozed, async () => {
  await offline.wakeSnoozedAlerts();
});
