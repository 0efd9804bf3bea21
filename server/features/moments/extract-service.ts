import pLimit from "p-limit";
import pMap from "p-map";
import type { ByteSource } from "@/engine/formats/byte-source";
import { openPacked } from "@/engine/formats/packed-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { UnreadableMessage } from "@/engine/messages/reading";
import { getDatasetByUid, getPrefix } from "@/server/features/datasets/service";
import type { NewItem } from "@/server/features/datasets/upload-service";
import { putClip } from "@/server/features/moments/clip-service";
import { toItemFile } from "@/server/features/moments/item-file";
import { baseOfKey, clipKey, frameKey, possibleKeys, storageName } from "@/server/features/moments/item-key";
import { Picker } from "@/server/features/moments/picker";
import { listPresent, toRate } from "@/server/features/moments/plan-service";
import { Extraction, MomentUndone, type Span } from "@/server/features/moments/progress-service";
import { withByteSources } from "@/server/features/recordings/file-service";
import { loadPack } from "@/server/features/recordings/pack-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { prisma } from "@/server/platform/db";
import { isServiceError } from "@/server/platform/errors";
import type { JobRun } from "@/server/platform/jobs/handler";
import { AttemptSuperseded } from "@/server/platform/jobs/queue";
import { recordingCodecs } from "@/server/platform/recording-codecs";
import { objectStore } from "@/server/platform/storage/current";
import { removeStored } from "@/server/platform/storage/removal";
import { ObjectMissing, storeConcurrency } from "@/server/platform/storage/store";

/** Frames that are encoded and stored before they become items together. */
const groupSize = 64;
/** Frames that are encoded at a time: a raw picture takes many times its bytes. Storing waits for the disk. */
const encodeConcurrency = 4;

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
    for (const span of await extraction.listSpans()) {
      await new SpanWork(ctx, extraction, span, prefix, run).extract();
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

/** A frame that may become an item. */
interface Frame {
  key: string;
  message: RawMessage;
}

/** What is stored and not yet committed. */
interface Pending {
  items: NewItem[];
  present: number;
  failed: number;
  reason: string;
  next: bigint;
}
const toNothing = (next: bigint): Pending => ({ items: [], present: 0, failed: 0, reason: "", next });

class SpanWork {
  private readonly decoders = new MessageDecoders();
  private readonly encoding = pLimit(encodeConcurrency);
  private pending: Pending;

  constructor(
    private readonly ctx: Ctx,
    private readonly extraction: Extraction,
    private readonly span: Span,
    private readonly prefix: string,
    private readonly run: JobRun,
  ) {
    this.pending = toNothing(span.from_ns);
  }

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
      await this.flush();
      await extraction.note(error instanceof RecordingError ? error.message : "The recording's files are gone.", 1);
    }
  }

  private async extractFrames(): Promise<void> {
    const { bytes } = await loadPack(this.ctx, this.span.recording_id);
    await withByteSources(this.ctx, this.span.recording_id, (files) => this.readFrames(bytes, files));
  }

  private async readFrames(pack: Uint8Array, files: readonly ByteSource[]): Promise<void> {
    const { span, extraction, run } = this;
    const named = new Map(files.map((file) => [file.id ?? "", file]));
    const opened = openPacked(pack, named, await recordingCodecs());
    if (opened === null) throw new RecordingError("The table of the recording's chunks is of another version.");
    const picker = new Picker(span.from_ns, toRate({ every_ms: extraction.everyMs, first: extraction.firstOnly }));
    const start = span.next_ns === null ? span.from_ns : picker.resumeAt(span.next_ns);
    const topics = new Set(span.topics);
    const missing = new Set(span.topics);
    const options = { topics, start, end: span.to_ns, signal: run.signal };
    // Payloads are views of their chunk: a group is stored before the next batch is asked for.
    for await (const batch of opened.reader.messages(options)) {
      const taken = batch.filter(({ channel, logTime }) => picker.takes(channel.topic, logTime));
      for (let at = 0; at < taken.length; at += groupSize) await this.store(taken.slice(at, at + groupSize));
      for (const { channel } of taken) missing.delete(channel.topic);
      if (extraction.firstOnly && missing.size === 0) break;
    }
    await this.flush();
  }

  private async store(messages: readonly RawMessage[]): Promise<void> {
    const { span, run } = this;
    run.signal.throwIfAborted();
    const keyed = messages.map((message): Frame => ({
      message,
      key: frameKey(span.recording_id, message.channel.topic, message.logTime),
    }));
    const present = new Set((await this.listPresent(keyed.flatMap(({ key }) => possibleKeys(key)))).map(baseOfKey));
    const added = keyed.filter(({ key }) => !present.has(key));
    const { pending } = this;
    await pMap(
      added,
      async (frame) => {
        try {
          pending.items.push(await this.storeFrame(frame));
        } catch (error) {
          if (!(error instanceof UnreadableMessage || error instanceof RecordingError)) throw error;
          pending.failed += 1;
          pending.reason ||= `${frame.message.channel.topic}: ${error.message}`;
        }
      },
      { concurrency: storeConcurrency },
    );
    pending.present += keyed.length - added.length;
    pending.next = messages.at(-1)?.logTime ?? pending.next;
    if (pending.items.length >= groupSize) await this.flush();
  }

  /** Makes items of what was stored since the last time. */
  private async flush(): Promise<void> {
    const { items, ...rest } = this.pending;
    this.pending = toNothing(rest.next);
    if (items.length + rest.present + rest.failed === 0) return;
    // Items of a dataset are listed by their uids, which are given in this order.
    items.sort((a, b) => Number((a.tNs ?? 0n) - (b.tNs ?? 0n)));
    await this.commit({ items, ...rest });
  }

  private async commit(result: Parameters<Extraction["addGroup"]>[1]): Promise<void> {
    try {
      await this.extraction.addGroup(this.span, result);
    } catch (error) {
      // What was stored meanwhile belongs to nobody.
      if (error instanceof MomentUndone)
        for (const { storageKey } of result.items) await removeStored(storageKey).catch(() => {});
      throw error;
    }
  }

  private listPresent = (keys: readonly string[]): Promise<string[]> =>
    listPresent(this.ctx, this.extraction.datasetId, keys);

  private async storeFrame({ key, message }: Frame): Promise<NewItem> {
    const { extension, bytes } = await this.encoding(() => toItemFile(this.decoders, message));
    const named = `${key}.${extension}`;
    const storageKey = `${this.prefix}${storageName(this.extraction.uid, named)}`;
    await objectStore().put(storageKey, new Blob([bytes]).stream(), bytes.length);
    return this.toItem({
      key: named,
      storageKey,
      sizeBytes: BigInt(bytes.length),
      topic: message.channel.topic,
      tNs: message.logTime,
    });
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
