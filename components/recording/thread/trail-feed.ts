import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { UnreadableMessage } from "@/engine/messages/reading";
import { readTrailPlace, type TrailPlace } from "@/engine/messages/scenes/odometry";

/** Unpacked bytes before a moment that are read for a trail. */
const maxBytes = 64 * 1024 * 1024;

/** Where the messages of a topic of odometry were, over the seconds before a moment. Each is decoded once. */
export class TrailFeed {
  private places: { time: bigint; place: TrailPlace }[] = [];
  private from: bigint | null = null;
  private until: bigint | null = null;
  private isCut = false;

  constructor(
    private readonly topic: string,
    private readonly chunks: ChunkReader,
    private readonly decoders: MessageDecoders,
  ) {}

  /** The places up to a message, those of the last so many seconds. */
  async read(latest: RawMessage, seconds: number): Promise<{ places: TrailPlace[]; isCut: boolean }> {
    const end = latest.logTime;
    const start = end - BigInt(Math.round(seconds * 1e9));
    const { from, until } = this;
    const goesOn = from !== null && until !== null && start >= from && start <= until && end >= until;
    if (!goesOn) {
      const range = this.chunks.narrow([this.topic], { start, end }, end, maxBytes);
      this.isCut = range.start > start && range.start > this.chunks.range.start;
      this.places = this.list(await this.chunks.listBetween(this.topic, { start: range.start, end }));
    } else {
      if (end > until)
        this.places.push(...this.list(await this.chunks.listBetween(this.topic, { start: until + 1n, end })));
      this.places = this.places.filter(({ time }) => time >= start);
    }
    [this.from, this.until] = [start, end];
    return { places: this.places.map(({ place }) => place), isCut: this.isCut };
  }

  /** What cannot be read has no place; the last message of all says itself why. */
  private list(messages: readonly RawMessage[]): { time: bigint; place: TrailPlace }[] {
    return messages.flatMap((message) => {
      try {
        return [{ time: message.logTime, place: readTrailPlace(this.decoders.decode(message)) }];
      } catch (error) {
        if (error instanceof UnreadableMessage || error instanceof RecordingError) return [];
        throw error;
      }
    });
  }
}
