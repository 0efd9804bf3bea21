import type { RawPicture } from "@/engine/messages/pictures/picture";

/** Which pixel of a block of four, by rows, is red and which is blue; the other two are green. */
const filters: Readonly<Record<string, readonly [red: number, blue: number]>> = {
  rggb: [0, 3],
  bggr: [3, 0],
  gbrg: [2, 1],
  grbg: [1, 2],
};

/** A picture behind a colour filter: each block of four pixels gets the colour that they measure together. */
export function writeBayer(picture: RawPicture, into: Uint32Array): void {
  const { width, height, step, encoding, bigEndian, data } = picture;
  const [red, blue] = filters[encoding.slice(6, 10)] ?? [0, 3];
  const bytes = encoding.endsWith("16") ? 2 : 1;
  // Of 16 bits the higher byte is shown.
  const high = bytes === 2 && !bigEndian ? 1 : 0;
  const block = new Uint8Array(4);
  for (let y = 0; y < height; y += 2) {
    // An odd last row or column repeats the one before.
    const top = Math.min(y, Math.max(0, height - 2)) * step + high;
    const bottom = Math.min(y + 1, height - 1) * step + high;
    for (let x = 0; x < width; x += 2) {
      const left = Math.min(x, Math.max(0, width - 2)) * bytes;
      const right = Math.min(x + 1, width - 1) * bytes;
      block[0] = data[top + left]!;
      block[1] = data[top + right]!;
      block[2] = data[bottom + left]!;
      block[3] = data[bottom + right]!;
      const green = (block[0] + block[1] + block[2] + block[3] - block[red]! - block[blue]!) >> 1;
      const pixel = 0xff000000 | (block[blue]! << 16) | (green << 8) | block[red]!;
      const at = y * width + x;
      into[at] = pixel;
      if (x + 1 < width) into[at + 1] = pixel;
      if (y + 1 < height) into[at + width] = pixel;
      if (x + 1 < width && y + 1 < height) into[at + width + 1] = pixel;
    }
  }
}
