import type { ByteSource } from "@/engine/formats/byte-source";
import { openPacked } from "@/engine/formats/packed/packed-reader";
import { RecordingError } from "@/engine/formats/recording-error";
import { isVideoSchema } from "@/engine/messages/pictures/picture-schemas";
import { getDatasetByUid, getPrefix } from "@/server/features/datasets/service";
import { FrameStore, type FrameLookups } from "@/server/features/moments/frame-store-service";
import { Picker } from "@/server/features/moments/picker";
import { toRate } from "@/server/features/moments/plan-service";
import { Extraction, MomentUndone, type Span } from "@/server/features/moments/progress-service";
import { relatesClouds, SensorReader } from "@/server/features/moments/sensor-facts";
import { VideoFrames } from "@/server/features/moments/video-frames";
import { withByteSources } from "@/server/features/recordings/file-service";
import { loadPack } from "@/server/features/recordings/pack-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { isServiceError } from "@/server/platform/errors";
import { recordingCodecs } from "@/server/platform/files/recording-codecs";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded } from "@/server/platform/jobs/queue";
import { ObjectMissing } from "@/server/platform/storage/store";

/**
 * Bytes of unpacked chunks, in which is looked up what frames depend on: pictures of video, transforms, calibrations.
 */
const lookupBytes = 64 * 1024 * 1024;

/**
 * Makes the items of an addition. What was made before a kill stays, and another attempt goes on where it ended: each item
 * is there once. Throws when the job should be retried.
 */
export async function extractMoment(organizationId: string, momentId: string, run: JobRun): Promise<void> {
  const ctx = systemContext(prisma, organizationId, "moments");
  const extraction = await Extraction.begin(ctx, momentId, run);
  if (extraction === null) return;
  try {
    const dataset = await getDatasetByUid(ctx, extraction.datasetId);
    const store = new FrameStore(ctx, extraction, await getPrefix(ctx, dataset, dataset.storage_config_uid), run);
    try {
      for (const spans of byRecording(await extraction.listSpans()))
        await new RecordingSpans(ctx, extraction, spans, store, run).extract();
      await store.flush();
    } finally {
      await store.settle();
    }
    await extraction.finish();
  } catch (error) {
    if (error instanceof MomentUndone) return;
    if (error instanceof AttemptSuperseded || run.signal.aborted || !run.lastAttempt) throw error;
    run.log.error({ err: error, moment: momentId }, "moments could not be extracted in the last attempt");
    await extraction.fail(isServiceError(error) ? error.text() : "The moments could not be extracted. Add them again.");
  }
}

/** Ends an addition with what was made so far and a reason, without reading a recording. */
export async function refuseMoment(
  { organizationId, momentId }: { organizationId: string; momentId: string },
  run: JobRun,
  reason: string,
): Promise<void> {
  const extraction = await Extraction.begin(systemContext(prisma, organizationId, "moments"), momentId, run);
  try {
    await extraction?.fail(reason);
  } catch (error) {
    if (!(error instanceof MomentUndone)) throw error;
  }
}

/** Neighbouring ranges of one recording, which is opened once for them. */
function byRecording(spans: readonly Span[]): [Span, ...Span[]][] {
  const runs: [Span, ...Span[]][] = [];
  for (const span of spans) {
    const last = runs.at(-1);
    if (last?.[0].recording_id === span.recording_id) last.push(span);
    else runs.push([span]);
  }
  return runs;
}

/** A recording as it is read for its ranges. */
interface Opened {
  reader: NonNullable<ReturnType<typeof openPacked>>["reader"];
  /** Where pictures of video are looked up, beside the reading of the range. */
  findVideo: () => VideoFrames | null;
  /** Where clouds and cameras were, for ranges that have both. */
  findSensors: (topics: ReadonlySet<string>) => SensorReader | null;
}

/** Ranges of one recording. */
class RecordingSpans {
  private readonly recordingId: string;

