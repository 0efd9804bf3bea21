import type { ByteSource } from "@/engine/formats/byte-source";
import { joinByteStream, splitLengthPrefixed } from "@/engine/video/nal-units";
import type { ParameterBox } from "@/engine/video/parameter-box";
import { decodePicture, VideoUndecoded, type WantedPicture } from "@/server/platform/video/ffmpeg";

/** A larger picture of a video is not decoded for a small one. */
const maxSampleBytes = 32 * 1024 * 1024;
/** Pixels on the longer side of what is decoded. */
const maxSide = 640;

/** The first keyframe of a video, and where the parameters of its stream lie. */
export interface VideoStart {
  /** As an MP4 file names it: `avc1.640028`. */
  codec: string;
  width: number;
  height: number;
  sample: { offset: number; size: number };
  /** The content of avcC, hvcC or av1C; null without one. */
  parameters: ParameterBox | null;
}

const codecs: Readonly<Record<string, WantedPicture["codec"]>> = {
  avc1: "h264",
  avc3: "h264",
  hvc1: "h265",
  hev1: "h265",
  vp09: "vp9",
  av01: "av1",
};

/** Reads the lists of parts in avcC and hvcC, each preceded by its length in two bytes. */
class PartReader {
  private at: number;

  constructor(
    private readonly bytes: Uint8Array,
    start: number,
  ) {
    this.at = start;
  }

  byte(): number {
    return this.bytes[this.at++] ?? 0;
  }

  pair(): number {
    return this.byte() * 256 + this.byte();
  }

  parts(count: number): Uint8Array[] {
    return Array.from({ length: count }, () => {
      const length = this.pair();
      const part = this.bytes.subarray(this.at, this.at + length);
      this.at += length;
      return part;
    });
  }
}

/** The parameter sets of H.264, and in how many bytes a picture's parts have their length. */
function readAvc(bytes: Uint8Array): { sets: Uint8Array[]; lengthBytes: number } {
  const reader = new PartReader(bytes, 5);
  const sequences = reader.parts(reader.byte() & 31);
  return { sets: [...sequences, ...reader.parts(reader.byte())], lengthBytes: ((bytes[4] ?? 0) & 3) + 1 };
}

function readHevc(bytes: Uint8Array): { sets: Uint8Array[]; lengthBytes: number } {
  const reader = new PartReader(bytes, 22);
  const sets: Uint8Array[] = [];
  for (let arrays = reader.byte(); arrays > 0; arrays--) {
    reader.byte();
    sets.push(...reader.parts(reader.pair()));
  }
  return { sets, lengthBytes: ((bytes[21] ?? 0) & 3) + 1 };
}

/** The picture as ffmpeg takes it; null where its parts do not add up. */
function toUnit(codec: WantedPicture["codec"], sample: Uint8Array, parameters: Uint8Array): Uint8Array | null {
  if (codec === "vp9") return sample;
  // The sequence header comes before the picture.
  if (codec === "av1") return Buffer.concat([parameters.subarray(4), sample]);
  const { sets, lengthBytes } = codec === "h264" ? readAvc(parameters) : readHevc(parameters);
  const parts = splitLengthPrefixed(sample, lengthBytes);
  return parts && joinByteStream([...sets, ...parts]);
}

/** The first picture of a video as JPEG, decoded by ffmpeg; null for a codec or a file of which it makes none. */
export async function decodePoster(
  program: string,
  file: ByteSource,
  { codec: name, width, height, sample, parameters }: VideoStart,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  const codec = codecs[name.split(".")[0] ?? ""];
  const isThere = ({ offset, size }: { offset: number; size: number }) => offset + size <= file.size;
  if (codec === undefined || sample.size > maxSampleBytes || !isThere(sample)) return null;
  const picture = await file.read(sample.offset, sample.size);
  const head =
    parameters && isThere(parameters) ? await file.read(parameters.offset, parameters.size) : new Uint8Array(0);
  const unit = toUnit(codec, picture, head);
  if (unit === null) return null;
  try {
    return await decodePicture(program, { codec, units: [unit], width, height, index: 0, maxSide }, signal);
  } catch (error) {
    if (error instanceof VideoUndecoded) return null;
    throw error;
  }
}
