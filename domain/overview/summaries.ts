import { z } from "zod";
import { AlertCountFilters } from "@/domain/alerts/schema";
import { clamped, nonBlank, pageFields } from "@/domain/fields";
import { timestamp } from "@/domain/time/fields";

/** The inputs of operations that answer an operator's question at once. */

export const FleetHealthQuery = z.object({
  /** The length of the period, which is compared with the one before it. */
  hours: clamped(168, 24, 9),
});
export type FleetHealthQuery = z.output<typeof FleetHealthQuery>;

/** Each alert has its evidence, so a page is shorter than those of other lists. */
export const OpenAlertFilters = AlertCountFilters.pick({
  severity: true,
  device_id: true,
  rule_id: true,
  assignee: true,
  q: true,
}).extend(pageFields({ default: 20, max: 50 }));
export type OpenAlertFilters = z.output<typeof OpenAlertFilters>;

export const DeviceActivityQuery = z.object({
  /** Its uid or its name. */
  device: nonBlank(255),
  around: timestamp().optional(),
  /** How long before and after. */
  minutes: clamped(1_440, 60, 9),
  /** The maximum of each list, those nearest to the time. */
  limit: clamped(200, 50, 9),
});
export type DeviceActivityQuery = z.output<typeof DeviceActivityQuery>;
