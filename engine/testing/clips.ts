import fs from "node:fs";

/** The clips that scripts/make-video-clips.mjs made: 60 pictures of 480 × 272 pixels, a keyframe every 15. */
export type ClipName = "h264" | "h264-b" | "h265" | "vp9" | "av1";

export const clip = { pictures: 60, group: 15, width: 480, height: 272 } as const;

/** What was encoded of each picture, in the order of decoding. */
export function readClip(name: ClipName): Uint8Array[] {
  const bytes = fs.readFileSync(new URL(`clips/${name}.ivf`, import.meta.url));
  const units: Uint8Array[] = [];
  for (let at = 32; at < bytes.length;) {
    const length = bytes.readUInt32LE(at);
    units.push(new Uint8Array(bytes.subarray(at + 12, at + 12 + length)));
    at += 12 + length;
  }
  return units;
}

/** A byte stream with the length of each part before it instead of a start code. */
export function toLengthPrefixed(stream: Uint8Array): Uint8Array {
  const text = Buffer.from(stream).toString("latin1");
  const parts = text.split(/\0*\0\0\x01/).filter((part) => part !== "");
  return Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(part.length);
      return [length, Buffer.from(part, "latin1")];
    }),
  );
}
