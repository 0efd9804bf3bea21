import { CutQuery } from "@/domain/cuts/schema";
import { issueMessage } from "@/domain/field-messages";
import { toIssues } from "@/domain/issues";
import { cutMcap, emptyReport, type CutReport } from "@/engine/cut/cut-mcap";
import type { ByteSource } from "@/engine/formats/byte-source";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import type { MergedReader } from "@/engine/formats/reader/merged-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { estimateSizes } from "@/server/features/cuts/estimate";
import { linkCut } from "@/server/features/cuts/link";
import { listPictures } from "@/server/features/cuts/pictures";
import type { CutSizes, RecordingCut } from "@/server/features/cuts/resource";
import { openFiles, select, type Selection } from "@/server/features/cuts/selection-service";
import { listTables, writeTable } from "@/server/features/cuts/tables";
import type { Ctx } from "@/server/platform/context";
import { invalid, invalidInput, notFound, ServiceError } from "@/server/platform/errors";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import { signalCompression } from "@/server/platform/files/signal-compression";
import { zipStream } from "@/server/platform/files/zip-stream";
import { takeSlot } from "@/server/platform/rate-limit/slots";
import { ObjectMissing } from "@/server/platform/storage/store";

/** Seconds after which a caller for whom there was no place may ask again. */
const retrySeconds = 10;
/** The number of zstd among the compressions of signals. */
const zstdCodec = 6;
/** Bytes that are made before a cut is answered: what goes wrong by then is a refusal, not a broken download. */
const firstBytes = 1024 * 1024;

/** A cut that is being made. */
export interface CutDownload {
  fileName: string;
  mediaType: string;
  /** Its first bytes; `complete`: these are all. */
  first: Uint8Array[];
  complete: boolean;
  /** The others. */
  rest: AsyncGenerator<Uint8Array>;
  /** Chunks that could not be read, as far as that is known by now. */
  damagedChunks: number;
  /** To be called once, when it ended in whatever way. */
  release: () => void;
}

/** Parses the query of an address. Throws `invalid`. */
export function parseCutQuery(search: URLSearchParams): CutQuery {
  const raw: Record<string, unknown> = {};
  for (const name of search.keys()) {
    const values = search.getAll(name);
    raw[name] = values.length === 1 ? values[0] : values;
  }
  const parsed = CutQuery.safeParse(raw, { error: issueMessage });
  if (!parsed.success) throw invalidInput(toIssues(parsed.error.issues));
  return parsed.data;
}

/** Takes a place among the cuts of the organization and of all; throws `throttled` when there is none. */
function takePlace(ctx: Ctx): () => void {
  const refuse = (detail: string) => new ServiceError("throttled", { detail, retryAfterSeconds: retrySeconds });
  const own = takeSlot("concurrent_cuts", ctx.organizationId);
  if (!own) throw refuse("Your organization downloads as many ranges as it may at the same time. Try again soon.");
  const total = takeSlot("concurrent_cuts_total", "all");
  if (total) {
    return () => {
      own();
      total();
    };
  }
  own();
  throw refuse("Too many ranges are being downloaded from this server. Try again soon.");
}

/** A reader of the recording, which finds what it needs by the pack. */
async function openReader(pack: Uint8Array, sources: readonly ByteSource[]): Promise<MergedReader> {
  const named = new Map(sources.map((source) => [source.id ?? "", source]));
  const opened = openPacked(pack, named, await recordingCodecs());
  if (opened === null) throw new Error("a pack of another version");
  return opened.reader;
}

