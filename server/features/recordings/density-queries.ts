import type { DensityQuery } from "@/domain/recordings/schema";
import { decodeDensity, densityField } from "@/engine/signals/density";
import { readSeries } from "@/engine/signals/series";
import { unpack } from "@/server/features/recordings/packed-series";
import { findRecording } from "@/server/features/recordings/service";
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

const recordingRow = {
  name: text,
  message_count: int8,
  first_ns: nullable(int8),
  last_ns: nullable(int8),
  kind: nullable(text),
  data: nullable(bytea),
};
type Row = Native<typeof recordingRow>;

/** The densities of up to 100 topics of a recording. Throws `not_found`; topics the recording lacks are left out. */
export async function readDensities(ctx: Ctx, uid: string, input: DensityQuery): Promise<Densities> {
  const recording = await findRecording(ctx, uid);
  const from = BigInt(recording.start_ns ?? 0);
  const to = BigInt(recording.end_ns ?? 0);
  // Recordings processed before densities were stored use the series with the most samples.
  const rows = await query(
    ctx,
    recordingRow,
    Prisma.sql`select t.name, t.message_count, t.first_ns, t.last_ns, s.kind, s.data
      from topics t left join lateral (
        select kind, data from series
        where recording_id = t.recording_id and topic = t.name and kind in ('density', 'number')
        order by (field = ${densityField}) desc, sample_count desc limit 1
      ) s on true
      where t.recording_id = ${uid} and t.organization_id = ${ctx.organizationId} and t.name = any(${[...input.topics]})`,
  );
  const topics = await Promise.all(rows.map((row) => computeDensity(row, from, to)));
  return { from: String(from), to: String(to), topics };
}

async function computeDensity(row: Row, from: bigint, to: bigint): Promise<TopicDensity> {
  const topic = row.name;
  if (row.kind === "density" && row.data)
    return { topic, basis: "counted", counts: decodeDensity(await unpack(row.data)) };
  const counts = new Array<number>(derivedBuckets).fill(0);
  const width = Math.max(1, Number(to - from)) / derivedBuckets;
  const toBucket = (ns: bigint) => Math.max(0, Math.min(derivedBuckets - 1, Math.floor(Number(ns - from) / width)));
  if (row.data) {
    for (const [time, , , , , count] of readSeries(await unpack(row.data), { from, to, points: derivedBuckets * 2 })
      .points) {
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
