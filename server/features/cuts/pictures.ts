import sharp, { type Sharp } from "sharp";
import { csvLine } from "@/domain/csv";
import { toDataView } from "@/engine/bytes";
import type { TimeRange } from "@/engine/formats/chunk-reader";
import type { MergedReader } from "@/engine/formats/reader/merged-reader";
import type { RawMessage } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";
import { MessageDecoders } from "@/engine/messages/message-decoders";
import { unpackPicture } from "@/engine/messages/pictures/packed-picture";
import { getLayout, type Picture, type RawPicture } from "@/engine/messages/pictures/picture";
import { findPictureAdapter } from "@/engine/messages/pictures/pictures";
import { findRange, writePixels } from "@/engine/messages/pictures/raw-pixels";
import { UnreadableMessage } from "@/engine/messages/reading";
import { nameEntry } from "@/server/features/cuts/tables";
import type { StreamedEntry } from "@/server/platform/files/zip-stream";

/** Raw pictures are converted as a whole: this many pixels take 160 MB. */
const maxRawPixels = 40_000_000;
/** Lines of the list of what was left out. */
const maxLeftOut = 1_000;
const extensions = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp", "image/avif": "avif" } as const;

/** A picture as a file: bytes of compressed ones as they are, pixels as PNG. Throws UnreadableMessage. */
export async function encodePicture(
  picture: Picture,
): Promise<{ extension: (typeof extensions)[keyof typeof extensions]; bytes: Uint8Array<ArrayBuffer> }> {
  // The bytes lie in a chunk that may be replaced while they wait to be sent.
  if (picture.kind === "compressed")
    return { extension: extensions[picture.mediaType], bytes: new Uint8Array(picture.data) };
  if (picture.kind === "packed" && picture.form === "png" && picture.encoding !== "32FC1")
    return { extension: "png", bytes: new Uint8Array(picture.data) };
  const { width, height } = picture;
  if (width * height > maxRawPixels)
    throw new UnreadableMessage(`The picture has ${width} × ${height} pixels; at most 40 megapixels are converted.`);
  const raw = picture.kind === "packed" ? await unpackPicture(picture) : picture;
  const bytes = await toSharp(raw).png({ compressionLevel: 3 }).toBuffer();
  return { extension: "png", bytes: new Uint8Array(bytes) };
}

/** Values of 16 bits as they are; others as colours. */
function toSharp(picture: RawPicture): Sharp {
  const { width, height, encoding, step, bigEndian, data } = picture;
  if (encoding === "16UC1" || encoding === "mono16") {
    const view = toDataView(data);
    const values = new Uint16Array(width * height);
    for (let y = 0, at = 0; y < height; y++)
      for (let x = 0; x < width; x++, at++) values[at] = view.getUint16(y * step + 2 * x, !bigEndian);
    return sharp(values, { raw: { width, height, channels: 1 } }).toColourspace("grey16");
  }
  const pixels = new Uint32Array(width * height);
  writePixels(picture, pixels, getLayout(encoding).kind === "value" ? "turbo" : "grey", findRange(picture));
  return sharp(new Uint8Array(pixels.buffer), { raw: { width, height, channels: 4 } });
}

/** The pictures of cameras within a range as files named by their time, and a list of those that could not be read. */
export async function* listPictures(
  reader: MergedReader,
  topics: readonly string[],
  range: TimeRange,
): AsyncGenerator<StreamedEntry> {
  const decoders = new MessageDecoders();
  const taken = new Set<string>();
  const folders = new Map(topics.map((topic) => [topic, nameEntry(topic, "", taken)]));
  const names = new Set<string>();
  const leftOut: string[] = [];
  let missing = 0;
  for await (const batch of reader.messages({ topics: new Set(topics), ...range })) {
    for (const message of batch) {
      const { channel, logTime } = message;
      try {
        const { extension, bytes } = await encodePicture(read(decoders, message));
        yield { name: nameFile(names, `${folders.get(channel.topic) ?? "camera"}/${logTime}`, extension), bytes };
      } catch (error) {
        if (!(error instanceof UnreadableMessage || error instanceof RecordingError)) throw error;
        missing += 1;
        if (leftOut.length < maxLeftOut) leftOut.push(csvLine([channel.topic, logTime, error.message]));
      }
    }
  }
  if (missing === 0) return;
  const more = missing > leftOut.length ? csvLine(["", "", `${missing - leftOut.length} more`]) : "";
  yield {
    name: "left-out.csv",
    bytes: Buffer.from(csvLine(["topic", "log_time_ns", "reason"]) + leftOut.join("") + more),
  };
}

function read(decoders: MessageDecoders, message: RawMessage): Picture {
  const adapter = findPictureAdapter(message.channel.schemaName);
  if (adapter === null) throw new UnreadableMessage(`Messages of ${message.channel.schemaName} are no pictures.`);
  return adapter(decoders.decode(message));
}

/** Pictures come by time: only those of the same moment can have the same name. */
function nameFile(names: Set<string>, base: string, extension: string): string {
  let name = `${base}.${extension}`;
  for (let n = 2; names.has(name); n++) name = `${base}_${n}.${extension}`;
  if (names.size > 100) names.clear();
  names.add(name);
  return name;
}
