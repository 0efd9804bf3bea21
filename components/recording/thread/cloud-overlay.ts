import type { SceneTopic } from "@/components/recording/thread/scene-feed";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import {
  chooseSize,
  findValueRange,
  listColourings,
  PointRaster,
  projectCloud,
  type SeenPoints,
} from "@/engine/messages/clouds/cloud-projection";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import type { ValueRange } from "@/engine/messages/pictures/raw-pixels";
import { compose } from "@/engine/messages/pose";
import { chooseStamp, readStamp } from "@/engine/messages/poses/stamp";
import { readFields, UnreadableMessage } from "@/engine/messages/reading";
import type { Cloud } from "@/engine/messages/scene-object";
import { findCamera, type ShownPicture } from "./camera-sight";
import { FrameLocator } from "./frame-locator";
import { NewestMoment } from "./newest-moment";
import { toReason } from "./reason";
import { loadLatestAdapter } from "./scene-adapter-loading";

/** What is drawn over the pictures of a camera, and how. */
export interface CloudChoice {
  topic: string;
  frequency_hz: number;
  /** The topic of the camera's calibration. */
  calibration: string;
  /** Whether the pictures are rectified. */
  isRectified: boolean;
  colourBy: string | null;
  /** Pixels of the picture; null chooses. */
  pointSize: number | null;
}

/** What a cloud shows over a picture. */
export type CloudReport = { topic: string } & (
  | {
      state: "drawn";
      points: number;
      values: (ValueRange & { unit: string }) | null;
      colouredBy: string;
      colourings: string[];
      /** Whether it was measured at another time than the picture. */
      isApart: boolean;
      notes: string[];
    }
  | { state: "none"; first: bigint | null }
  | { state: "failed"; reason: string }
);

/** A range that moved by no more than this part of itself stays, so that colours do not flicker. */
const rangeTolerance = 0.1;
/** Messages after the picture that are looked at, and how far, for the one that is nearest to it. */
const [maxLater, farthest] = [2, 500_000_000n];

const apart = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);

/** Draws the points of a cloud where the camera sees them; the picture shown last counts. */
export class CloudOverlay {
  private readonly context: OffscreenCanvasRenderingContext2D;
  private readonly frames: FrameLocator;
  private readonly pictures = new NewestMoment<ShownPicture>((picture) => this.update(picture));
  private raster: PointRaster | null = null;
  private range: ValueRange | null = null;
  private drawn = "";
  private last: ShownPicture | null = null;

  constructor(
    private readonly camera: string,
    private choice: CloudChoice,
    topics: readonly SceneTopic[],
    private readonly chunks: ChunkReader,
    private readonly decoders: MessageDecoders,
    private readonly canvas: OffscreenCanvas,
    private readonly onReport: (report: CloudReport) => void,
  ) {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("This browser cannot draw pictures here.");
    this.context = context;
    this.frames = new FrameLocator(topics, chunks, decoders);
  }

  /** The topics whose next chunks are needed. */
  get topics(): readonly string[] {
    return [this.choice.topic, ...this.frames.topics];
  }

  configure(choice: CloudChoice): void {
    this.choice = choice;
    this.range = null;
    this.drawn = "";
    if (this.last !== null) this.show(this.last);
  }

  /** Draws what belongs to a picture; null: none is shown. */
  show(picture: ShownPicture | null): void {
    this.last = picture;
    if (picture === null) this.clear();
    else void this.pictures.show(picture);
  }

  close(): void {
    this.pictures.close();
  }

  private async update(picture: ShownPicture): Promise<void> {
    const { choice } = this;
    const { topic } = choice;
    const key = `${picture.time} ${picture.width} ${picture.height}`;
    if (this.drawn === key) return;
    const report = await this.draw(picture, choice).catch((error: unknown): CloudReport => ({
      topic,
      state: "failed",
      reason: toReason(error),
    }));
    if (!this.isWanted(choice)) return;
    this.drawn = key;
    if (report.state !== "drawn") this.clear(key);
    this.onReport(report);
  }

  /** Whether what was drawn for a choice, or failed, still counts: nothing else was chosen meanwhile, and a picture is shown. */
  private isWanted(choice: CloudChoice): boolean {
    return !this.pictures.isClosed && choice === this.choice && this.last !== null;
  }

