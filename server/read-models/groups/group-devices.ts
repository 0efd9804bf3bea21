import type { ChangeGroupDevices } from "@/domain/devices/group-screen-schema";
import type { DeviceListFilters } from "@/domain/devices/list-schema";
import { changeGroupDevices } from "@/server/features/devices/group-members-service";
import { listDevices } from "@/server/features/devices/service";
import type { Ctx } from "@/server/platform/context";
import { invalid } from "@/server/platform/errors";
import { buildScreenFilters } from "@/server/read-models/devices/device-list";

const maxDevices = 10_000;

/** The uids of all devices that match the filters. Throws `invalid("filters")` for more than 10,000. */
async function findDevices(ctx: Ctx, filters: Omit<DeviceListFilters, "limit" | "cursor">): Promise<string[]> {
  const uids: string[] = [];
  const more = await buildScreenFilters(ctx, { ...filters, limit: 1 });
  for (let cursor: string | undefined; ;) {
    const page = await listDevices(ctx, { ...filters, limit: 200, cursor }, more);
    uids.push(...page.results.map(({ uid }) => uid));
    if (uids.length > maxDevices) throw invalid("filters", "More than 10,000 devices match. Narrow the filters.");
    if (page.next === null) return uids;
    cursor = page.next;
  }
}

/**
 * Adds devices to a group or takes them out of it: those named, or all that match filters of the device list. Resolves
 * to those that changed, so that it can be undone. Throws as `changeGroupDevices`, and `invalid("filters")`.
 */
export async function changeDevices(
  ctx: Ctx,
  change: "add" | "remove",
  { uid, device_ids: named, filters }: ChangeGroupDevices,
): Promise<{ changed: string[] }> {
  const found = filters === undefined ? [] : await findDevices(ctx, filters);
  return { changed: await changeGroupDevices(ctx, uid, change, [...(named ?? []), ...found]) };
}
