import type { DeviceVocabulary } from "@/server/features/devices/resource";
import type { Ctx } from "@/server/platform/context";
import { distinctValues } from "@/server/platform/distinct-values";

/** The types, tags and firmware versions in use, at most 200 of each, which filters and forms offer. */
export async function deviceVocabulary(ctx: Ctx): Promise<DeviceVocabulary> {
  const [types, tags, firmware] = await Promise.all([
    distinctValues(ctx, "deviceType"),
    distinctValues(ctx, "deviceTag"),
    distinctValues(ctx, "firmware"),
  ]);
  return { types, tags, firmware };
}