async function writeCut(ctx: Ctx, selection: Selection, report: CutReport): Promise<AsyncGenerator<Uint8Array>> {
  const { recording, format, range, recorded, topics, all } = selection;
  const { pack, sources } = await openFiles(ctx, recording.uid);
  if (format === "csv") {
    const reader = await openReader(pack, sources);
    const [only] = topics;
    return topics.length === 1 && only ? writeTable(reader, only, range) : zipStream(listTables(reader, topics, range));
  }
  if (format === "pictures") {
    const names = topics.map(({ name }) => name);
    return zipStream(listPictures(await openReader(pack, sources), names, range));
  }
  const { codec, compress } = signalCompression();
  const names = topics.map(({ name }) => name);
  const about = new Map([
    ["recording", recording.uid],
    ["name", recording.name],
    ["device", recording.device_id],
    ["topics", all ? "" : JSON.stringify(names)],
  ]);
  const counts = new Map(recording.topics.map(({ name, message_count: count }) => [name, Number(count)]));
  const request = { ...range, topics: all ? null : new Set(names), recorded, counts, about };
  const host = { codecs: await recordingCodecs(), compress: codec === zstdCodec ? compress : null };
  const parts = cutMcap(pack, sources, host, request, report);
  if (parts === null) throw new Error("a pack of another version");
  return parts;
}

/** A range of a recording with all of its topics as an MCAP file, piece by piece. Throws as `openCut`, but for `throttled`. */
export async function cutRange(
  ctx: Ctx,
  uid: string,
  range: { from: bigint; to: bigint },
): Promise<AsyncGenerator<Uint8Array>> {
  return writeCut(ctx, await select(ctx, uid, { ...range, format: "mcap", topics: undefined }), emptyReport());
}

/**
 * Begins to cut a range out of a recording. Throws `not_found`, `invalid` for what the recording does not hold or cannot
 * be read, and `throttled` while too many others are made. The caller has to `release` it.
 */
export async function openCut(ctx: Ctx, uid: string, query: CutQuery): Promise<CutDownload> {
  const selection = await select(ctx, uid, query);
  const release = takePlace(ctx);
  const report = emptyReport();
  let parts: AsyncGenerator<Uint8Array> | null = null;
  try {
    parts = await writeCut(ctx, selection, report);
    const first: Uint8Array[] = [];
    let complete = false;
    for (let made = 0; made < firstBytes && !complete;) {
      const step = await parts.next();
      complete = step.done === true;
      if (step.done) continue;
      first.push(step.value);
      made += step.value.length;
    }
    const { fileName } = selection;
    const mediaType = fileName.endsWith(".csv")
      ? "text/csv; charset=utf-8"
      : fileName.endsWith(".zip")
        ? "application/zip"
        : "application/octet-stream";
    return { fileName, mediaType, first, complete, rest: parts, damagedChunks: report.damagedChunks, release };
  } catch (error) {
    release();
    await parts?.return(undefined);
    if (error instanceof ObjectMissing) throw notFound();
    if (error instanceof RecordingError) throw invalid([], error.message);
    throw error;
  }
}

/** A link by which a range can be downloaded. Throws `not_found` and `invalid` as `openCut`. */
export async function createCutLink(ctx: Ctx, uid: string, query: CutQuery): Promise<RecordingCut> {
  const { format, range, topics, all, fileName } = await select(ctx, uid, query);
  const signed = new URLSearchParams({ from: String(range.start), to: String(range.end), format });
  if (!all) signed.set("topics", topics.map(({ name }) => name).join(","));
  const { organizationId, actor } = ctx;
  const { url, expiresAt } = linkCut({ organizationId, uid, by: actor, query: signed });
  const sizes = await estimateCut(ctx, uid, query);
  const wanted = new Set(topics.map(({ name }) => name));
  const some = sizes.topics.filter(({ name }) => wanted.has(name)).reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    download_url: url,
    file_name: fileName,
    expires_at: expiresAt.toISOString(),
    estimated_bytes: all ? sizes.total_bytes : some,
  };
}

/** About how large a range is, in total and by topic. Throws `not_found` and `invalid` as `openCut`. */
export async function estimateCut(ctx: Ctx, uid: string, query: CutQuery): Promise<CutSizes> {
  const { range } = await select(ctx, uid, { ...query, format: "mcap", topics: undefined });
  const { pack, sources } = await openFiles(ctx, uid);
  try {
    return await estimateSizes(pack, sources, await recordingCodecs(), range);
  } catch (error) {
    if (error instanceof ObjectMissing) throw notFound();
    if (error instanceof RecordingError) throw invalid([], error.message);
    throw error;
  }
}
