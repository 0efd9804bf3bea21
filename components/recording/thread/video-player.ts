import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { VideoStream } from "@/engine/messages/pictures/video-stream";
import { VideoTimeline, type Found, type Located } from "@/engine/messages/pictures/video-timeline";
import { UnreadableMessage } from "@/engine/messages/reading";
import { DroppedPictures } from "./dropped-pictures";
import { NewestMoment } from "./newest-moment";
import type { PanelPlayer } from "./panel-player";
import { ageStepNs, nearNs, toReason, type PictureReport } from "./picture-player";
import type { PictureView } from "./picture-view";
import { ServedFrames, type GetMedia } from "./served-frames";
import { VideoDecoding } from "./video-decoding";
import { VideoSupport } from "./video-support";

const reach = { span: 20_000_000_000n, maxBytes: 128 * 1024 * 1024 };
/** Nanoseconds of units that are listed beyond the playhead. */
const aheadNs = 500_000_000n;
/** Pictures that are decoded before they are due while the recording plays. */
const readyAhead = 3;
/** Nanoseconds by which the playhead may go back while it moves, when its thread learns where it is. */
const backNs = 200_000_000n;
/** Groups of which it is known where they are damaged. */
const maxDamaged = 16;
const support = new VideoSupport();

interface Moment {
  at: bigint;
  speed: number;
}

/**
 * Shows the picture of a topic of video at the playhead. Decoding goes from the keyframe before it through every unit in
 * order; while it plays and decoding is a whole group of pictures behind, it goes on at the next keyframe.
 */
export class VideoPlayer implements PanelPlayer {
  private readonly timeline: VideoTimeline;
  private readonly stream = new VideoStream();
  private readonly decoding = new VideoDecoding();
  private reportedAt = 0n;
  /** The last failure reported, so that each is reported once. */
  private reported = "";
  private readonly moments = new NewestMoment<Moment>((moment) => this.update(moment));
  /** The number of the unit whose picture is in the canvas. */
  private shown: number | null = null;
  /** The keyframe from which decoding was begun again after a failure. */
  private retried: number | null = null;
  /** Where decoding fails again. */
  private broken: { key: number; from: number } | null = null;
  /** From which unit on pictures are damaged, by their keyframes. */
  private readonly damaged = new Map<number, number>();
  private readonly served: ServedFrames;
  /** Why the browser cannot decode it, so that the server may; null where it can. */
  private unsupported: string | null = null;
  /** Pictures that were left out, because decoding was behind. */
  private readonly dropped = new DroppedPictures();

  constructor(
    readonly topic: string,
    chunks: ChunkReader,
    decoders: MessageDecoders,
    private readonly view: PictureView,
    private readonly onReport: (report: PictureReport) => void,
    getMedia: GetMedia,
  ) {
    this.served = new ServedFrames(topic, view, getMedia);
    this.timeline = new VideoTimeline(topic, chunks, decoders, reach);
  }

  close(): void {
    this.moments.close();
    this.decoding.end();
  }

  refresh(): void {
    // Its picture was closed: it is decoded again.
    this.shown = null;
  }

  show(at: bigint, speed: number): Promise<void> {
    return this.moments.show({ at, speed });
  }

  private async update(moment: Moment): Promise<void> {
    try {
      const located = await this.timeline.locate(moment.at, aheadNs);
      if (this.moments.isClosed) return;
      if (located.state === "found") await this.showFound(located, moment);
      else await this.showMissing(located, moment);
    } catch (error) {
      if (!this.moments.isClosed) this.fail(toReason(error), null, null);
    }
  }

  private async showMissing(located: Exclude<Located, Found>, moment: Moment): Promise<void> {
    const { first, isKeyless } = located;
    if (!isKeyless && first !== null && first - moment.at <= nearNs) {
      const near = await this.timeline.locate(first, aheadNs);
      if (near.state === "found") return this.showFound(near, moment);
    }
    this.clear();
    if (!this.isNews(`none ${first}`)) return;
    this.onReport({ state: "none", first, ...(isKeyless && { keylessAt: moment.at }) });
  }

  private async showFound(located: Found, moment: Moment): Promise<void> {
    const { wanted, key } = located;
    const timed = this.timeline.get(wanted);
    if (!timed) return;
    if (this.isShown(wanted, timed.time, moment)) return this.report(located, moment);
    if (timed.unit === null) return this.fail(timed.reason, timed.time, wanted);
    if (this.broken?.key === key && wanted >= this.broken.from) return this.failDamaged(located);
    await this.prepare(located, moment);
    if (this.unsupported !== null) return this.showServed(located, timed.time, moment);
    this.timeline.trim(located.begin);
    if (moment.speed > 0) await this.feed(located, wanted + readyAhead, false);
    else {
      this.decoding.pass(wanted);
      if (!(await this.feed(located, wanted, true))) return;
    }
    const picture =
      moment.speed > 0
        ? this.decoding.takeUpTo(wanted)
        : await this.decoding.takeExact(wanted, this.stream.reorder > 0 && this.decoding.next === located.end);
    if (picture) {
      this.draw(picture);
      this.report(located, moment, true);
    } else if (this.decoding.failure) this.recover(located, moment);
    else if (moment.speed > 0) this.report(located, moment);
    else if (!this.moments.isPassed) this.fail("The browser gave no picture for this message.", timed.time, wanted);
  }

  /** Whether the picture is in the canvas; the playhead may go back a little when its thread learns where it is. */
  private isShown(wanted: number, time: bigint, { speed }: Moment): boolean {
    if (this.shown === null || wanted === this.shown) return wanted === this.shown;
    const shownTime = this.timeline.get(this.shown)?.time;
    return speed > 0 && wanted < this.shown && shownTime !== undefined && shownTime - time < backNs;
  }