  private clear(drawn = ""): void {
    this.drawn = drawn;
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  private async draw(picture: ShownPicture, choice: CloudChoice): Promise<CloudReport> {
    const { topic } = choice;
    const camera = { camera: this.camera, calibration: choice.calibration, isRectified: choice.isRectified };
    const { view, frame, stamp } = await findCamera(this.chunks, this.decoders, camera, picture);
    const message = await this.findNearest(choice, picture.time, stamp);
    if (message === null) {
      const first = await this.chunks.findFirst(topic);
      return { topic, state: "none", first: first?.logTime ?? null };
    }
    const { cloud, notes } = await this.readCloud(message);
    await this.frames.update(picture.time);
    const measured = chooseStamp(cloud.stamp, message.logTime);
    const located = this.frames.locate(cloud.frame || frame, measured, frame, stamp);
    if (!("pose" in located)) throw new UnreadableMessage(located.reason);
    const seen = projectCloud(cloud, compose(located.pose, cloud.pose), view, choice.colourBy);
    // What was chosen meanwhile is drawn instead.
    if (this.isWanted(choice)) this.paint(seen, picture, choice.pointSize);
    const later = Number(measured - stamp) / 1e9;
    const isApart = Math.abs(later) > Math.max(0.2, choice.frequency_hz > 0 ? 1.5 / choice.frequency_hz : 0);
    return {
      topic,
      state: "drawn",
      points: seen.count,
      values: this.range && { ...this.range, unit: seen.colouredBy === "distance" ? "m" : "" },
      colouredBy: seen.colouredBy,
      colourings: listColourings(cloud),
      isApart,
      notes: [
        ...(isApart ? [`${Math.abs(later).toFixed(1)} s ${later < 0 ? "before" : "after"} the picture`] : []),
        ...(cloud.frame === "" ? ["it names no frame: drawn in that of the camera"] : []),
        ...(seen.count === 0 && cloud.count > 0 ? ["none of its points is in the picture"] : []),
        ...(seen.step > 1 ? [`one in ${seen.step} of ${cloud.count.toLocaleString("en")} points is drawn`] : []),
        ...notes,
      ],
    };
  }

  /** The message of a cloud that was measured nearest to when a picture was taken; logs have them in any order. */
  private async findNearest({ topic, frequency_hz: hz }: CloudChoice, time: bigint, stamp: bigint) {
    const latest = await this.chunks.findLatest(topic, time);
    const period = hz > 0 ? BigInt(Math.round(1e9 / hz)) : 0n;
    const end = time + (period < farthest ? period : farthest);
    const later = period === 0n ? [] : await this.chunks.listBetween(topic, { start: time + 1n, end }, maxLater);
    let best: { message: RawMessage; away: bigint } | null = null;
    for (const message of latest === null ? later : [latest, ...later]) {
      const measured = chooseStamp(readStamp(readFields(this.decoders.decode(message))), message.logTime);
      const away = apart(measured, stamp);
      if (best === null || away < best.away) best = { message, away };
    }
    return best?.message ?? null;
  }

  private async readCloud(message: RawMessage): Promise<{ cloud: Cloud; notes: string[] }> {
    const { schemaName } = message.channel;
    const adapter = await loadLatestAdapter(schemaName);
    const read = adapter?.(this.decoders.decode(message));
    const cloud = read?.objects.find((object) => object.kind === "cloud");
    if (read === undefined || cloud === undefined)
      throw new UnreadableMessage(`Messages of ${schemaName} hold no points.`);
    return { cloud, notes: read.notes };
  }

  private paint(seen: SeenPoints, { width, height }: ShownPicture, pointSize: number | null): void {
    if (this.raster?.pictureWidth !== width || this.raster.pictureHeight !== height)
      this.raster = new PointRaster(width, height);
    const { raster, canvas } = this;
    this.range = this.chooseRange(findValueRange(seen));
    raster.draw(seen, this.range, "turbo", pointSize ?? chooseSize(width));
    if (canvas.width !== raster.width) canvas.width = raster.width;
    if (canvas.height !== raster.height) canvas.height = raster.height;
    const bytes = new Uint8ClampedArray(raster.pixels.buffer);
    this.context.putImageData(new ImageData(bytes, raster.width, raster.height), 0, 0);
  }

  private chooseRange(found: ValueRange | null): ValueRange | null {
    const { range } = this;
    if (range === null || found === null) return found;
    const moved = Math.max(Math.abs(found.min - range.min), Math.abs(found.max - range.max));
    return moved > rangeTolerance * (range.max - range.min) ? found : range;
  }
}
