import { heartbeatTiming } from "@/domain/devices/connectivity";
import * as offline from "@/server/features/alerts/offline-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

/** A platform that was down received no heartbeats: after a start, devices get time to send one before the sweep. */
const isUpLongEnough = () => process.uptime() >= heartbeatTiming.offlineAfterSeconds;

export const sweepOfflineDevices = handle(jobs.sweepOfflineDevices, async (_payload, { log }) => {
  if (!isUpLongEnough()) return;
  const count = await offline.sweepOfflineDevices();
  if (count > 0) log.info({ count }, "devices went offline");
});

export const devicesRecovered = handle(jobs.devicesRecovered, ({ organizationId, deviceIds }) =>
  offline.recoverDevices(organizationId, deviceIds),
);

export const deviceRecovered = handle(jobs.deviceRecovered, ({ organizationId, deviceId }) =>
  offline.recoverDevice(organizationId, deviceId),
);

export const wakeSnoozed = handle(jobs.wakeSnoozed, async () => {
  await offline.wakeSnoozedAlerts();
});
