import { EncodedPacket, EncodedVideoPacketSource, type Output, type VideoCodec as FileCodec } from "mediabunny";
import type { VideoCodec, VideoUnit } from "@/engine/messages/pictures/video";
import { VideoStream, type StreamUnit } from "@/engine/messages/pictures/video-stream";

/** The codecs that go into a file as they were recorded; AV1 comes with parts that files must not hold. */
const names: Readonly<Partial<Record<VideoCodec, FileCodec>>> = { h264: "avc", h265: "hevc", vp9: "vp9" };
/** Seconds that the last picture is shown where there is no other one. */
const onlySeconds = 0.1;

/** Whether units can be put into a file as they are: pictures come in the order in which they are shown. */
export function canCopy(units: readonly VideoUnit[]): boolean {
  const stream = new VideoStream();
  for (const unit of units) stream.next(unit);
  return units.every(({ codec }) => codec in names) && stream.parameters !== null && stream.reorder === 0;
}

/** Puts the units of a video into a file without encoding them again. The first one has to be a keyframe. */
export class VideoCopy {
  private source: EncodedVideoPacketSource | null = null;
  private held: { unit: StreamUnit; time: bigint } | null = null;
  private first = 0n;
  private seconds = onlySeconds;
  codec: FileCodec | null = null;
  count = 0;

  constructor(
    private readonly output: Output,
    private readonly stream: VideoStream,
  ) {}

  async add(time: bigint, unit: VideoUnit): Promise<void> {
    const next = this.stream.next(unit);
    if (next === null || (this.codec === null && !next.isKey)) return;
    if (this.codec === null) {
      this.first = time;
      this.codec = names[unit.codec] ?? null;
      if (this.codec === null) return;
      this.source = new EncodedVideoPacketSource(this.codec);
      this.output.addVideoTrack(this.source);
      await this.output.start();
    }
    if (this.held !== null) {
      this.seconds = Number(time - this.held.time) / 1e9;
      await this.put(this.held);
    }
    this.held = { unit: next, time };
  }

  async finish(): Promise<void> {
    if (this.held !== null) await this.put(this.held);
  }

  private async put({ unit, time }: { unit: StreamUnit; time: bigint }): Promise<void> {
    const { parameters } = this.stream;
    if (!this.source || parameters === null) return;
    const packet = new EncodedPacket(
      unit.data,
      unit.isKey ? "key" : "delta",
      Number(time - this.first) / 1e9,
      this.seconds,
    );
    const config = { codec: parameters.codec, codedWidth: parameters.width, codedHeight: parameters.height };
    await this.source.add(packet, this.count === 0 ? { decoderConfig: config } : undefined);
    this.count += 1;
  }
}
