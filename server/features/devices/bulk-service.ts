import type { TagDevices } from "@/domain/overview/schema";
import { getDevice, unknownDevices, updateDevice } from "@/server/features/devices/service";
import type { Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";

/** Those ids, each once and in order. Throws `invalid("device_ids")` for any that is no device of the organization. */
export async function requireKnownDevices(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  const unknown = await unknownDevices(ctx, ids);
  if (unknown.length > 0)
    throw invalid("device_ids", ...unknown.slice(0, 20).map((id) => `Invalid pk "${id}" - object does not exist.`));
  return [...new Set(ids)].sort();
}

/**
 * Adds and removes tags of several devices, all or nothing. Resolves to the devices that changed, with their tags
 * before.
 */
export async function tagDevices(
  ctx: Ctx,
  { device_ids: deviceIds, add = [], remove = [] }: TagDevices,
): Promise<{ uid: string; before: string[] }[]> {
  const uids = await requireKnownDevices(ctx, deviceIds);
  return transaction(ctx, async (tx) => {
    const changed: { uid: string; before: string[] }[] = [];
    for (const uid of uids) {
      const { tags: before } = await getDevice(tx, uid);
      const after = [...new Set([...before.filter((tag) => !remove.includes(tag)), ...add])];
      if (after.length === before.length && after.every((tag, at) => tag === before[at])) continue;
      await updateDevice(tx, uid, { tags: after });
      changed.push({ uid, before });
    }
    return changed;
  });
}