  constructor(
    private readonly ctx: Ctx,
    private readonly extraction: Extraction,
    private readonly spans: readonly [Span, ...Span[]],
    private readonly store: FrameStore,
    private readonly run: JobRun,
  ) {
    this.recordingId = spans[0].recording_id;
  }

  /** Extracts what is left of the ranges; notes why where the recording is gone or cannot be read. */
  async extract(): Promise<void> {
    const framed = this.spans.filter(({ topics }) => topics.length > 0);
    const read = new Set<Span>();
    try {
      if (framed.length > 0) {
        const { bytes } = await loadPack(this.ctx, this.recordingId);
        await withByteSources(this.ctx, this.recordingId, async (files) => {
          const opened = await this.open(bytes, files);
          for (const span of framed) {
            await this.orNote(span, () => this.readFrames(span, opened));
            read.add(span);
          }
        });
      }
    } catch (error) {
      const reason = this.reasonOf(error);
      for (const span of framed.filter((each) => !read.has(each))) await this.store.fail(span, reason);
    }
    for (const span of this.spans) {
      if (this.extraction.clip) await this.orNote(span, () => this.store.addClip(span));
      await this.store.end(span);
    }
  }

  private async open(pack: Uint8Array, files: readonly ByteSource[]): Promise<Opened> {
    const named = new Map(files.map((file) => [file.id ?? "", file]));
    const codecs = await recordingCodecs();
    const opened = openPacked(pack, named, codecs);
    if (opened === null) throw new RecordingError("The table of the recording's chunks is of another version.");
    const { decoders } = this.store;
    const openLookup = () => openPacked(pack, named, codecs, lookupBytes)?.chunks ?? null;
    const openVideo = () => {
      const chunks = openLookup();
      return chunks && new VideoFrames(chunks, decoders, this.run.signal);
    };
    const definitions = opened.files.flatMap((file) => file.definitions);
    const openSensors = () => {
      const chunks = openLookup();
      return chunks && new SensorReader(chunks, decoders, definitions);
    };
    let video: VideoFrames | null = null;
    let sensors: SensorReader | null = null;
    return {
      reader: opened.reader,
      findVideo: () => (video ??= openVideo()),
      findSensors: (topics) => (relatesClouds(definitions, topics) ? (sensors ??= openSensors()) : null),
    };
  }

  private async readFrames(span: Span, { reader, findVideo, findSensors }: Opened): Promise<void> {
    const { extraction, run } = this;
    const picker = new Picker(span.from_ns, toRate({ every_ms: extraction.everyMs, first: extraction.firstOnly }));
    const start = span.next_ns === null ? span.from_ns : picker.resumeAt(span.next_ns);
    const topics = new Set(span.topics);
    const missing = new Set(span.topics);
    const sensors = findSensors(topics);
    let looksUp = sensors !== null;
    try {
      for await (const batch of reader.messages({ topics, start, end: span.to_ns, signal: run.signal })) {
        for (const message of batch) {
          const { topic, schemaName } = message.channel;
          if (!picker.takes(topic, message.logTime)) continue;
          missing.delete(topic);
          const lookups: FrameLookups = { sensors, video: isVideoSchema(schemaName) ? findVideo() : null };
          looksUp ||= lookups.video !== null;
          await this.store.add(span, message, lookups);
        }
        if (extraction.firstOnly && missing.size === 0) break;
      }
    } finally {
      // While the files are open, in which frames are looked up.
      if (looksUp) await this.store.flush();
    }
  }

  private async orNote(span: Span, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.store.fail(span, this.reasonOf(error));
    }
  }

  /** Why a range cannot be read. Throws what has another cause. */
  private reasonOf(error: unknown): string {
    const { store, run } = this;
    run.signal.throwIfAborted();
    const isRefused = isServiceError(error) && error.code !== "unavailable"; // which another attempt may find otherwise
    const isGone = error instanceof ObjectMissing || error instanceof RecordingError || isRefused;
    if (!isGone || store.hasFailed) throw error;
    run.log.warn({ err: error, recording: this.recordingId }, "a moment could not be read");
    return error instanceof RecordingError ? error.message : "The recording's files are gone.";
  }
}
