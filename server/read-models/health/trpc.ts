import { DeviceUid } from "@/domain/devices/schema";
import { MetricFilters, ScreenMetricsQuery } from "@/domain/health/schema";
import { readMetricColumns } from "@/server/read-models/health/metric-columns";
import { listMetrics } from "@/server/read-models/health/metric-list";
import { readDeviceNow } from "@/server/read-models/health/now";
import { readDeviceSeries } from "@/server/read-models/health/series";
import { memberProcedure, router } from "@/server/transport/trpc/init";

/** What heartbeats say; merged into `health`. */
export const healthScreens = router({
  /** Rows of lists are known by a uid, which is the name here. */
  metrics: memberProcedure.input(MetricFilters).query(async ({ ctx, input }) => {
    const page = await listMetrics(ctx.ctx, input);
    return { ...page, results: page.results.map((metric) => ({ uid: metric.name, ...metric })) };
  }),
  columns: memberProcedure.query(({ ctx }) => readMetricColumns(ctx.ctx)),
  now: memberProcedure.input(DeviceUid).query(({ ctx, input }) => readDeviceNow(ctx.ctx, input.uid)),
  series: memberProcedure
    .input(ScreenMetricsQuery.extend(DeviceUid.shape))
    .query(({ ctx, input: { uid, ...query } }) => readDeviceSeries(ctx.ctx, uid, query)),
});
