import { VideoSupport } from "@/components/recording/thread/video-support";
import type { VideoUnit } from "@/engine/messages/pictures/video";
import type { VideoStream } from "@/engine/messages/pictures/video-stream";
import type { PictureEncoder } from "./picture-encoder";

/** Units given to the decoder that it has not taken yet. */
const maxQueued = 8;

/** Decodes the units of a video and encodes its pictures, each at the time of the message with its number. */
export class VideoRecode {
  private decoder: VideoDecoder | null = null;
  private readonly frames: VideoFrame[] = [];
  /** The times of messages whose pictures have not come out yet. */
  private times: bigint[] = [];
  private failure: DOMException | null = null;

  constructor(
    private readonly encoder: PictureEncoder,
    private readonly stream: VideoStream,
  ) {}

  async add(time: bigint, unit: VideoUnit): Promise<void> {
    const next = this.stream.next(unit);
    const { parameters } = this.stream;
    if (next === null || parameters === null || (this.decoder === null && !next.isKey)) return;
    if (next.isKey) {
      // So that a missing picture moves no other one beyond the next keyframe.
      await this.drain(true);
      if (this.decoder === null) {
        const reason = await new VideoSupport().findReason(unit.codec, parameters);
        if (reason !== null) throw new Error(reason);
        this.decoder = new VideoDecoder({
          output: (frame) => void this.frames.push(frame),
          error: (error) => (this.failure = error),
        });
      }
      this.decoder.configure({ codec: parameters.codec });
    }
    this.times.push(time);
    this.decoder?.decode(
      new EncodedVideoChunk({
        type: next.isKey ? "key" : "delta",
        timestamp: Number(time / 1_000n),
        data: next.data,
      }),
    );
    await this.drain(false);
  }

  async finish(): Promise<void> {
    await this.drain(true);
    this.close();
  }

  close(): void {
    for (const frame of this.frames.splice(0)) frame.close();
    if (this.decoder?.state !== "closed") this.decoder?.close();
  }

  /** Encodes the pictures that came out; all that were given, or until the decoder takes more. */
  private async drain(isEnd: boolean): Promise<void> {
    const { decoder } = this;
    if (decoder?.state !== "configured") return;
    if (isEnd) await decoder.flush();
    while (decoder.decodeQueueSize > maxQueued && this.failure === null)
      await new Promise((resolve) => decoder.addEventListener("dequeue", resolve, { once: true }));
    if (this.failure) throw new Error("The video is damaged: a message is missing or broken.");
    for (let frame = this.frames.shift(); frame; frame = this.frames.shift()) await this.encode(frame);
    if (isEnd) this.times = [];
  }

  private async encode(frame: VideoFrame): Promise<void> {
    const time = this.times.shift();
    try {
      if (time === undefined) return;
      this.encoder.view.drawBitmap(frame, frame.displayWidth, frame.displayHeight);
      await this.encoder.add(time);
    } finally {
      frame.close();
    }
  }
}
