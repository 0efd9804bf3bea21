import { maxCsvTopics, maxCutPictures, type CutFormat, type CutQuery } from "@/domain/cuts/schema";
import type { ByteSource } from "@/engine/formats/byte-source";
import type { TimeRange } from "@/engine/formats/chunk-reader";
import { isPictureSchema } from "@/engine/messages/pictures/picture-schemas";
import { openByteSources } from "@/server/features/recordings/file-service";
import { loadPack } from "@/server/features/recordings/pack-service";
import type { RecordingDetail } from "@/server/features/recordings/resource";
import { getRecording } from "@/server/features/recordings/service";
import type { Ctx } from "@/server/platform/context";
import { invalid } from "@/server/platform/errors";
import { displayName } from "@/server/platform/storage/file-name";

type Topic = RecordingDetail["topics"][number];

/** What is to be cut out of which recording. */
export interface Selection {
  recording: RecordingDetail;
  format: CutFormat;
  range: TimeRange;
  recorded: TimeRange;
  /** The topics in it; `all`: whether those are all of the recording. */
  topics: Topic[];
  all: boolean;
  fileName: string;
}

/** The recording's name, and where the range begins: `Night run 7 2026-01-02T03-04-05Z.mcap`. */
function nameFile({ recording, format, range, topics }: Omit<Selection, "fileName">): string {
  const began = new Date(Number(range.start / 1_000_000n)).toISOString().slice(0, 19).replaceAll(":", "-");
  const only = format === "csv" && topics.length === 1 ? topics[0] : undefined;
  const extension = format === "mcap" ? "mcap" : only ? "csv" : "zip";
  const of = only ? ` ${only.name.replaceAll("/", "_")}` : "";
  return displayName(`${(recording.name || recording.uid).replaceAll(/[\\/]/g, "_")} ${began}Z${of}.${extension}`);
}

/** Chooses the topics that a format can hold. Throws `invalid` when there is none, or too many. */
function chooseTopics(recording: RecordingDetail, input: CutQuery, format: CutFormat, share: number): Topic[] {
  const known = new Map(recording.topics.map((topic) => [topic.name, topic]));
  const named = input.topics?.flatMap((name) => known.get(name) ?? []) ?? recording.topics;
  if (named.length === 0) throw invalid("topics", "Name at least one topic.");
  if (format === "mcap") return named;
  if (format === "csv") {
    const readable = named.filter(({ fields }) => fields.length > 0);
    if (readable.length === 0) throw invalid("topics", "These topics have no fields that a table could hold.");
    if (readable.length <= maxCsvTopics) return readable;
    throw invalid("topics", `Name at most ${maxCsvTopics} topics; there would be ${readable.length} tables.`);
  }
  const cameras = named.filter(({ schema }) => isPictureSchema(schema));
  if (cameras.length === 0) throw invalid("topics", "None of these topics has pictures.");
  const pictures = cameras.reduce((sum, { message_count: count }) => sum + Number(count), 0) * share;
  if (pictures <= maxCutPictures) return cameras;
  throw invalid("to", `There would be about ${Math.round(pictures)} pictures; at most ${maxCutPictures} can be saved.`);
}

/** What a request asks for. Throws `not_found`, and `invalid` for what the recording does not hold. */
export async function select(ctx: Ctx, uid: string, input: CutQuery): Promise<Selection> {
  const recording = await getRecording(ctx, uid);
  const { start_ns: first, end_ns: last, topics: recordedTopics } = recording;
  const unknown = input.topics?.find((wanted) => !recordedTopics.some(({ name }) => name === wanted));
  if (unknown !== undefined) throw invalid("topics", `"${unknown.slice(0, 200)}" is not a topic of this recording.`);
  if (first === null || last === null || Number(recording.message_count) === 0)
    throw invalid([], "The recording holds no messages that could be read.");
  const recorded = { start: BigInt(first), end: BigInt(last) };
  const range = { start: input.from ?? recorded.start, end: input.to ?? recorded.end };
  if (range.start > recorded.end) throw invalid("from", "The recording ends before.");
  if (range.end < recorded.start) throw invalid("to", "The recording begins later.");
  if (range.start > range.end) throw invalid("to", "Must not be before `from`.");
  if (range.start < recorded.start) range.start = recorded.start;
  if (range.end > recorded.end) range.end = recorded.end;
  const format = input.format ?? "mcap";
  const share = Number(range.end - range.start + 1n) / Number(recorded.end - recorded.start + 1n);
  const topics = chooseTopics(recording, input, format, share);
  const selection = { recording, format, range, recorded, topics, all: input.topics === undefined };
  return { ...selection, fileName: nameFile(selection) };
}

/** The files of a recording and where their chunks lie. Throws as `loadPack`. */
export async function openFiles(ctx: Ctx, uid: string): Promise<{ pack: Uint8Array; sources: ByteSource[] }> {
  const { bytes: pack } = await loadPack(ctx, uid);
  return { pack, sources: await openByteSources(ctx, uid) };
}
