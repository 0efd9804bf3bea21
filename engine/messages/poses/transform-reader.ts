import type { ChunkReader, TimeRange } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { chooseStamp } from "@/engine/messages/poses/stamp";
import type { ReadTransforms, TimedTransform } from "@/engine/messages/poses/transform-tree";
import { readTransforms } from "@/engine/messages/poses/transforms";
import { UnreadableMessage } from "@/engine/messages/reading";
import { isTransformSchema } from "@/engine/messages/scene-schemas";

/** A topic of a recording; as text beyond what a number holds. */
interface Topic {
  name: string;
  schema: string;
  message_count?: number | string;
}

/** How much is read around a moment, in nanoseconds. */
export interface TransformReach {
  /** Before it: what is to be placed has stamps that are earlier, and the last transform before those may be old. */
  before: bigint;
  /** After it: what moves is placed between two transforms. */
  after: bigint;
  /** How much more is read with the first moment, and with those that follow it. */
  ahead: { first: bigint; next: bigint };
  /** How far before the first moment, and after what was read, a moment may lie to follow; any other is a jump. */
  near: { before: bigint; after: bigint };
}

const maxBytes = 64 * 1024 * 1024;

/** Reads the transforms of a recording around moments that follow each other, and all that hold for the whole of it. */
export class TransformReader {
  /** Of topics whose transforms hold at any time: they are published once, or for those who come later. */
  private readonly fixed: readonly string[];
  /** The others, whose next chunks are needed. */
  readonly moving: readonly string[];
  private loaded: TimeRange | null = null;
  private hasFixed = false;

  /** `topics`: of the recording; those without transforms do not matter. */
  constructor(
    topics: readonly Topic[],
    private readonly chunks: ChunkReader,
    private readonly decoders: MessageDecoders,
    private readonly reach: TransformReach,
  ) {
    const own = topics.filter(({ schema }) => isTransformSchema(schema));
    const isFixed = ({ name, message_count }: Topic) => name.endsWith("tf_static") || Number(message_count) === 1;
    this.fixed = own.filter(isFixed).map(({ name }) => name);
    this.moving = own.filter((topic) => !isFixed(topic)).map(({ name }) => name);
  }

  /** Gives what is missing for a moment: nothing when it was read already. Messages that cannot be read are named in notes. */
  async *read(moment: bigint): AsyncGenerator<ReadTransforms> {
    if (!this.hasFixed) {
      const fixed = await this.listFixed(moment);
      this.hasFixed = true;
      yield this.decode(fixed, true, false);
    }
    const { loaded } = this;
    const { before, after, ahead, near } = this.reach;
    const follows =
      loaded !== null && moment >= loaded.start + before - near.before && moment <= loaded.end + near.after;
    if (follows && moment + after <= loaded.end) return;
    const start = follows ? loaded.end + 1n : moment - before;
    const end = moment + after + (follows ? ahead.next : ahead.first);
    const found = await this.listMoving({ start, end }, moment, follows);
    this.loaded = { start: follows ? loaded.start : start, end };
    yield this.decode(found, false, !follows);
  }

  private async listFixed(moment: bigint): Promise<RawMessage[]> {
    const { range } = this.chunks;
    const found = await Promise.all(
      this.fixed.map(async (topic) => {
        const readable = this.chunks.narrow([topic], range, range.start, maxBytes);
        const messages = await this.chunks.listBetween(topic, readable);
        const latest = await this.chunks.findLatest(topic, moment);
        return latest === null ? messages : [...messages, latest];
      }),
    );
    return found.flat();
  }

  private async listMoving(wanted: TimeRange, moment: bigint, follows: boolean): Promise<RawMessage[]> {
    const range = this.chunks.narrow(this.moving, wanted, moment, maxBytes);
    const found = await Promise.all(
      this.moving.map(async (topic) => {
        const messages = await this.chunks.listBetween(topic, range);
        // Nothing lately: the last one before, whose age the list of frames says.
        const last = messages.length === 0 && !follows ? await this.chunks.findLatest(topic, moment) : null;
        return last === null ? messages : [last];
      }),
    );
    return found.flat();
  }

  private decode(messages: readonly RawMessage[], isFixed: boolean, isJump: boolean): ReadTransforms {
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
    return { isJump, list, notes };
  }
}
