import { isCoarse } from "@/engine/signals/series-parts";
import type { PackedSeries } from "@/server/features/stored-series/pack-index";
import { readParts, readStored, type SeriesPack } from "@/server/features/stored-series/pack-service";
import { unpack } from "@/server/features/stored-series/packed-series";
import { joinCoarse, joinPacked } from "@/server/features/stored-series/series-bytes";
import type { Ctx } from "@/server/platform/context";

/** An encoded series for a window. */
export interface WindowSeries {
  field: string;
  kind: string;
  unit: string | null;
  data: Uint8Array;
  /** The finest level that `data` has: 1 where the window needs no finer one. */
  finest: 0 | 1;
}

interface Wanted {
  topic: string;
  /** Names of the field, of which the first that is stored counts. */
  names: Iterable<string>;
  window: { from: bigint; to: bigint; points: number };
}

/** The series of a field, as much of it as a window needs; null when there is none. */
export function findWindowSeries(ctx: Ctx, recordingId: string, wanted: Wanted): Promise<WindowSeries | null> {
  return readStored(
    ctx,
    recordingId,
    (pack) => readPacked(pack, wanted),
    () => readRow(ctx, recordingId, wanted),
  );
}

async function readPacked(pack: SeriesPack, { topic, names, window }: Wanted): Promise<WindowSeries | null> {
  const fields = pack.index.get(topic);
  for (const name of names) {
    const series = fields?.get(name);
    if (!series) continue;
    const { field, kind, unit, finest } = series;
    const coarse = finest !== null && isCoarse(finest, window);
    const [stored] = await readParts(pack, [coarse ? { series, parts: "first" } : { series }]);
    const data = await (coarse ? joinCoarse(stored!) : joinPacked(series, stored!));
    return { field, kind, unit, data, finest: coarse ? 1 : 0 };
  }
  return null;
}

async function readRow(ctx: Ctx, recordingId: string, { topic, names }: Wanted): Promise<WindowSeries | null> {
  for (const field of names) {
    const row = await ctx.db.series.findUnique({ where: { recordingId_topic_field: { recordingId, topic, field } } });
    if (row) return { field, kind: row.kind, unit: row.unit, data: await unpack(row.data), finest: 0 };
  }
  return null;
}

/** Whole series of an object, by the topic of each. */
export async function readWhole(
  pack: SeriesPack,
  wanted: readonly PackedSeries[],
): Promise<{ series: PackedSeries; data: Uint8Array }[]> {
  const stored = await readParts(
    pack,
    wanted.map((series) => ({ series })),
  );
  return Promise.all(wanted.map(async (series, at) => ({ series, data: await joinPacked(series, stored[at]!) })));
}