  /** Has the decoder stand where the wanted picture can be reached. */
  private async prepare({ wanted, begin, key }: Found, { at, speed }: Moment): Promise<void> {
    const { decoding, stream } = this;
    const { next } = decoding;
    if (decoding.isRunning && next !== null && next <= wanted + 1 + readyAhead + stream.reorder) {
      const isAhead = wanted > decoding.latest || decoding.holds(wanted);
      if (next >= begin && isAhead) return;
      if (next < begin) {
        if (speed > 0 && begin - next > 1) this.dropped.add(at, begin - next);
        decoding.next = begin;
        return;
      }
    }
    for (let number = begin; number <= key; number++) {
      const unit = this.timeline.get(number)?.unit;
      if (unit) stream.learn(unit);
    }
    if (stream.parameters === null) for (const unit of await this.timeline.listFirst()) stream.learn(unit);
    const { parameters } = stream;
    const unit = this.timeline.get(key)?.unit;
    if (parameters === null || !unit)
      throw new UnreadableMessage("The parameters of the video are missing: no message before this one carries them.");
    this.unsupported = await support.findReason(unit.codec, parameters);
    if (this.unsupported !== null) return;
    decoding.restart(parameters);
    decoding.next = begin;
  }

  /** A picture that the server decodes, a few times a second while the recording plays. */
  private async showServed(located: Found, time: bigint, moment: Moment): Promise<void> {
    if (moment.speed > 0 && this.served.isPaused) return this.report(located, moment);
    const failure = await this.served.draw(time);
    if (this.moments.isClosed) return;
    if (failure === "unavailable") return this.fail(this.unsupported ?? "", null, null);
    if (failure) return this.fail(failure.reason, time, null);
    this.shown = located.wanted;
    this.report(located, moment, true);
  }

  /** Gives units up to a number, and those that may come before it; false when another moment is wanted meanwhile. */
  private async feed({ end }: Found, until: number, mayWait: boolean): Promise<boolean> {
    const { decoding, stream } = this;
    while (decoding.isRunning && decoding.next !== null) {
      if (decoding.next >= end || decoding.next > until + stream.reorder) break;
      if (!mayWait && decoding.readyCount > readyAhead + stream.reorder) break;
      if (decoding.isFull) {
        if (!mayWait) break;
        await decoding.drain();
        if (this.moments.isPassed) return false;
      }
      this.feedNext(decoding.next++);
    }
    return true;
  }

  private feedNext(number: number): void {
    const { decoding, stream } = this;
    const unit = this.timeline.get(number)?.unit;
    if (!unit) return this.noteDamage(number);
    const given = stream.next(unit);
    if (given === null || stream.parameters === null) return;
    if (given.isAfterGap) this.noteDamage(number);
    try {
      decoding.feed(number, given, stream.parameters, stream.reorder > 0);
    } catch (error) {
      decoding.failure = error instanceof DOMException ? error : new DOMException(String(error));
    }
  }

  private noteDamage(number: number): void {
    const key = this.timeline.findKey(number);
    if (key === null || (this.damaged.get(key) ?? Infinity) <= number) return;
    this.damaged.set(key, number);
    if (this.damaged.size > maxDamaged) this.damaged.delete(this.damaged.keys().next().value ?? key);
  }

  private draw({ number, frame }: { number: number; frame: VideoFrame }): void {
    try {
      this.view.drawBitmap(frame, frame.displayWidth, frame.displayHeight);
      this.shown = number;
    } finally {
      frame.close();
    }
  }

  /** After a failure decoding is begun once more from the keyframe; what fails again is damaged. */
  private recover(located: Found, moment: Moment): void {
    this.decoding.end();
    if (this.retried !== located.key) {
      this.retried = located.key;
      this.moments.repeat(moment);
      return;
    }
    this.broken = { key: located.key, from: located.wanted };
    this.failDamaged(located);
  }

  private failDamaged({ wanted }: Found): void {
    const reason = "The video is damaged up to its next keyframe: a message is missing or broken.";
    this.fail(reason, this.timeline.get(wanted)?.time ?? null, wanted);
  }

  private fail(reason: string, time: bigint | null, number: number | null): void {
    this.clear();
    const next = number === null ? null : this.timeline.findNextKey(number);
    if (!this.isNews(`${time} ${reason} ${next}`)) return;
    this.onReport({ state: "failed", time, reason, next });
  }

  private isNews(text: string): boolean {
    const isNews = text !== this.reported;
    this.reported = text;
    return isNews;
  }

  private clear(): void {
    this.shown = null;
    this.view.clear();
  }

  private report({ key }: Found, { at, speed }: Moment, isNew = false): void {
    const passed = at - this.reportedAt;
    if (this.shown === null || (!isNew && passed <= ageStepNs && passed >= -ageStepNs)) return;
    const timed = this.timeline.get(this.shown);
    if (timed === null) return;
    const { time, stampNote } = timed;
    this.reportedAt = at;
    this.reported = "";
    const isDamaged = (this.damaged.get(key) ?? Infinity) <= this.shown;
    const dropped = speed > 0 ? this.dropped.measure(at, this.shown) : 0;
    this.onReport({
      state: "shown",
      time,
      moment: at,
      stampNote,
      ...this.view.size,
      video: {
        damagedUntil: isDamaged ? this.timeline.findNextKey(this.shown) : undefined,
        isReordered: this.unsupported === null && this.stream.reorder > 0,
        dropped,
        isServed: this.unsupported !== null,
      },
    });
  }
}
