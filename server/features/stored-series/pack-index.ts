import { z } from "zod";
import type { FinestLevel } from "@/engine/signals/series-parts";
import { pack, unpack } from "@/server/features/stored-series/packed-series";

/*
 * What an object of series holds: all series of a recording, one after another without gaps, each packed on its own. One
 * with a `finest` level is in two packed parts, of which the second has that level alone (engine/signals/series-parts.ts).
 *
 * The index is the packed JSON of [version, [topic, [field, kind, unit, samples, bytes, finest?]…]…] in the order of the
 * object, `finest` being [bytes of the second part, buckets, first, last].
 */
const version = 1;

type SeriesKind = "number" | "state" | "density";

/** What is known of a series beside its bytes. */
export interface SeriesHead {
  topic: string;
  field: string;
  kind: SeriesKind;
  unit: string | null;
  /** How many samples it is made of. */
  count: number;
}

/** A series and where it lies in its object. */
export interface PackedSeries extends SeriesHead {
  offset: number;
  /** Of the whole series, or its first part. */
  bytes: number;
  finest: (FinestLevel & { bytes: number }) | null;
}

/** All series of an object by topic and field. */
export type PackIndex = ReadonlyMap<string, ReadonlyMap<string, PackedSeries>>;

const length = z.int().min(0);
const nanoseconds = z.string().regex(/^-?\d{1,19}$/);
const StoredFinest = z.tuple([length, length, nanoseconds, nanoseconds]);
const StoredField = z.tuple([
  z.string(),
  z.enum(["number", "state", "density"]),
  z.string().nullable(),
  z.number(),
  length,
  StoredFinest.optional(),
]);
const StoredIndex = z.tuple([z.literal(version), z.array(z.tuple([z.string(), z.array(StoredField)]))]);
type StoredIndex = z.infer<typeof StoredIndex>;

/** Encodes the index of series in the order of their bytes. */
export async function encodeIndex(series: readonly PackedSeries[]): Promise<Uint8Array> {
  const topics: StoredIndex[1] = [];
  for (const { topic, field, kind, unit, count, bytes, finest } of series) {
    let last = topics.at(-1);
    if (last?.[0] !== topic) topics.push((last = [topic, []]));
    last[1].push(
      finest === null
        ? [field, kind, unit, count, bytes]
        : [
            ...([field, kind, unit, count, bytes] as const),
            [finest.bytes, finest.buckets, String(finest.first), String(finest.last)],
          ],
    );
  }
  return pack(Buffer.from(JSON.stringify([version, topics] satisfies StoredIndex)), 64);
}

/** The reverse of `encodeIndex`. Throws for bytes that are none. */
export async function decodeIndex(encoded: Uint8Array): Promise<PackIndex> {
  const bytes = await unpack(encoded);
  const [, topics] = StoredIndex.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  const index = new Map<string, Map<string, PackedSeries>>();
  let offset = 0;
  for (const [topic, fields] of topics) {
    let known = index.get(topic);
    if (!known) index.set(topic, (known = new Map<string, PackedSeries>()));
    for (const [field, kind, unit, count, size, second] of fields) {
      const finest =
        second === undefined
          ? null
          : { bytes: second[0], buckets: second[1], first: BigInt(second[2]), last: BigInt(second[3]) };
      // As with rows, the first of two under one name is read.
      if (!known.has(field)) known.set(field, { topic, field, kind, unit, count, offset, bytes: size, finest });
      offset += size + (finest?.bytes ?? 0);
    }
  }
  return index;
}
