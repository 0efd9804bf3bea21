import { maxMomentFrames, type FrameKind, type MomentRange } from "@/domain/moments/schema";
import { nsPerMs } from "@/domain/time/nanoseconds";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { ChunkRef, IndexedFile } from "@/engine/formats/indexed-file";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { getKind, isFrameKind } from "@/server/features/moments/item-file";
import { baseOfKey, clipKey, frameKey, possibleKeys } from "@/server/features/moments/item-key";
import { Picker, type Rate } from "@/server/features/moments/picker";
import type { MomentPreview } from "@/server/features/moments/resource";
import { readDensities } from "@/server/features/recordings/density-queries";
import { withByteSources } from "@/server/features/recordings/file-service";
import { loadPack } from "@/server/features/recordings/pack-service";
import type { RecordingDetail } from "@/server/features/recordings/resource";
import { getRecording } from "@/server/features/recordings/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { int4, text } from "@/server/platform/rows";
import { ObjectMissing } from "@/server/platform/storage/store";

/** Bytes of a recording's files that are read to count frames exactly; a longer range is estimated. */
const maxReadBytes = 48 * 1024 * 1024;
/** Other topics that a preview names. */
const maxOthers = 200;
/** Topics that are taken where none is named. */
const maxTopics = 100;
/** Topics whose density may be asked for together. */
const maxDensities = 100;

type Topic = RecordingDetail["topics"][number];

/** The frames that a range has of a topic at a rate. */
interface Frames {
  count: number;
  bytes: number;
  /** Their times; null where they are estimated. */
  times: bigint[] | null;
}

/** What of a range becomes items. */
export interface MomentPlan {
  recording: RecordingDetail;
  from: bigint;
  to: bigint;
  /** The chosen topics. */
  topics: string[];
  frames: Map<string, Frames>;
  exact: boolean;
  clip: boolean;
}

export const toRate = ({ every_ms: everyMs, first }: { every_ms: number; first: boolean }): Rate => ({
  everyNs: BigInt(everyMs) * nsPerMs,
  first,
});

/** Reads a recording whose messages can be read. Throws `invalid("recording_id")`. */
async function readRecording(ctx: Ctx, uid: string): Promise<RecordingDetail & { start_ns: string; end_ns: string }> {
  const recording = await getRecording(ctx, uid);
  if (recording.status !== "ready" && recording.status !== "archived")
    throw invalid("recording_id", `The recording is ${recording.status}; only what was processed can be added.`);
  const { start_ns: start, end_ns: end } = recording;
  if (start === null || end === null || Number(recording.message_count) === 0)
    throw invalid("recording_id", "The recording holds no messages that could be read.");
  return { ...recording, start_ns: start, end_ns: end };
}

/** Throws `invalid("topics")` for names that the recording lacks or that no items can be made of. */
function chooseTopics(recording: RecordingDetail, input: MomentRange): Topic[] {
  if (input.topics === undefined) {
    if (input.clip) return [];
    const ofKind = (kind: FrameKind) => recording.topics.filter(({ schema }) => getKind(schema) === kind);
    const cameras = ofKind("image");
    return (cameras.length > 0 ? cameras : ofKind("points")).slice(0, maxTopics);
  }
  const known = new Map(recording.topics.map((topic) => [topic.name, topic]));
  return input.topics.map((name) => {
    const topic = known.get(name);
    if (!topic) throw invalid("topics", `"${name.slice(0, 200)}" is not a topic of this recording.`);
    if (!isFrameKind(getKind(topic.schema)))
      throw invalid("topics", `Messages of "${name.slice(0, 200)}" are no pictures or point clouds.`);
    return topic;
  });
}

/**
 * What of a range becomes items: which frames, where that can be read quickly, else about how many. `all` counts the frames
 * of every topic that has any. Throws `not_found`, and `invalid` for what the recording does not hold.
 */
export async function planMoment(ctx: Ctx, input: MomentRange, all: boolean): Promise<MomentPlan> {
  const recording = await readRecording(ctx, input.recording_id);
  const [start, end] = [BigInt(recording.start_ns), BigInt(recording.end_ns)];
  if (input.from > input.to) throw invalid("to", "Must not be before `from`.");
  if (input.from > end) throw invalid("from", "The recording ends before.");
  if (input.to < start) throw invalid("to", "The recording begins later.");
  const range = { start: input.from < start ? start : input.from, end: input.to > end ? end : input.to };
  const chosen = chooseTopics(recording, input);
  const counted = all ? recording.topics.filter(({ schema }) => isFrameKind(getKind(schema))) : chosen;
  const names = counted.map(({ name }) => name);
  const rate = toRate(input);
  const exact = await readFrames(ctx, recording.uid, names, range, rate);
  return {
    recording,
    from: range.start,
    to: range.end,
    topics: chosen.map(({ name }) => name),
    frames: exact ?? (await estimateFrames(ctx, recording, names, range, rate)),
    exact: exact !== null,
    clip: input.clip,
  };
}

