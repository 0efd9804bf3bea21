import { heartbeatTiming } from "@/domain/devices/connectivity";
import * as offline from "@/server/features/alerts/offline-service";
import { jobs } from "@/server/platform/jobs/definitions";
import { handle } from "@/server/platform/jobs/handler";

/** A product that was down heard nobody: after a start, devices get their time before silence counts against them. */
const hasListenedLongEnough = () => process.uptime() >= heartbeatTiming.offlineAfterSeconds;

export const sweepOfflineDevices = handle(jobs.sweepOfflineDevices, async (_payload, { log }) => {
  if (!hasListenedLongEnough()) return;
  const count = await offline.sweepOfflineDevices();
  if (count > 0) log.info({ count }, "devices went offline");
});

export const deviceRecovered = handle(jobs.deviceRecovered, ({ organizationId, deviceId }) =>
  offline.recoverDevice(organizationId, deviceId),
);

export const wakeSnoozed = handle(jobs.wakeSnoozed, async () => {
  await offline.wakeSnoozedAlerts();
});
