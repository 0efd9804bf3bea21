import pLimit from "p-limit";
import pMap from "p-map";
import type { ByteSource } from "@/engine/formats/byte-source";
import { openPacked } from "@/engine/formats/packed-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { isVideoSchema } from "@/engine/messages/picture-schemas";
import { UnreadableMessage } from "@/engine/messages/reading";
import { getDatasetByUid, getPrefix } from "@/server/features/datasets/service";
import type { NewItem } from "@/server/features/datasets/upload-service";
import { putClip } from "@/server/features/moments/clip-service";
import { toItemFile, type ItemFile } from "@/server/features/moments/item-file";
import { baseOfKey, clipKey, frameKey, possibleKeys, storageName } from "@/server/features/moments/item-key";
import { OrderedGroups } from "@/server/features/moments/ordered-groups";
import { Picker } from "@/server/features/moments/picker";
import { listPresent, toRate } from "@/server/features/moments/plan-service";
import { Extraction, MomentUndone, type Span } from "@/server/features/moments/progress-service";
import { VideoFrames } from "@/server/features/moments/video-frames";
import { withByteSources } from "@/server/features/recordings/file-service";
import { loadPack } from "@/server/features/recordings/pack-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { isServiceError } from "@/server/platform/errors";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded } from "@/server/platform/jobs/queue";
import { recordingCodecs } from "@/server/platform/recording-codecs";
import { toByteStream } from "@/server/platform/storage/byte-stream";
import { objectStore } from "@/server/platform/storage/current";
import { removeStored } from "@/server/platform/storage/removal";
import { ObjectMissing, storeConcurrency } from "@/server/platform/storage/store";

/** Frames that are encoded at a time: a raw picture takes many times its bytes. Storing waits for the disk. */
const encodeConcurrency = 4;
/** Of unpacked chunks, in which the pictures are looked up that one of a video depends on. */
const videoBytes = 64 * 1024 * 1024;

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
    const prefix = await getPrefix(ctx, dataset, dataset.storage_config_uid);
    const packs = new LastPack(ctx);
    for (const span of await extraction.listSpans()) {
      await new SpanWork(ctx, extraction, span, prefix, packs, run).extract();
      await extraction.finishSpan(span);
    }
    await extraction.finish();
  } catch (error) {
    if (error instanceof MomentUndone) return;
    if (error instanceof AttemptSuperseded || run.signal.aborted || !run.lastAttempt) throw error;
    run.log.error({ err: error, moment: momentId }, "moments could not be extracted in the last attempt");
    await extraction.fail(isServiceError(error) ? error.text() : "The moments could not be extracted. Add them again.");
  }
}

/** The table of chunks of the recording that was read last: many moments may lie in one. */
class LastPack {
  private held: { recordingId: string; bytes: Uint8Array } | null = null;

  constructor(private readonly ctx: Ctx) {}

  async load(recordingId: string): Promise<Uint8Array> {
    if (this.held?.recordingId !== recordingId)
      this.held = { recordingId, bytes: (await loadPack(this.ctx, recordingId)).bytes };
    return this.held.bytes;
  }
}

/** A frame that may become an item. */
interface Frame {
  key: string;
  message: RawMessage;
}

/** A group of frames that is stored and not yet committed. */
type Stored = Parameters<Extraction["addGroup"]>[1];

class SpanWork {
  private readonly decoders = new MessageDecoders();
  private readonly encoding = pLimit(encodeConcurrency);
  /** Where pictures of video are looked up, beside the reading of the range. */
  private video: VideoFrames | null = null;
  private openVideo: () => VideoFrames | null = () => null;
  private readonly groups = new OrderedGroups<Frame, Stored>({
    store: (frames) => this.store(frames),
    commit: (stored) => this.commit(stored),
    abandon: (stored, error) => this.abandon(stored, error),
  });

  constructor(
    private readonly ctx: Ctx,
    private readonly extraction: Extraction,
    private readonly span: Span,
    private readonly prefix: string,
    private readonly packs: LastPack,
    private readonly run: JobRun,
  ) {}

  /** Extracts what is left of a range; notes why where the recording is gone or cannot be read. */
  async extract(): Promise<void> {
    const { span, extraction, run } = this;
    try {
      if (span.topics.length > 0) await this.extractFrames();
      if (extraction.clip) await this.extractClip();
    } catch (error) {
      run.signal.throwIfAborted();
      const isGone = error instanceof ObjectMissing || error instanceof RecordingError || isServiceError(error);
      if (!isGone || error instanceof MomentUndone) throw error;
      run.log.warn({ err: error, recording: span.recording_id }, "a moment could not be read");
      await extraction.note(error instanceof RecordingError ? error.message : "The recording's files are gone.", 1);
    } finally {
      await this.groups.settle();
    }
  }

  private async extractFrames(): Promise<void> {
    const bytes = await this.packs.load(this.span.recording_id);
    await withByteSources(this.ctx, this.span.recording_id, (files) => this.readFrames(bytes, files));
  }

