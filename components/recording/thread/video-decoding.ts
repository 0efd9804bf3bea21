import type { StreamParameters } from "@/engine/video/stream-parameters";

/** Milliseconds to wait for a picture before the decoder is made to give it: some hold pictures back. */
const holdMs = 150;
/** Units given to the decoder that it has not taken yet. */
const maxQueued = 16;

/** A decoded picture, by the number of the unit whose time it has. */
interface Ready {
  number: number;
  frame: VideoFrame;
}

/** The pictures of one keyframe and those that follow it. */
interface Group {
  /** The numbers of its pictures in the order of decoding. */
  pictures: number[];
  /** Pictures that came out of the decoder. */
  shown: number;
  isReordered: boolean;
}

/** The browser's decoder, given units in order; holds the pictures that came out until they are taken or passed. */
export class VideoDecoding {
  private decoder: VideoDecoder | null = null;
  private codec = "";
  private ready: Ready[] = [];
  private readonly groups = new Map<number, Group>();
  private group: Group | null = null;
  private readonly waiting = new Set<() => void>();
  /** Pictures below it are closed as they come. */
  private passed = -1;
  /** The unit that comes next; null when that has to be a keyframe. */
  next: number | null = null;
  /** Why it ended; null while it works. */
  failure: DOMException | null = null;
  /** The highest number of a picture that came out. */
  latest = -1;

  /** Begins anew; a keyframe has to come next. */
  restart(parameters: StreamParameters): void {
    this.end();
    this.passed = this.latest = -1;
    this.failure = null;
    const decoder = new VideoDecoder({
      output: (frame) => this.take(decoder, frame),
      error: (error) => {
        if (this.decoder !== decoder) return;
        this.failure = error;
        this.wake();
      },
    });
    decoder.addEventListener("dequeue", () => this.wake());
    this.decoder = decoder;
    this.configure(parameters);
  }

  get isFull(): boolean {
    return (this.decoder?.decodeQueueSize ?? 0) >= maxQueued;
  }

  get readyCount(): number {
    return this.ready.length;
  }

  /** Whether the picture of a unit came out and was not taken yet. */
  holds(number: number): boolean {
    return this.ready.some((each) => each.number === number);
  }

  get isRunning(): boolean {
    return this.decoder?.state === "configured" && this.failure === null;
  }

  /** Gives the next unit of the stream. Throws when the decoder refuses it. */
  feed(
    number: number,
    unit: { isKey: boolean; data: Uint8Array },
    stream: StreamParameters,
    isReordered: boolean,
  ): void {
    const { decoder } = this;
    if (!decoder) return;
    if (unit.isKey) {
      if (stream.codec !== this.codec) this.configure(stream);
      this.group = { pictures: [], shown: 0, isReordered };
    }
    const { group } = this;
    if (!group) return;
    group.isReordered ||= isReordered;
    group.pictures.push(number);
    this.groups.set(number, group);
    const type = unit.isKey ? "key" : "delta";
    decoder.decode(new EncodedVideoChunk({ type, timestamp: number, data: unit.data }));
  }

  /** The latest picture up to a number; those before it are closed. The caller closes it. */
  takeUpTo(number: number): Ready | null {
    const count = this.ready.findLastIndex((each) => each.number <= number) + 1;
    const passed = this.ready.splice(0, count);
    const last = passed.pop() ?? null;
    for (const { frame } of passed) frame.close();
    return last;
  }

  /** Closes pictures before a number, also those that come later. */
  pass(number: number): void {
    this.passed = number;
    while ((this.ready[0]?.number ?? Infinity) < number) this.ready.shift()?.frame.close();
  }

  /** Resolves when a picture came out, a unit was taken, or the decoder ended. */
  private change(): Promise<void> {
    return new Promise((resolve) => this.waiting.add(resolve));
  }

  /** Resolves when the decoder can take more. */
  async drain(): Promise<void> {
    while (this.isRunning && this.isFull) await this.change();
  }

  /** The picture of a unit that was given; the caller closes it. Null when it does not come out. */
  async takeExact(number: number, isLast: boolean): Promise<Ready | null> {
    let isLate = isLast;
    const timer = setTimeout(() => {
      isLate = true;
      this.wake();
    }, holdMs);
    try {
      while (this.isRunning && this.latest < number && !isLate) await this.change();
    } finally {
      clearTimeout(timer);
    }
    if (this.isRunning && this.latest < number) await this.flush();
    const found = this.takeUpTo(number);
    if (found?.number === number) return found;
    found?.frame.close();
    return null;
  }

  /** Has the decoder give all pictures; a keyframe has to come next. */
  private async flush(): Promise<void> {
    this.next = null;
    try {
      await this.decoder?.flush();
    } catch (error) {
      this.failure ??= error instanceof DOMException ? error : new DOMException(String(error));
    }
  }

  end(): void {
    const { decoder } = this;
    this.decoder = null;
    this.next = null;
    this.group = null;
    this.groups.clear();
    for (const { frame } of this.ready.splice(0)) frame.close();
    if (decoder && decoder.state !== "closed") decoder.close();
    this.wake();
  }

  private configure({ codec, reorder }: StreamParameters): void {
    this.codec = codec;
    // Decoders that hurry give pictures in the order of decoding.
    this.decoder?.configure({ codec, optimizeForLatency: reorder === 0 });
  }

  private take(decoder: VideoDecoder, frame: VideoFrame): void {
    const group = this.groups.get(frame.timestamp);
    if (this.decoder !== decoder || !group) return frame.close();
    this.groups.delete(frame.timestamp);
    // Pictures come out in the order in which they are shown, the nth at the time of the nth message.
    const number = group.isReordered ? (group.pictures[group.shown] ?? frame.timestamp) : frame.timestamp;
    group.shown += 1;
    if (number > this.latest) this.latest = number;
    if (number < this.passed) frame.close();
    else {
      this.ready.push({ number, frame });
      this.ready.sort((a, b) => a.number - b.number);
    }
    this.wake();
  }

  private wake(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
