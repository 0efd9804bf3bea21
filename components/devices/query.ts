import { filterInput, type AddressValues } from "@/components/list/list-input";
import type { Inputs, Outputs } from "@/components/trpc/client";

/** A row of the device list. */
export type DeviceRow = Outputs["fleet"]["devices"]["results"][number];
/** A metric of it. */
export type MetricReading = DeviceRow["readings"][number];
/** A device as its own page has it. */
export type Device = Outputs["devices"]["get"];

/** How a device is now. */
export type DeviceNow = Outputs["health"]["now"];
export type MetricNow = DeviceNow["metrics"][number];

/** Heartbeats are not announced to pages, so that these ask. */
export const heartbeatRefreshMs = 10_000;

/** The queries of a device's first tab; the server's prefetch and the browser must use the same. */
export const openAlertsInput = (uid: string) =>
  ({ tab: "open", device_id: uid, limit: 5 }) satisfies Inputs["alerts"]["inbox"];
export const changesInput = (uid: string) => ({ uid, limit: 8 }) satisfies Inputs["fleet"]["changes"];

const filterKeys = [
  "status",
  "type",
  "tags",
  "any_tags",
  "firmware",
  "metadata",
  "open_alerts",
  "not_seen_for",
  "demo",
  "group_id",
  "search",
] as const satisfies readonly (keyof Inputs["fleet"]["devices"])[];

/** Rows per page. */
const pageSize = 100;

/** The list's query for the filters and the order in the address; the server's prefetch and the browser must use the same. */
export const listInput = (values: AddressValues): Inputs["fleet"]["devices"] => ({
  ...filterInput([...filterKeys, "ordering"], values),
  limit: pageSize,
});

/** The same filters as a query string, for what is fetched outside tRPC. */
export function listQuery(values: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const key of filterKeys) if (values[key]) query.set(key, values[key]);
  return query.toString();
}
