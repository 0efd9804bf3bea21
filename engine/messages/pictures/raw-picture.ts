import { findEncoding, getLayout, type RawPicture } from "@/engine/messages/pictures/picture";
import { checkSize, readBytes, readFields, readNumber, readText, UnreadableMessage } from "@/engine/messages/reading";

/** A message of an uncompressed picture. Throws UnreadableMessage when its bytes do not hold what its fields say. */
export function readRawPicture(value: unknown): RawPicture {
  const fields = readFields(value);
  const [width, height] = [readNumber(fields, "width"), readNumber(fields, "height")];
  checkSize(width, height);
  const name = readText(fields, "encoding");
  const encoding = findEncoding(name);
  if (encoding === null) throw new UnreadableMessage(`The encoding "${name.slice(0, 40)}" is not known.`);
  const data = readBytes(fields, "data");
  const { bytes, rows } = getLayout(encoding);
  const least = width * bytes;
  const step = readNumber(fields, "step") || least;
  if (step < least)
    throw new UnreadableMessage(
      `The field "step" is ${step}; a row of ${width} pixels of ${name} takes ${least} bytes.`,
    );
  const height2 = Math.ceil(height * rows);
  // The last row need not be padded.
  const needed = step * (height2 - 1) + least;
  if (data.length < needed) {
    const said = needed.toLocaleString("en");
    throw new UnreadableMessage(
      `The message says ${width} × ${height} ${name} (${said} bytes) but carries ${data.length.toLocaleString("en")}.`,
    );
  }
  const bigEndian = fields.is_bigendian === true || fields.is_bigendian === 1;
  return { kind: "raw", width, height, encoding, step, bigEndian, data };
}
