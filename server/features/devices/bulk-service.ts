import type { TagDevices } from "@/domain/overview/schema";
import { getDevice, unknownDevices, updateDevice } from "@/server/features/devices/service";
import { tagChange } from "@/server/platform/bulk";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";

/** The ids without duplicates, sorted. Throws `invalid("device_ids")` for any that is no device of the organization. */
export async function requireKnownDevices(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  const unknown = await unknownDevices(ctx, ids);
  if (unknown.length > 0)
    throw invalid("device_ids", ...unknown.slice(0, 20).map((id) => `Invalid pk "${id}" - object does not exist.`));
  return [...new Set(ids)].sort();
}

/**
 * Adds and removes tags of several devices in one transaction. Returns the devices that changed, with their previous
 * tags.
 */
export async function tagDevices(
  ctx: Ctx,
  { device_ids: deviceIds, ...tags }: TagDevices,
): Promise<{ uid: string; before: string[] }[]> {
  const uids = await requireKnownDevices(ctx, deviceIds);
  return transaction(ctx, async (tx) => {
    const changed: { uid: string; before: string[] }[] = [];
    for (const uid of uids) {
      const { tags: before } = await getDevice(tx, uid);
      const { after, added, removed } = tagChange(before, tags);
      if (added.length + removed.length === 0) continue;
      await updateDevice(tx, uid, { tags: after });
      changed.push({ uid, before });
    }
    return changed;
  });
}
