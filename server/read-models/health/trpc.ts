import { DeviceUid } from "@/domain/devices/schema";
import { MetricFilters, ScreenMetricsQuery } from "@/domain/health/schema";
import { listMetrics } from "@/server/read-models/health/metric-list";
import { readDeviceSeries } from "@/server/read-models/health/series";
import { memberProcedure, router } from "@/server/transport/trpc/init";

/** What heartbeats say; merged into `health`. */
export const healthScreens = router({
  metrics: memberProcedure.input(MetricFilters).query(({ ctx, input }) => listMetrics(ctx.ctx, input)),
  series: memberProcedure
    .input(ScreenMetricsQuery.extend(DeviceUid.shape))
    .query(({ ctx, input: { uid, ...query } }) => readDeviceSeries(ctx.ctx, uid, query)),
});
