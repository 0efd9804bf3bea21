import type { Slot } from "@/engine/columns/column-batch";
import { SignalRows } from "@/engine/columns/signal-rows";
import type { TopicReadings } from "@/engine/columns/topic-readings";
import type { Channel, RawMessage, RecordingSummary } from "@/engine/formats/recording";
import { SignalFeed } from "@/engine/signals/signal-feed";
import type { SignalFileInfo, SignalsWriter } from "@/engine/signals/signals-writer";

/** Messages that may be fed one by one beside a tenth of all. */
const fewMessages = 10_000;

/**
 * The signals of a recording, written while it is read. What columns do not hold exactly is fed message by message; where
 * that is more than a tenth they are given up, since the recording is wanted first: they can be written afterwards.
 */
export class PassSignals {
  private readonly feed: SignalFeed;
  private left: number;

  constructor(
    private readonly summary: RecordingSummary,
    private readonly writer: SignalsWriter,
    topics: TopicReadings,
  ) {
    // What a field is depends on the first message that has it, which may be one that was read into columns.
    this.feed = new SignalFeed(summary, writer, (channel) => topics.getReader(channel));
    this.left = fewMessages + summary.messageCount / 10;
  }

  private get givenUp(): boolean {
    return this.left < 0;
  }

  /** Whose columns the channel's signals are; null where there are none, or several channels have different types. */
  open(channel: Channel, slots: readonly Slot[]): SignalRows | null {
    const feed = this.feed.open(channel);
    return feed && new SignalRows(channel, slots, feed, this.summary.startTime);
  }

  message(message: RawMessage): void {
    if (!this.givenUp && this.feed.message(message)) this.left -= 1;
  }

  /** The finished files; null when they were given up. */
  finish(): SignalFileInfo[] | null {
    if (this.givenUp) return null;
    this.feed.finish();
    return this.writer.finish();
  }
}
