import { csvLine } from "@/domain/csv";
import type { DeviceListFilters } from "@/domain/devices/list-schema";
import type { DeviceOverview } from "@/server/features/devices/resource";
import type { Ctx } from "@/server/platform/context";
import { listDeviceOverviews } from "@/server/read-models/devices/device-list";

const columns = [
  "uid",
  "name",
  "type",
  "status",
  "tags",
  "firmware_version",
  "last_seen_at",
  "open_alerts",
  "worst_severity",
  "last_recording_at",
  "storage_bytes",
  "metadata",
  "demo",
  "created_at",
] as const satisfies readonly (keyof DeviceOverview)[];

const line = (device: DeviceOverview): string =>
  csvLine(columns.map((column) => (column === "tags" ? device.tags.join(" ") : device[column])));

/**
 * Every device that matches the filters as lines of CSV (RFC 4180), a page at a time to bound the memory. The header
 * comes with the first page, so that a failing first query yields nothing.
 */
export async function* devicesCsv(
  ctx: Ctx,
  { cursor: _, limit: __, ...filters }: DeviceListFilters,
): AsyncGenerator<string> {
  let head = csvLine(columns);
  for (let cursor: string | undefined; ;) {
    const page = await listDeviceOverviews(ctx, { ...filters, limit: 200, cursor });
    const lines = head + page.results.map(line).join("");
    if (lines !== "") yield lines;
    head = "";
    if (page.next === null) return;
    cursor = page.next;
  }
}
