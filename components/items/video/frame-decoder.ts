import type { ReadBytes, VideoIndex } from "./mp4-index";

/** Decoded pictures that are held, at most so many and of so many bytes together. */
const ring = { frames: 60, bytes: 320 * 1024 * 1024 };
/** Encoded pictures that are given beyond the wanted one, before the decoder is made to give what it holds back. */
const maxAhead = 16;
const pieceBytes = 1024 * 1024;

/** Gives the exact picture of any number of a video, decoding from the keyframe before it. One call at a time. */
export class FrameDecoder {
  private decoder: VideoDecoder | null = null;
  /** The number, in the order of decoding, that is given next; null when that has to be a keyframe. */
  private next: number | null = null;
  private wanted = 0;
  private readonly frames = new Map<number, ImageBitmap>();
  private pending = 0;
  private wakers: (() => void)[] = [];
  private failure: DOMException | null = null;
  private piece = { offset: 0, bytes: new Uint8Array(0) };
  private readonly maxFrames: number;
  /** The place in the order of decoding of each picture. */
  private readonly places: Uint32Array;

  constructor(
    private readonly index: VideoIndex,
    private readonly read: ReadBytes,
    private readonly fileBytes: number,
  ) {
    this.places = new Uint32Array(index.samples.length);
    for (const [at, { frame }] of index.samples.entries()) this.places[frame] = at;
    this.maxFrames = Math.max(4, Math.min(ring.frames, Math.floor(ring.bytes / (index.width * index.height * 4 || 1))));
  }

  /** The picture of a number, which this retains; null when another one is wanted meanwhile. Throws why it cannot. */
  async get(frame: number, isWanted: () => boolean): Promise<ImageBitmap | null> {
    const held = this.frames.get(frame);
    if (held) return held;
    this.wanted = frame;
    const place = this.places[frame] ?? 0;
    const key = this.findKey(place, frame);
    const canContinue =
      this.decoder?.state === "configured" && this.next !== null && this.next >= key && this.next <= place;
    if (!canContinue) this.restart(key);
    await this.feedUntil(place, isWanted);
    if (!isWanted()) return null;
    for (let ahead = 0; ahead < maxAhead && !this.frames.has(frame) && this.failure === null; ahead++) {
      await this.settle();
      if (this.frames.has(frame) || this.next === null || this.next >= this.index.samples.length) break;
      if (this.index.samples[this.next]?.isKey) break;
      await this.feed(this.next++);
    }
    if (!this.frames.has(frame) && this.failure === null) await this.flush();
    const found = this.frames.get(frame);
    if (found) return found;
    this.end();
    throw new Error(this.failure?.message ?? "The video is damaged here.");
  }

  /** The keyframe from which a picture can be decoded; the one before where it is shown before its own. */
  private findKey(place: number, frame: number): number {
    const { samples } = this.index;
    for (let at = place; at > 0; at--) {
      const sample = samples[at];
      if (sample?.isKey && sample.frame <= frame) return at;
    }
    return 0;
  }

  private restart(key: number): void {
    this.end();
    this.failure = null;
    const decoder = new VideoDecoder({
      output: (frame) => void this.take(decoder, frame),
      error: (error) => {
        if (this.decoder !== decoder) return;
        this.failure = error;
        this.wake();
      },
    });
    decoder.addEventListener("dequeue", () => this.wake());
    decoder.configure(this.index.config);
    this.decoder = decoder;
    this.next = key;
  }

  private async feedUntil(place: number, isWanted: () => boolean): Promise<void> {
    while (this.next !== null && this.next <= place && this.failure === null && isWanted()) {
      while ((this.decoder?.decodeQueueSize ?? 0) > 8 && this.failure === null) await this.change();
      await this.feed(this.next++);
    }
  }

  private async feed(place: number): Promise<void> {
    const sample = this.index.samples[place];
    if (!sample || this.decoder?.state !== "configured") return;
    const data = await this.readSample(sample.offset, sample.size);
    if (this.decoder.state !== "configured") return;
    const type = sample.isKey ? "key" : "delta";
    this.decoder.decode(new EncodedVideoChunk({ type, timestamp: sample.frame, data }));
  }

  /** Bytes of an encoded picture, of which those behind it are read too. */
  private async readSample(offset: number, size: number): Promise<Uint8Array> {
    const { piece } = this;
    if (offset < piece.offset || offset + size > piece.offset + piece.bytes.length) {
      const length = Math.min(Math.max(size, pieceBytes), this.fileBytes - offset);
      this.piece = { offset, bytes: await this.read(offset, length) };
    }
    const from = offset - this.piece.offset;
    return this.piece.bytes.subarray(from, from + size);
  }

  private async take(decoder: VideoDecoder, frame: VideoFrame): Promise<void> {
    const { timestamp } = frame;
    const isNear = Math.abs(timestamp - this.wanted) < this.maxFrames / 2;
    if (this.decoder !== decoder || !isNear || this.frames.has(timestamp)) return frame.close();
    // A copy: decoders have few pictures of their own and wait until those are given back.
    this.pending += 1;
    try {
      const copy = await createImageBitmap(frame);
      this.frames.set(timestamp, copy);
      this.forget();
    } finally {
      frame.close();
      this.pending -= 1;
      this.wake();
    }
  }

  /** Closes the pictures that are farthest from the wanted one. */
  private forget(): void {
    while (this.frames.size > this.maxFrames) {
      let farthest = this.wanted;
      for (const number of this.frames.keys())
        if (Math.abs(number - this.wanted) > Math.abs(farthest - this.wanted)) farthest = number;
      this.frames.get(farthest)?.close();
      this.frames.delete(farthest);
    }
  }

  /** Resolves when everything that was given has been decoded. */
  private async settle(): Promise<void> {
    while (this.failure === null && ((this.decoder?.decodeQueueSize ?? 0) > 0 || this.pending > 0)) await this.change();
  }

  /** Has the decoder give all pictures; a keyframe has to come next. */
  private async flush(): Promise<void> {
    this.next = null;
    try {
      await this.decoder?.flush();
      await this.settle();
    } catch (error) {
      this.failure ??= error instanceof DOMException ? error : new DOMException(String(error));
    }
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.wakers.push(resolve));
  }

  private wake(): void {
    for (const waker of this.wakers.splice(0)) waker();
  }

  private end(): void {
    const { decoder } = this;
    this.decoder = null;
    this.next = null;
    if (decoder && decoder.state !== "closed") decoder.close();
    this.wake();
  }

  close(): void {
    this.end();
    for (const frame of this.frames.values()) frame.close();
    this.frames.clear();
  }
}