interface Range {
  start: bigint;
  end: bigint;
}

/** The frames of topics within a range by their messages; null when too much would have to be read. */
async function readFrames(
  ctx: Ctx,
  recordingId: string,
  topics: readonly string[],
  range: Range,
  rate: Rate,
): Promise<Map<string, Frames> | null> {
  if (topics.length === 0) return new Map();
  try {
    const { bytes } = await loadPack(ctx, recordingId);
    return await withByteSources(ctx, recordingId, async (sources) => {
      const files = await openFiles(bytes, sources);
      const wanted = new Set(topics);
      const chunks = files.flatMap((file) => listChunks(file, wanted, range));
      if (chunks.reduce((sum, chunk) => sum + chunk.length, 0) > maxReadBytes) return null;
      const found = await listMessages(chunks, wanted, range);
      return new Map(topics.map((topic) => [topic, pick(topic, found.get(topic) ?? [], range.start, rate)]));
    });
  } catch (error) {
    if (error instanceof ObjectMissing) throw invalid("recording_id", "A file of the recording is missing.");
    if (error instanceof RecordingError) throw invalid("recording_id", error.message);
    throw error;
  }
}

async function openFiles(pack: Uint8Array, sources: readonly ByteSource[]): Promise<IndexedFile[]> {
  const named = new Map(sources.map((source) => [source.id ?? "", source]));
  const opened = openPacked(pack, named, await recordingCodecs());
  if (opened === null) throw new RecordingError("The table of the recording's chunks is of another version.");
  return opened.files;
}

function listChunks(file: IndexedFile, topics: ReadonlySet<string>, { start, end }: Range): ChunkRef[] {
  const slots = new Set(file.definitions.flatMap(({ topic }, slot) => (topics.has(topic) ? [slot] : [])));
  if (slots.size === 0) return [];
  return file.chunks.filter(
    (chunk) =>
      chunk.startTime <= chunk.endTime &&
      chunk.startTime <= end &&
      chunk.endTime >= start &&
      (chunk.slots === null || [...slots].some((slot) => chunk.slots?.has(slot))),
  );
}

interface Found {
  time: bigint;
  bytes: number;
}

async function listMessages(
  chunks: readonly ChunkRef[],
  topics: ReadonlySet<string>,
  { start, end }: Range,
): Promise<Map<string, Found[]>> {
  const found = new Map<string, Found[]>();
  for (const chunk of chunks) {
    const { definitions } = chunk.file;
    const slots = definitions.map(({ topic }) => topics.has(topic));
    const table = await chunk.file.load(chunk, { slots, start, end }, false);
    for (let row = 0; row < table.count; row++) {
      const topic = definitions[table.slot(row)]?.topic ?? "";
      const list = found.get(topic) ?? [];
      list.push({ time: table.time(row), bytes: table.length(row) });
      found.set(topic, list);
    }
  }
  return found;
}

function pick(topic: string, messages: Found[], from: bigint, rate: Rate): Frames {
  messages.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  const picker = new Picker(from, rate);
  const taken = messages.filter(({ time }) => picker.takes(topic, time));
  return {
    count: taken.length,
    bytes: taken.reduce((sum, { bytes }) => sum + bytes, 0),
    times: taken.map(({ time }) => time),
  };
}

/** About how many frames a range has, by the density of messages over the recording. */
async function estimateFrames(
  ctx: Ctx,
  recording: RecordingDetail,
  topics: readonly string[],
  range: Range,
  rate: Rate,
): Promise<Map<string, Frames>> {
  const densities = await readDensities(ctx, recording.uid, { topics: topics.slice(0, maxDensities) });
  const [from, to] = [BigInt(densities.from), BigInt(densities.to)];
  const whole = Number(to - from) + 1;
  // Most of a recording's bytes are its pictures and clouds: they are shared out evenly.
  const messages = recording.topics
    .filter(({ schema }) => isFrameKind(getKind(schema)))
    .reduce((sum, topic) => sum + Number(topic.message_count), 0);
  const each = Number(recording.size_bytes) / Math.max(1, messages);
  return new Map(
    densities.topics.map(({ topic, counts }) => {
      const width = whole / counts.length;
      const total = counts.reduce((sum, count, at) => {
        const [left, right] = [at * width, (at + 1) * width];
        const [begin, finish] = [Number(range.start - from), Number(range.end - from) + 1];
        const shared = Math.min(right, finish) - Math.max(left, begin);
        return shared > 0 ? sum + (count * shared) / width : sum;
      }, 0);
      const count = Math.ceil(Math.min(total, countSteps(range, rate)));
      return [topic, { count, bytes: Math.round(count * each), times: null }];
    }),
  );
}

