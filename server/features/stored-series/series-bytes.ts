import { joinSeries } from "@/engine/signals/series-parts";
import type { PackedSeries } from "@/server/features/stored-series/pack-index";
import { unpack } from "@/server/features/stored-series/packed-series";

/** The encoded series of its stored bytes. */
export async function joinPacked({ bytes, finest }: PackedSeries, stored: Uint8Array): Promise<Uint8Array> {
  if (finest === null) return unpack(stored);
  const [coarse, rest] = await Promise.all([unpack(stored.subarray(0, bytes)), unpack(stored.subarray(bytes))]);
  return joinSeries(coarse, rest);
}

/** Of a series in two parts, its bytes without the finest level, of the first of them. */
export const joinCoarse = async (stored: Uint8Array): Promise<Uint8Array> => joinSeries(await unpack(stored), null);
