import { DeviceUid } from "@/domain/devices/schema";
import { DeviceMetricsQuery, MetricFilters } from "@/domain/health/schema";
import { getDevice } from "@/server/features/devices/service";
import { listMetrics } from "@/server/read-models/health/metric-list";
import { DeviceMetrics, Metric } from "@/server/read-models/health/resource";
import { readDeviceSeries } from "@/server/read-models/health/series";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/fleet/metrics/",
  id: "metrics.list",
  summary: "List the metrics that devices send",
  description: "With what they mean: as said in Settings, else guessed.",
  permission: ["fleet.read"],
  role: "member",
  query: MetricFilters,
  response: toPageSchema(Metric),
  handler: ({ ctx, query }) => listMetrics(ctx, query),
});

export const ofDevice = endpoint({
  method: "GET",
  path: "/fleet/devices/{uid}/metrics/",
  id: "devices.metrics",
  summary: "Get metrics of a device over time",
  description: "Up to 20 `names`, default: those shown first; since 24 hours ago.",
  permission: ["fleet.read"],
  role: "member",
  params: DeviceUid,
  query: DeviceMetricsQuery,
  response: DeviceMetrics,
  exists: (ctx, { uid }) => getDevice(ctx, uid),
  handler: ({ ctx, params, query }) => readDeviceSeries(ctx, params.uid, query),
});
