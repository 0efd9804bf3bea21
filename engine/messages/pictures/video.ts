import { latin1Text } from "@/engine/bytes";
import { checkSize, readBytes, readFields, readText, UnreadableMessage } from "@/engine/messages/reading";
import { readAv1Head } from "@/engine/video/av1";
import { getH264Type, h264Types, readH264Parameters } from "@/engine/video/h264";
import { getH265Type, h265Types, readH265Parameters } from "@/engine/video/h265";
import { joinByteStream, splitByteStream, splitLengthPrefixed } from "@/engine/video/nal-units";
import type { StreamParameters } from "@/engine/video/stream-parameters";
import { readVp9Head } from "@/engine/video/vp9";

export type VideoCodec = "h264" | "h265" | "vp9" | "av1";

/** How people call a codec. */
export const codecLabels: Readonly<Record<VideoCodec, string>> = {
  h264: "H.264",
  h265: "H.265",
  vp9: "VP9",
  av1: "AV1",
};

/** What a message of video carries. */
export interface VideoUnit {
  codec: VideoCodec;
  /** A picture that decoding can begin with, another one, or none but the parameters of those that follow. */
  kind: "key" | "delta" | "parameters";
  /** As decoders take it; H.264 and H.265 as a byte stream. */
  data: Uint8Array;
  /** Of H.264 and H.265: the parameter sets that it carries. */
  sets: Uint8Array[];
  /** What it says of the stream; null without a sequence parameter set or header. */
  parameters: StreamParameters | null;
  /** Of H.264: the first slice of a picture. */
  slice: Uint8Array | null;
}

/** By what a codec's name contains: of FFmpeg's encoders, such as hevc_nvenc, and of others. */
const names: readonly (readonly [RegExp, VideoCodec])[] = [
  [/264|avc/, "h264"],
  [/265|hevc/, "h265"],
  [/vp9|vp09/, "vp9"],
  [/av1|av01/, "av1"],
];

/**
 * A message of video, as foxglove.CompressedVideo and FFMPEGPacket carry it. Whether it is a keyframe is read from its bytes.
 * Throws UnreadableMessage for another codec, for bytes that are none of it, and for more than 100 megapixels.
 */
export function readVideoUnit(value: unknown): VideoUnit {
  const fields = readFields(value);
  const format = (readText(fields, "format") || readText(fields, "encoding")).split(";")[0] ?? "";
  const codec = names.find(([pattern]) => pattern.test(format.toLowerCase()))?.[1];
  if (codec === undefined) throw new UnreadableMessage(`Video of the format "${format.slice(0, 60)}" cannot be shown.`);
  const data = readBytes(fields, "data");
  if (data.length === 0) throw new UnreadableMessage("The message carries no video.");
  const unit = readers[codec](data);
  if (unit === null) throw new UnreadableMessage(`The bytes of the message are no ${codecLabels[codec]} video.`);
  if (unit.parameters) checkSize(unit.parameters.width, unit.parameters.height);
  return { codec, ...unit };
}

type ReadUnit = Omit<VideoUnit, "codec">;
const readers: Readonly<Record<VideoCodec, (data: Uint8Array) => ReadUnit | null>> = {
  h264: readH264,
  h265: readH265,
  vp9: readVp9,
  av1: readAv1,
};

/** The parts of a unit up to its first slice, and the unit as a byte stream. */
function splitUnit(data: Uint8Array, isSlice: (unit: Uint8Array) => boolean) {
  // A length of 256 looks like a start code of three bytes: lengths that add up exactly decide.
  const byLength = splitLengthPrefixed(data);
  if (byLength) return { parts: byLength, data: joinByteStream(byLength) };
  const parts = splitByteStream(data, isSlice);
  return parts.length > 0 ? { parts, data } : null;
}

function readH264(bytes: Uint8Array): ReadUnit | null {
  const isSlice = (unit: Uint8Array) => getH264Type(unit) >= h264Types.firstSlice && getH264Type(unit) <= h264Types.idr;
  const split = splitUnit(bytes, isSlice);
  // The first bit of every part is 0.
  if (!split || split.parts.some((part) => part[0]! >= 0x80)) return null;
  const slice = split.parts.find(isSlice) ?? null;
  const sps = split.parts.find((part) => getH264Type(part) === h264Types.sps);
  return {
    kind: slice === null ? "parameters" : getH264Type(slice) === h264Types.idr ? "key" : "delta",
    data: split.data,
    sets: split.parts.filter((part) => [h264Types.sps, h264Types.pps].some((type) => type === getH264Type(part))),
    parameters: sps ? readH264Parameters(sps) : null,
    slice,
  };
}

function readH265(bytes: Uint8Array): ReadUnit | null {
  const isSlice = (unit: Uint8Array) => getH265Type(unit) <= h265Types.lastSlice;
  const split = splitUnit(bytes, isSlice);
  if (!split || split.parts.some((part) => part.length < 2 || part[0]! >= 0x80)) return null;
  const slice = split.parts.find(isSlice);
  const type = slice && getH265Type(slice);
  const sps = split.parts.find((part) => getH265Type(part) === h265Types.sps);
  const isKey = type !== undefined && type >= h265Types.firstKey && type <= h265Types.lastKey;
  return {
    kind: type === undefined ? "parameters" : isKey ? "key" : "delta",
    data: split.data,
    sets: split.parts.filter((part) => getH265Type(part) >= h265Types.vps && getH265Type(part) <= h265Types.pps),
    parameters: sps ? readH265Parameters(sps) : null,
    slice: null,
  };
}

function readVp9(data: Uint8Array): ReadUnit | null {
  const parameters = readVp9Head(data);
  if (parameters === undefined) return null;
  return { kind: parameters ? "key" : "delta", data, sets: [], parameters, slice: null };
}

function readAv1(data: Uint8Array): ReadUnit | null {
  // Files of it begin so, which a message must not be.
  const head = latin1Text(data.subarray(0, 4)) === "DKIF" ? null : readAv1Head(data);
  if (head === null) return null;
  const { hasFrame, isKey, parameters } = head;
  return { kind: !hasFrame ? "parameters" : isKey ? "key" : "delta", data, sets: [], parameters, slice: null };
}