/** The most frames that a rate takes of a topic. */
export function countSteps({ start, end }: Range, { everyNs, first }: Rate): number {
  if (first) return 1;
  return everyNs === 0n ? Infinity : Number((end - start) / everyNs) + 1;
}

/** Frames of the chosen topics, and the clip. */
export function countPlanned({ topics, frames, clip }: MomentPlan): number {
  return topics.reduce((sum, topic) => sum + (frames.get(topic)?.count ?? 0), 0) + (clip ? 1 : 0);
}

/** How many of the planned items a dataset has already. */
export async function countPresent(ctx: Ctx, plan: MomentPlan, datasetId: string): Promise<number> {
  const { recording, topics, frames, clip } = plan;
  const clips = clip ? [clipKey(recording.uid, plan)] : [];
  const bases = topics.flatMap((topic) =>
    (frames.get(topic)?.times ?? []).map((time) => frameKey(recording.uid, topic, time)),
  );
  const [present, presentClips] = [
    await listPresent(ctx, datasetId, bases.flatMap(possibleKeys)),
    await listPresent(ctx, datasetId, clips),
  ];
  const known = new Set(present.map(baseOfKey));
  if (plan.exact) return bases.filter((base) => known.has(base)).length + presentClips.length;
  const [row] = await query(
    ctx,
    { count: int4 },
    Prisma.sql`select count(*)::int as count from items i where i.dataset_id = ${datasetId}
      and i.organization_id = ${ctx.organizationId} and i.recording_id = ${recording.uid} and i.t_ns between ${plan.from} and ${plan.to}
      and i.metadata->'source'->>'topic' = any(${topics})`,
  );
  return Math.min(row?.count ?? 0, countPlanned(plan)) + presentClips.length;
}

/** The keys among these that a dataset has. */
export async function listPresent(ctx: Ctx, datasetId: string, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await query(
    ctx,
    { key: text },
    Prisma.sql`select i.key from items i where i.dataset_id = ${datasetId} and i.organization_id = ${ctx.organizationId}
      and i.key = any(${[...keys]})`,
  );
  return rows.map(({ key }) => key);
}

/** What adding a range would bring to a dataset. Throws as `planMoment`. */
export async function describePlan(ctx: Ctx, plan: MomentPlan, datasetId: string | null): Promise<MomentPreview> {
  const { recording, topics, frames, exact, clip } = plan;
  const planned = countPlanned(plan);
  const tooMany = planned > maxMomentFrames;
  const share =
    Number(plan.to - plan.from + 1n) / (Number(BigInt(recording.end_ns ?? 0) - BigInt(recording.start_ns ?? 0)) + 1);
  const clipBytes = clip ? Math.round(Number(recording.size_bytes) * Math.min(1, share)) : 0;
  const described = recording.topics.map((topic) => {
    const { count = 0, bytes = 0, times = null } = frames.get(topic.name) ?? {};
    const sample = times?.[Math.floor(times.length / 2)];
    return {
      name: topic.name,
      schema: topic.schema,
      kind: getKind(topic.schema),
      hz: topic.frequency_hz,
      frames: count,
      bytes,
      sample_ns: sample === undefined ? (count > 0 ? String((plan.from + plan.to) / 2n) : null) : String(sample),
    };
  });
  const framed = described.filter(({ kind }) => isFrameKind(kind));
  return {
    topics: [...framed, ...described.filter(({ kind }) => !isFrameKind(kind)).slice(0, maxOthers)],
    frames: planned,
    bytes: topics.reduce((sum, topic) => sum + (frames.get(topic)?.bytes ?? 0), clipBytes),
    present: datasetId === null || tooMany ? 0 : await countPresent(ctx, plan, datasetId),
    exact,
    refused: tooMany ? "too_many" : null,
    max_frames: maxMomentFrames,
  };
}
