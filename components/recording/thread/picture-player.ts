import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { findLookalikeAdapter, findPictureAdapter } from "@/engine/messages/pictures/pictures";
import { describeStamp, readStamp } from "@/engine/messages/poses/stamp";
import { readFields, UnreadableMessage } from "@/engine/messages/reading";
import { NewestMoment } from "./newest-moment";
import type { DrawnPicture, PictureView } from "./picture-view";

/** Nanoseconds of the recording after which the age of a picture is reported again. */
export const ageStepNs = 250_000_000n;

/** How long before its first picture, in nanoseconds, a camera shows that one. */
export const nearNs = 1_000_000_000n;

/** What a picture panel shows at the moment. Times in nanoseconds since 1970. */
export type PictureReport =
  /** `stampNote`: what is wrong with its stamp. */
  | ({ state: "shown"; time: bigint; moment: bigint; stampNote?: string | null; video?: VideoState } & DrawnPicture)
  /** `moment`: before the first one. `keylessAt`: a moment of a video that has no keyframe before it. */
  | { state: "none"; first: bigint | null; moment?: bigint; keylessAt?: bigint }
  /** `next`: when the next picture comes that can be shown, where it is known. */
  | { state: "failed"; time: bigint | null; reason: string; next?: bigint | null };

/** What is to be said of a picture of a video. */
interface VideoState {
  /** Where a picture before it is missing: the next keyframe, null where that is not known. */
  damagedUntil?: bigint | null;
  /** Pictures come in another order than their messages, so that their times are near. */
  isReordered: boolean;
  /** The part of the last pictures that was left out, from 0 to 1, because decoding was behind. */
  dropped: number;
  /** The server decoded it, since the browser cannot. */
  isServed: boolean;
}

/** Shows the latest picture of a topic before the playhead; the newest moment wanted counts. */
export class PicturePlayer {
  private shown: bigint | null = null;
  private reportedAt = 0n;
  private readonly moments = new NewestMoment<bigint>((moment) => this.update(moment));
  /** Whether the view draws otherwise since the picture was drawn. */
  private isOutdated = false;
  private stampNote: string | null = null;

  constructor(
    readonly topic: string,
    private readonly chunks: ChunkReader,
    private readonly decoders: MessageDecoders,
    private readonly view: PictureView,
    private readonly onReport: (report: PictureReport) => void,
  ) {}

  close(): void {
    this.moments.close();
  }

  /** Draws the picture again with the next moment that is shown. */
  refresh(): void {
    this.isOutdated = true;
  }

  /** Shows the picture at a moment; resolves when it, or one wanted later, is shown. */
  show(at: bigint): Promise<void> {
    return this.moments.show(at);
  }

  private async update(moment: bigint): Promise<void> {
    try {
      const message = await this.chunks.findLatest(this.topic, moment);
      // What was wanted meanwhile is shown instead.
      if (this.moments.isPassed) return;
      if (message === null) await this.showNone(moment);
      else await this.showMessage(message, moment);
    } catch (error) {
      this.fail(error, null);
    }
  }

  private async showMessage(message: RawMessage, moment: bigint): Promise<void> {
    const time = message.logTime;
    try {
      if (time !== this.shown || this.isOutdated) {
        this.isOutdated = false;
        await this.view.draw(this.readPicture(message));
        this.shown = time;
      } else if (!this.isDue(moment)) return;
      this.reportedAt = moment;
      this.onReport({ state: "shown", time, moment, stampNote: this.stampNote, ...this.view.size });
    } catch (error) {
      this.fail(error, time);
    }
  }

  private fail(error: unknown, time: bigint | null): void {
    this.shown = null;
    this.view.clear();
    this.onReport({ state: "failed", time, reason: toReason(error) });
  }

  /** Whether the age of what is shown has to be said again. */
  private isDue(moment: bigint): boolean {
    const passed = moment - this.reportedAt;
    return passed > ageStepNs || passed < -ageStepNs;
  }

  /** Before the first picture: that one, when it is near, or when it comes. */
  private async showNone(moment: bigint): Promise<void> {
    const first = await this.chunks.findFirst(this.topic);
    if (first !== null && first.logTime - moment <= nearNs) return this.showMessage(first, moment);
    this.shown = null;
    this.view.clear();
    this.onReport({ state: "none", first: first?.logTime ?? null, moment });
  }

  private readPicture(message: RawMessage) {
    const { channel } = message;
    const value = this.decoders.decode(message);
    const adapter = findPictureAdapter(channel.schemaName) ?? findLookalikeAdapter(value);
    if (adapter === null) throw new UnreadableMessage(`Messages of ${channel.schemaName} are no pictures.`);
    this.stampNote = describeStamp(readStamp(readFields(value)), message.logTime);
    return adapter(value);
  }
}

export function toReason(error: unknown): string {
  if (error instanceof UnreadableMessage || error instanceof RecordingError) return error.message;
  // The browser's own decoders say nothing that helps.
  if (error instanceof DOMException) return "The picture is damaged, or this browser does not know its format.";
  return error instanceof Error ? error.message : String(error);
}
