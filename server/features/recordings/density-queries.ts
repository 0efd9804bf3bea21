import type { DensityQuery } from "@/domain/recordings/schema";
import { decodeDensity, densityField } from "@/engine/signals/density";
import { readSeries } from "@/engine/signals/series";
import { findRecording } from "@/server/features/recordings/service";
import { readStored, type SeriesPack } from "@/server/features/stored-series/pack-service";
import { unpack } from "@/server/features/stored-series/packed-series";
import { readWhole } from "@/server/features/stored-series/series-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { bytea, int8, type Native, nullable, text } from "@/server/platform/rows";

const derivedBuckets = 512;

/**
 * The message counts of a topic in equal intervals of the recording. `counted`: from every message; `sampled`: from the
 * samples of a field; `even`: the total spread evenly between the first and the last message.
 */
interface TopicDensity {
  topic: string;
  basis: "counted" | "sampled" | "even";
  counts: number[];
}

export interface Densities {
  /** The interval that all counts cover: nanoseconds since 1970 as decimal strings. */
  from: string;
  to: string;
  topics: TopicDensity[];
}

const topicRow = { name: text, message_count: int8, first_ns: nullable(int8), last_ns: nullable(int8) };
type TopicRow = Native<typeof topicRow>;
const seriesRow = { topic: text, kind: text, data: bytea };

/** An encoded series of a topic that tells when its messages were. */
interface Samples {
  kind: string;
  data: Uint8Array;
}

/** The densities of up to 100 topics of a recording. Throws `not_found`; topics the recording lacks are left out. */
export async function readDensities(ctx: Ctx, uid: string, input: DensityQuery): Promise<Densities> {
  const recording = await findRecording(ctx, uid);
  const from = BigInt(recording.start_ns ?? 0);
  const to = BigInt(recording.end_ns ?? 0);
  const rows = await query(
    ctx,
    topicRow,
    Prisma.sql`select t.name, t.message_count, t.first_ns, t.last_ns from topics t
      where t.recording_id = ${uid} and t.organization_id = ${ctx.organizationId} and t.name = any(${[...input.topics]})`,
  );
  const samples = await readStored(
    ctx,
    uid,
    (pack) => readPacked(pack, rows),
    () => readRows(ctx, uid, rows),
  );
  const topics = rows.map((row) => computeDensity(row, samples?.get(row.name) ?? null, from, to));
  return { from: String(from), to: String(to), topics };
}

/** Of recordings that were processed before densities were stored, the series with the most samples. */
async function readPacked(pack: SeriesPack, topics: readonly TopicRow[]): Promise<Map<string, Samples>> {
  const densities = topics.flatMap(({ name }) => {
    const fields = pack.index.get(name);
    const numbers = [...(fields?.values() ?? [])].filter(({ kind }) => kind === "number");
    return fields?.get(densityField) ?? numbers.toSorted((a, b) => b.count - a.count)[0] ?? [];
  });
  const read = await readWhole(pack, densities);
  return new Map(read.map(({ series, data }) => [series.topic, { kind: series.kind, data }]));
}

/** As `readPacked`. */
async function readRows(ctx: Ctx, uid: string, topics: readonly TopicRow[]): Promise<Map<string, Samples> | null> {
  const rows = await query(
    ctx,
    seriesRow,
    Prisma.sql`select t.name as topic, s.kind, s.data
      from topics t cross join lateral (
        select kind, data from series
        where recording_id = t.recording_id and topic = t.name and kind in ('density', 'number')
        order by (field = ${densityField}) desc, sample_count desc limit 1
      ) s
      where t.recording_id = ${uid} and t.organization_id = ${ctx.organizationId}
        and t.name = any(${topics.map(({ name }) => name)})`,
  );
  if (rows.length === 0) return null;
  const samples = new Map<string, Samples>();
  for (const { topic, kind, data } of rows) samples.set(topic, { kind, data: await unpack(data) });
  return samples;
}

function computeDensity(row: TopicRow, samples: Samples | null, from: bigint, to: bigint): TopicDensity {
  const topic = row.name;
  if (samples?.kind === "density") return { topic, basis: "counted", counts: decodeDensity(samples.data) };
  const counts = new Array<number>(derivedBuckets).fill(0);
  const width = Math.max(1, Number(to - from)) / derivedBuckets;
  const toBucket = (ns: bigint) => Math.max(0, Math.min(derivedBuckets - 1, Math.floor(Number(ns - from) / width)));
  if (samples) {
    const { points } = readSeries(samples.data, { from, to, points: derivedBuckets * 2 });
    for (const [time, , , , , count] of points) {
      const bucket = toBucket(time);
      counts[bucket] = (counts[bucket] ?? 0) + count;
    }
    return { topic, basis: "sampled", counts };
  }
  const [first, last] = [toBucket(row.first_ns ?? from), toBucket(row.last_ns ?? to)];
  const share = Number(row.message_count) / (last - first + 1);
  for (let at = first; at <= last; at++) counts[at] = share;
  return { topic, basis: "even", counts };
}
