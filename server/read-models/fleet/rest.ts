import { DeviceActivityQuery, FleetHealthQuery, OpenAlertFilters } from "@/domain/overview/summaries";
import { readDeviceActivity } from "@/server/read-models/fleet/device-activity";
import { readFleetHealth } from "@/server/read-models/fleet/health";
import { listOpenAlerts } from "@/server/read-models/fleet/open-alerts";
import { DeviceActivity, FleetHealth, OpenAlert } from "@/server/read-models/fleet/resource";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const health = endpoint({
  method: "GET",
  path: "/fleet/health/",
  id: "fleet.health",
  summary: "Get the fleet's health",
  description:
    "Devices by status, open alerts by severity, what is offline, and what raised more alerts in the last `hours` than in " +
    "those before.",
  permission: ["fleet.read"],
  role: "member",
  query: FleetHealthQuery,
  response: FleetHealth,
  handler: ({ ctx, query }) => readFleetHealth(ctx, query.hours),
});

export const openAlerts = endpoint({
  method: "GET",
  path: "/fleet/open-alerts/",
  id: "fleet.open-alerts",
  summary: "List open alerts with their reasons",
  description:
    "The worst first, without silenced and snoozed ones, with what triggered them, rule, device and recording.",
  permission: ["fleet.read"],
  role: "member",
  query: OpenAlertFilters,
  response: toPageSchema(OpenAlert),
  handler: ({ ctx, query }) => listOpenAlerts(ctx, query),
});

export const deviceActivity = endpoint({
  method: "GET",
  path: "/fleet/device-activity/",
  id: "fleet.device-activity",
  summary: "Get what a device did around a time",
  description: "Changes of its status, recordings, events and alerts, those nearest to the time; in the order of time.",
  permission: ["fleet.read"],
  role: "member",
  query: DeviceActivityQuery,
  response: DeviceActivity,
  handler: ({ ctx, query }) => readDeviceActivity(ctx, query),
});
