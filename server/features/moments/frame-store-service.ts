import pLimit from "p-limit";
import pMap from "p-map";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { UnreadableMessage } from "@/engine/messages/reading";
import type { NewItem } from "@/server/features/datasets/upload-service";
import { putClip } from "@/server/features/moments/clip-service";
import { toItemFile, type ItemFile } from "@/server/features/moments/item-file";
import { baseOfKey, clipKey, frameKey, possibleKeys, storageName } from "@/server/features/moments/item-key";
import { OrderedGroups } from "@/server/features/moments/ordered-groups";
import { listPresent } from "@/server/features/moments/plan-service";
import { MomentUndone, type Extraction, type Group, type Span } from "@/server/features/moments/progress-service";
import type { SensorFacts, SensorReader } from "@/server/features/moments/sensor-facts";
import type { VideoFrames } from "@/server/features/moments/video-frames";
import type { Ctx } from "@/server/platform/context";
import type { JobRun } from "@/server/platform/jobs/handler";
import { toByteStream } from "@/server/platform/storage/byte-stream";
import { objectStore } from "@/server/platform/storage/current";
import { removeStored } from "@/server/platform/storage/removal";
import { storeConcurrency } from "@/server/platform/storage/store";

/** Frames that are encoded at a time: a raw picture takes many times its bytes. Storing waits for the disk. */
const encodeConcurrency = 4;

/** Where that is looked up which the message of a frame does not hold. */
export interface FrameLookups {
  /** The picture of a message of video. */
  video: VideoFrames | null;
  /** Where a sensor was, and how it sees. */
  sensors: SensorReader | null;
}

/** What happens to ranges, in this order: a frame that may become an item, a reason why none can, an end. */
type Step = { span: Span } & (
  | { is: "frame"; key: string; message: RawMessage; lookups: FrameLookups }
  /** A frame of a range before, too. */
  | { is: "repeated"; key: string; time: bigint }
  | { is: "failed"; reason: string }
  | { is: "end" }
);
type Frame = Extract<Step, { is: "frame" }>;

/** A group of steps whose files are stored and which is not yet committed. */
interface Stored extends Omit<Group, "present"> {
  present: number;
  repeated: string[];
}

const isCounted = ({ next_ns: next }: Span, time: bigint): boolean => next !== null && time <= next;

/** Stores the frames of an addition as files and makes items of them, in groups that may belong to many ranges. */
export class FrameStore {
  readonly decoders = new MessageDecoders();
  /** Whether storing or committing failed, after which nothing can be added. */
  hasFailed = false;
  private readonly encoding = pLimit(encodeConcurrency);
  /** The keys of all frames so far, and of those that could not become items. */
  private readonly keys = new Set<string>();
  private readonly failedKeys = new Set<string>();
  private readonly groups = new OrderedGroups<Step, Stored>({
    store: (steps) => this.store(steps),
    commit: (stored) => this.commit(stored),
    abandon: (stored, error) => this.abandon(stored, error),
  });

  constructor(
    private readonly ctx: Ctx,
    private readonly extraction: Extraction,
    private readonly prefix: string,
    private readonly run: JobRun,
  ) {}

  /** Adds a message of a range. */
  async add(span: Span, message: RawMessage, lookups: FrameLookups): Promise<void> {
    const key = frameKey(span.recording_id, message.channel.topic, message.logTime);
    if (this.keys.has(key)) return this.addStep({ span, is: "repeated", key, time: message.logTime });
    this.keys.add(key);
    // A payload is a view of its chunk, and the next one is read while this one is stored.
    const data = new Uint8Array(message.data);
    await this.addStep({ span, is: "frame", key, message: { ...message, data }, lookups }, data.length);
  }

  /** Notes why a range has no more items. */
  fail(span: Span, reason: string): Promise<void> {
    return this.addStep({ span, is: "failed", reason });
  }

  /** Notes that a range is done, once all before is. */
  end(span: Span): Promise<void> {
    return this.addStep({ span, is: "end" });
  }