  private async readFrames(pack: Uint8Array, files: readonly ByteSource[]): Promise<void> {
    const { span, extraction, run } = this;
    const named = new Map(files.map((file) => [file.id ?? "", file]));
    const codecs = await recordingCodecs();
    const opened = openPacked(pack, named, codecs);
    if (opened === null) throw new RecordingError("The table of the recording's chunks is of another version.");
    this.openVideo = () => {
      const video = openPacked(pack, named, codecs, videoBytes);
      return video && new VideoFrames(video.chunks, this.decoders, run.signal);
    };
    const picker = new Picker(span.from_ns, toRate({ every_ms: extraction.everyMs, first: extraction.firstOnly }));
    const start = span.next_ns === null ? span.from_ns : picker.resumeAt(span.next_ns);
    const topics = new Set(span.topics);
    const missing = new Set(span.topics);
    const options = { topics, start, end: span.to_ns, signal: run.signal };
    try {
      for await (const batch of opened.reader.messages(options)) {
        for (const message of batch) {
          const { channel, logTime, data } = message;
          if (!picker.takes(channel.topic, logTime)) continue;
          missing.delete(channel.topic);
          // A payload is a view of its chunk, and the next one is read while this one is stored.
          const key = frameKey(span.recording_id, channel.topic, logTime);
          await this.groups.add({ key, message: { ...message, data: new Uint8Array(data) } }, data.length);
        }
        if (extraction.firstOnly && missing.size === 0) break;
      }
    } finally {
      // Also what came before a part that cannot be read; and while the files are open, which pictures of video need.
      await this.groups.flush();
    }
  }

  private async store(frames: readonly Frame[]): Promise<Stored> {
    const { span, run } = this;
    run.signal.throwIfAborted();
    const present = new Set((await this.listPresent(frames.flatMap(({ key }) => possibleKeys(key)))).map(baseOfKey));
    // What an attempt before this one committed is counted already.
    const isCounted = ({ message }: Frame) => span.next_ns !== null && message.logTime <= span.next_ns;
    const added = frames.filter(({ key }) => !present.has(key));
    const stored = { items: [] as NewItem[], failed: 0, reason: "" };
    await pMap(
      added,
      async (frame) => {
        try {
          stored.items.push(await this.storeFrame(frame));
        } catch (error) {
          if (!(error instanceof UnreadableMessage || error instanceof RecordingError)) throw error;
          if (isCounted(frame)) return;
          stored.failed += 1;
          stored.reason ||= `${frame.message.channel.topic}: ${error.message}`;
        }
      },
      { concurrency: storeConcurrency },
    );
    // Items of a dataset are listed by their uids, which are given in this order.
    stored.items.sort((a, b) => Number((a.tNs ?? 0n) - (b.tNs ?? 0n)));
    return {
      ...stored,
      present: frames.filter((frame) => present.has(frame.key) && !isCounted(frame)).length,
      next: frames.at(-1)?.message.logTime ?? span.from_ns,
    };
  }

  /** Makes items of what was stored. */
  private async commit(stored: Stored): Promise<void> {
    try {
      await this.extraction.addGroup(this.span, stored);
    } catch (error) {
      await this.abandon(stored, error);
      throw error;
    }
  }

  /** What was stored while the addition was undone belongs to nobody; another attempt stores all else again. */
  private async abandon({ items }: Stored, error: unknown): Promise<void> {
    if (!(error instanceof MomentUndone)) return;
    for (const { storageKey } of items) await removeStored(storageKey).catch(() => {});
  }

  private listPresent = (keys: readonly string[]): Promise<string[]> =>
    listPresent(this.ctx, this.extraction.datasetId, keys);

  private async storeFrame({ key, message }: Frame): Promise<NewItem> {
    const { extension, bytes } = await this.encoding(() => this.toFile(message));
    const named = `${key}.${extension}`;
    const storageKey = `${this.prefix}${storageName(this.extraction.uid, named)}`;
    await objectStore().put(storageKey, toByteStream(bytes), bytes.length);
    return this.toItem({
      key: named,
      storageKey,
      sizeBytes: BigInt(bytes.length),
      topic: message.channel.topic,
      tNs: message.logTime,
    });
  }

  private toFile(message: RawMessage): Promise<ItemFile> {
    if (!isVideoSchema(message.channel.schemaName)) return toItemFile(this.decoders, message);
    this.video ??= this.openVideo();
    return this.video?.toFile(message) ?? toItemFile(this.decoders, message);
  }

  private toItem(file: Pick<NewItem, "key" | "storageKey" | "sizeBytes"> & { topic: string; tNs: bigint }): NewItem {
    const { span, extraction } = this;
    const { topic, tNs, ...rest } = file;
    const source = {
      device_id: span.device_id,
      device_name: span.device_name,
      recording_id: span.recording_id,
      ...(topic !== "" && { topic }),
      t_ns: String(tNs),
      ...(span.alert_id !== null && { alert_id: span.alert_id }),
      ...(span.event_id !== null && { event_id: span.event_id }),
      ...(span.rule_id !== null && { rule_id: span.rule_id }),
      moment_id: extraction.uid,
    };
    return {
      ...rest,
      tNs,
      recordingId: span.recording_id,
      momentId: extraction.uid,
      addedById: extraction.createdById,
      metadata: { source },
    };
  }

  private async extractClip(): Promise<void> {
    const { span, extraction, run } = this;
    const range = { from: span.from_ns, to: span.to_ns };
    const key = clipKey(span.recording_id, range);
    const next = span.to_ns;
    if ((await this.listPresent([key])).length > 0)
      return this.commit({ items: [], present: 1, failed: 0, reason: "", next });
    const storageKey = `${this.prefix}${storageName(extraction.uid, key)}`;
    const sizeBytes = await putClip(this.ctx, span.recording_id, range, { storageKey, momentId: extraction.uid }, run);
    const item = this.toItem({ key, storageKey, sizeBytes, topic: "", tNs: span.from_ns });
    await this.commit({ items: [item], present: 0, failed: 0, reason: "", next });
  }
}
