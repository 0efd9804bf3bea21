import pLimit from "p-limit";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { isCalibrationSchema, readCalibration } from "@/engine/messages/pictures/calibration";
import { readFrame } from "@/engine/messages/pose";
import { chooseStamp, readStamp } from "@/engine/messages/poses/stamp";
import { TransformReader, type TransformReach } from "@/engine/messages/poses/transform-reader";
import { TransformTree } from "@/engine/messages/poses/transform-tree";
import { readFields, readList, UnreadableMessage, type Fields } from "@/engine/messages/reading";
import { getKind } from "@/server/features/moments/item-file";

const second = 1_000_000_000n;
/** Frames follow each other, but those that are made at the same time come out of their order. */
const reach: TransformReach = {
  before: 10n * second,
  after: second / 2n,
  ahead: { first: 5n * second, next: 5n * second },
  near: { before: 10n * second, after: 5n * second },
};
/** How long transforms before a frame are retained. */
const retained = 60n * second;

/** How its sensor saw an item; kept in its metadata. Lengths in metres, orientations as x, y, z, w. */
export interface SensorFacts {
  /** Where the sensor's frame is, seen from another that the recording's frames have in common. */
  pose?: { frame_id: string; position: number[]; orientation: number[] };
  /** How its camera maps places to pixels, as messages of cameras have it. */
  calibration?: CameraFacts;
}

type CameraFacts = Record<string, string | number | number[] | Record<string, number>>;

/** A topic of the recording. */
interface Topic {
  topic: string;
  schemaName: string;
}

/** A message of a camera's calibration. */
interface KnownCalibration {
  topic: string;
  frame: string;
}

/**
 * Reads where cameras and clouds of a recording were, and how the cameras see, so that what is marked in a cloud can be
 * found in pictures of its time.
 */
export class SensorReader {
  private readonly reading = pLimit(1);
  private readonly tree = new TransformTree();
  private readonly transforms: TransformReader;
  private calibrations: Promise<KnownCalibration[]> | null = null;
  private readonly cameraFacts = new Map<string, Promise<CameraFacts | null>>();

  constructor(
    private readonly chunks: ChunkReader,
    private readonly decoders: MessageDecoders,
    private readonly topics: readonly Topic[],
  ) {
    const named = topics.map(({ topic, schemaName }) => ({ name: topic, schema: schemaName }));
    this.transforms = new TransformReader(named, chunks, decoders, reach);
  }

  /** What is known of the sensor of a message: nothing where the recording does not say it. */
  read(message: RawMessage): Promise<SensorFacts> {
    return this.reading(async () => {
      try {
        return await this.readFacts(message);
      } catch (error) {
        if (error instanceof UnreadableMessage || error instanceof RecordingError) return {};
        throw error;
      }
    });
  }

  private async readFacts(message: RawMessage): Promise<SensorFacts> {
    const { topic, schemaName } = message.channel;
    const fields = readFields(this.decoders.decode(message));
    const frame = readFrame(fields);
    const calibration = getKind(schemaName) === "image" ? await this.findCalibration(topic, frame) : null;
    const pose = await this.findPose(frame, chooseStamp(readStamp(fields), message.logTime));
    return { ...(pose && { pose }), ...(calibration && { calibration }) };
  }

  private async findPose(frame: string, at: bigint): Promise<SensorFacts["pose"] | null> {
    if (frame === "") return null;
    for await (const read of this.transforms.read(at)) this.tree.take(read);
    this.tree.forgetBefore(at - retained);
    const root = this.tree.findRoot();
    const located = root === null ? null : this.tree.locate(frame, root, at);
    if (root === null || located === null || !("pose" in located)) return null;
    const { position, orientation } = located.pose;
    return { frame_id: root, position: [...position], orientation: [...orientation] };
  }

  private findCalibration(topic: string, frame: string): Promise<CameraFacts | null> {
    const known = this.cameraFacts.get(topic);
    if (known) return known;
    const found = this.readCalibrationOf(topic, frame);
    this.cameraFacts.set(topic, found);
    return found;
  }

  /** That of the camera's frame, else the one whose name begins most like the camera's. */
  private async readCalibrationOf(camera: string, frame: string): Promise<CameraFacts | null> {
    this.calibrations ??= this.listCalibrations();
    const known = await this.calibrations;
    const cameras = this.topics.filter(({ schemaName }) => getKind(schemaName) === "image");
    const named = known.filter((each) => each.frame !== "" && each.frame === frame);
    const others = known.filter((each) => each.frame === "" || frame === "");
    const near = others
      .map((each) => ({ ...each, shared: countShared(each.topic, camera) }))
      .filter(({ shared }) => shared > 0 || (cameras.length === 1 && known.length === 1))
      .sort((a, b) => b.shared - a.shared);
    const [chosen] = [...named.sort((a, b) => countShared(b.topic, camera) - countShared(a.topic, camera)), ...near];
    const message = chosen ? await this.chunks.findFirst(chosen.topic) : null;
    return message && toCameraFacts(readFields(this.decoders.decode(message)));
  }

  private async listCalibrations(): Promise<KnownCalibration[]> {
    const found: KnownCalibration[] = [];
    for (const { topic } of this.topics.filter(({ schemaName }) => isCalibrationSchema(schemaName))) {
      const message = await this.chunks.findFirst(topic);
      if (message) found.push({ topic, frame: readFrame(readFields(this.decoders.decode(message))) });
    }
    return found;
  }
}

/** Whether a recording can say how what is marked in the clouds among these topics looks in the pictures among them. */
export function relatesClouds(topics: readonly Topic[], chosen: ReadonlySet<string>): boolean {
  const kinds = new Set(topics.filter(({ topic }) => chosen.has(topic)).map(({ schemaName }) => getKind(schemaName)));
  return kinds.has("image") && kinds.has("points") && topics.some(({ schemaName }) => isCalibrationSchema(schemaName));
}

/** How many parts two names of topics begin with together. */
function countShared(a: string, b: string): number {
  const [left, right] = [a.split("/").filter(Boolean), b.split("/").filter(Boolean)];
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared += 1;
  return shared;
}

/** A calibration without what belongs to its message. Throws UnreadableMessage where the camera is not calibrated. */
function toCameraFacts(fields: Fields): CameraFacts {
  const { width, height } = readCalibration(fields);
  const list = (name: string) =>
    Array.from(readList(fields, fields[name] === undefined ? name.toUpperCase() : name), Number);
  const number = (value: unknown) => Number(value ?? 0) || 0;
  const roi = readFields(fields.roi ?? {});
  const facts: CameraFacts = {
    width: number(fields.width) || width,
    height: number(fields.height) || height,
    distortion_model: typeof fields.distortion_model === "string" ? fields.distortion_model : "",
    d: list("d"),
    k: list("k"),
    r: list("r"),
    p: list("p"),
  };
  if (number(fields.binning_x) > 1) facts.binning_x = number(fields.binning_x);
  if (number(fields.binning_y) > 1) facts.binning_y = number(fields.binning_y);
  if (number(roi.width) > 0)
    facts.roi = {
      x_offset: number(roi.x_offset),
      y_offset: number(roi.y_offset),
      width: number(roi.width),
      height: number(roi.height),
    };
  return facts;
}
