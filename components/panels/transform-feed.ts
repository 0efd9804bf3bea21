import type { SceneFeed, SceneTopic, TimedTransform } from "@/components/scene/scene-feed";
import type { ChunkReader, TimeRange } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { UnreadableMessage } from "@/engine/messages/reading";
import { chooseStamp } from "@/engine/messages/stamp";
import { readTransforms } from "@/engine/messages/transforms";

const second = 1_000_000_000n;
/** Around a moment: objects are placed at stamps before it, and between two transforms. */
const [before, after] = [10n * second, second / 2n];
/** How much more is read while the recording plays. */
const ahead = second;
const maxBytes = 64 * 1024 * 1024;

/** Sends the transforms around the playhead, and all that hold for the whole recording. */
export class TransformFeed {
  /** Of topics whose transforms hold at any time: they are published once, or for those who come later. */
  private readonly fixed: readonly string[];
  private readonly moving: readonly string[];
  private loaded: TimeRange | null = null;
  private hasFixed = false;

  constructor(
    topics: readonly SceneTopic[],
    private readonly chunks: ChunkReader,
    private readonly decoders: MessageDecoders,
    private readonly send: (feed: SceneFeed) => void,
  ) {
    const isFixed = ({ name, message_count }: SceneTopic) => name.endsWith("tf_static") || Number(message_count) === 1;
    this.fixed = topics.filter(isFixed).map(({ name }) => name);
    this.moving = topics.filter((topic) => !isFixed(topic)).map(({ name }) => name);
  }

  /** The topics whose next chunks are needed. */
  get topics(): readonly string[] {
    return this.moving;
  }

  /** Sends what is missing for a moment. Returns whether it did. */
  async update(moment: bigint): Promise<boolean> {
    const isFirst = !this.hasFixed;
    if (isFirst) await this.sendFixed(moment);
    const { loaded } = this;
    const isWithin = loaded !== null && moment >= loaded.start + before && moment <= loaded.end + before;
    if (isWithin && moment + after <= loaded.end) return isFirst;
    const start = isWithin ? loaded.end + 1n : moment - before;
    const end = moment + after + (isWithin ? ahead : 0n);
    const range = this.chunks.narrow(this.moving, { start, end }, moment, maxBytes);
    const found = await Promise.all(
      this.moving.map(async (topic) => {
        const messages = await this.chunks.listBetween(topic, range);
        // Nothing lately: the last one before, whose age the list of frames says.
        const last = messages.length === 0 && !isWithin ? await this.chunks.findLatest(topic, moment) : null;
        return last === null ? messages : [last];
      }),
    );
    this.loaded = { start: isWithin ? loaded.start : moment - before, end };
    this.sendMessages(found.flat(), false, !isWithin);
    return true;
  }

  private async sendFixed(moment: bigint): Promise<void> {
    this.hasFixed = true;
    const { range } = this.chunks;
    const found = await Promise.all(
      this.fixed.map(async (topic) => {
        const readable = this.chunks.narrow([topic], range, range.start, maxBytes);
        const messages = await this.chunks.listBetween(topic, readable);
        const latest = await this.chunks.findLatest(topic, moment);
        return latest === null ? messages : [...messages, latest];
      }),
    );
    this.sendMessages(found.flat(), true, false);
  }

  private sendMessages(messages: readonly RawMessage[], isFixed: boolean, isJump: boolean): void {
    const notes: string[] = [];
    const note = (text: string) => notes.length < 10 && !notes.includes(text) && notes.push(text);
    const list = messages.flatMap((message): TimedTransform[] => {
      try {
        const read = readTransforms(this.decoders.decode(message));
        read.notes.forEach(note);
        return read.transforms.map((transform) => ({
          transform,
          stamp: chooseStamp(transform.stamp, message.logTime),
          isFixed,
        }));
      } catch (error) {
        if (!(error instanceof UnreadableMessage || error instanceof RecordingError)) throw error;
        note(`${message.channel.topic}: ${error.message}`);
        return [];
      }
    });
    this.send({ type: "transforms", isJump, list, notes });
  }
}