  /** Makes an item of a range as a recording of its own. */
  async addClip(span: Span): Promise<void> {
    await this.flush();
    const { extraction } = this;
    const range = { from: span.from_ns, to: span.to_ns };
    const key = clipKey(span.recording_id, range);
    const group = { items: [], failed: 0, reason: "", reached: new Map([[span.position, span.to_ns]]), ended: [] };
    if ((await this.listPresent([key])).length > 0) return extraction.addGroup({ ...group, present: 1 });
    const storageKey = `${this.prefix}${storageName(extraction.uid, key)}`;
    const place = { storageKey, momentId: extraction.uid };
    const sizeBytes = await putClip(this.ctx, span.recording_id, range, place, this.run);
    const item = this.toItem(span, { key, storageKey, sizeBytes, topic: "", tNs: span.from_ns });
    await this.guarded(this.commit({ ...group, items: [item], present: 0, repeated: [] }));
  }

  /** Commits what was added. */
  flush(): Promise<void> {
    return this.guarded(this.groups.flush());
  }

  /** Waits until nothing is under way any more. */
  settle(): Promise<void> {
    return this.groups.settle();
  }

  private addStep(step: Step, bytes = 0): Promise<void> {
    return this.guarded(this.groups.add(step, bytes));
  }

  private async guarded(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }

  private async store(steps: readonly Step[]): Promise<Stored> {
    this.run.signal.throwIfAborted();
    const frames = steps.filter((step) => step.is === "frame");
    const present = new Set((await this.listPresent(frames.flatMap(({ key }) => possibleKeys(key)))).map(baseOfKey));
    const stored: Stored = {
      items: [],
      present: frames.filter(({ key, span, message }) => present.has(key) && !isCounted(span, message.logTime)).length,
      repeated: steps.flatMap((step) => (step.is === "repeated" && !isCounted(step.span, step.time) ? [step.key] : [])),
      failed: 0,
      reason: "",
      reached: new Map(),
      ended: steps.flatMap(({ is, span }) => (is === "end" ? [span.position] : [])),
    };
    const fail = (reason: string) => {
      stored.failed += 1;
      stored.reason ||= reason;
    };
    for (const step of steps) {
      if (step.is === "failed") fail(step.reason);
      if (step.is === "frame") stored.reached.set(step.span.position, step.message.logTime);
      if (step.is === "repeated") stored.reached.set(step.span.position, step.time);
    }
    await pMap(
      frames.filter(({ key }) => !present.has(key)),
      async (frame) => {
        try {
          stored.items.push(await this.storeFrame(frame));
        } catch (error) {
          if (!(error instanceof UnreadableMessage || error instanceof RecordingError)) throw error;
          this.failedKeys.add(frame.key);
          // What an attempt before this one committed is counted already.
          if (isCounted(frame.span, frame.message.logTime)) return;
          fail(`${frame.message.channel.topic}: ${error.message}`);
        }
      },
      { concurrency: storeConcurrency },
    );
    // Items of a dataset are listed by their uids, which are given in this order.
    const order = new Map(frames.map(({ key }, at) => [key, at]));
    stored.items.sort((a, b) => (order.get(baseOfKey(a.key)) ?? 0) - (order.get(baseOfKey(b.key)) ?? 0));
    return stored;
  }

  /** Makes items of what was stored. */
  private async commit(stored: Stored): Promise<void> {
    const { repeated, ...group } = stored;
    const failed = repeated.filter((key) => this.failedKeys.has(key)).length;
    try {
      await this.extraction.addGroup({
        ...group,
        present: group.present + repeated.length - failed,
        failed: group.failed + failed,
      });
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

  private async storeFrame({ key, span, message, lookups }: Frame): Promise<NewItem> {
    const { extension, bytes } = await this.encoding((): Promise<ItemFile> => {
      return lookups.video?.toFile(message) ?? toItemFile(this.decoders, message);
    });
    const named = `${key}.${extension}`;
    const storageKey = `${this.prefix}${storageName(this.extraction.uid, named)}`;
    await objectStore().put(storageKey, toByteStream(bytes), bytes.length);
    return this.toItem(span, {
      key: named,
      storageKey,
      sizeBytes: BigInt(bytes.length),
      topic: message.channel.topic,
      tNs: message.logTime,
      facts: await lookups.sensors?.read(message),
    });
  }

  private toItem(
    span: Span,
    file: Pick<NewItem, "key" | "storageKey" | "sizeBytes"> & { topic: string; tNs: bigint; facts?: SensorFacts },
  ): NewItem {
    const { extraction } = this;
    const { topic, tNs, facts = {}, ...rest } = file;
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
      metadata: { source, ...facts },
    };
  }
}
