import * as offline from "@/server/alerts/offline";
import { heartbeatTiming } from "@/server/devices/schema";
import { jobs } from "@/server/jobs/definitions";
import { handle } from "@/server/jobs/handler";

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
