import { CanvasSource, getFirstEncodableVideoCodec, QUALITY_HIGH, type Output, type VideoCodec } from "mediabunny";
import { PictureView } from "@/components/recording/thread/picture-view";

/** From what most programs play to what some do. */
const codecs: VideoCodec[] = ["avc", "vp9", "av1"];
/** Seconds that the last picture is shown where there is no other one. */
const onlySeconds = 0.1;

/** Encodes pictures into a file, each shown until the next one. All have the size of the first. */
export class PictureEncoder {
  private readonly drawn = new OffscreenCanvas(1, 1);
  private readonly shown = new OffscreenCanvas(1, 1);
  readonly view = new PictureView(this.drawn);
  private source: CanvasSource | null = null;
  private first = 0n;
  private last: bigint | null = null;
  private seconds = onlySeconds;
  /** What it encodes to; null before the first picture. */
  codec: VideoCodec | null = null;
  count = 0;

  constructor(private readonly output: Output) {}

  /** Adds the picture that is drawn in `view`; `time` is in nanoseconds. Throws when the browser encodes no such pictures. */
  async add(time: bigint): Promise<void> {
    const source = this.source ?? (await this.begin(time));
    if (this.last !== null) {
      this.seconds = Number(time - this.last) / 1e9;
      // Two at one moment: the later one counts.
      if (this.seconds > 0) await this.put(source, this.last);
    }
    this.last = time;
    const { width, height } = this.shown;
    const context = this.shown.getContext("2d");
    context?.clearRect(0, 0, width, height);
    const scale = Math.min(width / this.drawn.width, height / this.drawn.height, 1);
    context?.drawImage(this.drawn, 0, 0, this.drawn.width * scale, this.drawn.height * scale);
  }

  /** Encodes the last picture. */
  async finish(): Promise<void> {
    if (this.source && this.last !== null) await this.put(this.source, this.last);
  }

  private async put(source: CanvasSource, time: bigint): Promise<void> {
    await source.add(Number(time - this.first) / 1e9, this.seconds);
    this.count += 1;
  }

  private async begin(time: bigint): Promise<CanvasSource> {
    this.first = time;
    // Encoders take no odd sizes.
    this.shown.width = this.drawn.width + (this.drawn.width % 2);
    this.shown.height = this.drawn.height + (this.drawn.height % 2);
    const { width, height } = this.shown;
    this.codec = await getFirstEncodableVideoCodec(codecs, { width, height, quality: QUALITY_HIGH });
    if (this.codec === null)
      throw new Error(`This browser encodes no pictures of ${width} × ${height} pixels in H.264, VP9 or AV1.`);
    this.source = new CanvasSource(this.shown, { codec: this.codec, quality: QUALITY_HIGH });
    this.output.addVideoTrack(this.source);
    await this.output.start();
    return this.source;
  }
}
