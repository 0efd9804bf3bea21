import { z } from "zod";
import { DeviceFilters } from "@/domain/devices/schema";
import { commaList, queryBoolean, uid } from "@/domain/fields";
import { metricName } from "@/domain/health/limits";
import { spanMs } from "@/domain/time/fields";

/** The metric by which the list is sorted; null for what is no such ordering. */
export function readOrdering(ordering: string): { name: string; descending: boolean } | null {
  const [, sign, name = ""] = /^(-?)metric:(.*)$/.exec(ordering) ?? [];
  return metricName.test(name) ? { name, descending: sign === "-" } : null;
}

/** The device list's filters: those of the API and those of the dashboard only. */
export const DeviceListFilters = DeviceFilters.extend({
  /** Any of these versions; `none` for devices that reported none. */
  firmware: commaList().optional(),
  /** At least one of these tags, while `tags` requires all. */
  any_tags: commaList().optional(),
  open_alerts: queryBoolean().optional(),
  /** In any of these groups, or in a group inside one of them. */
  group_id: commaList().optional(),
  /** Not one of this group itself; it may be in a group inside it. */
  not_in_group: uid("group").optional(),
  /** Silent for at least this long, or without any heartbeat: `30m`, `6h`, `7d`. */
  not_seen_for: spanMs("Enter how long, such as 30m, 6h or 7d.").optional(),
  /** By a metric of the last heartbeat: `metric:battery`, or `-metric:battery` for the largest first. */
  ordering: z
    .string()
    .refine((value) => readOrdering(value) !== null, { error: "Enter metric: and the name of a metric." })
    .optional(),
});
export type DeviceListFilters = z.output<typeof DeviceListFilters>;
