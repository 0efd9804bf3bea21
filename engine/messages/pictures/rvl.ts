import { toDataView } from "@/engine/bytes";
import { UnreadableMessage } from "@/engine/messages/reading";

/** Reads whole numbers of a variable number of half bytes, eight of which are in each 32-bit word. */
class HalfBytes {
  private at = 0;
  private word = 0;
  private left = 0;
  private readonly view: DataView;

  constructor(data: Uint8Array) {
    this.view = toDataView(data);
  }

  /** The next number; the highest bit of each half byte says whether another one follows. */
  read(): number {
    let value = 0;
    for (let shift = 0; shift < 30; shift += 3) {
      if (this.left === 0) this.readWord();
      const half = this.word >>> 28;
      this.word <<= 4;
      this.left -= 1;
      value |= (half & 7) << shift;
      if (half < 8) return value;
    }
    throw new UnreadableMessage("The depth picture (rvl) is damaged.");
  }

  private readWord(): void {
    if (this.at + 4 > this.view.byteLength) throw new UnreadableMessage("The depth picture (rvl) is cut.");
    this.word = this.view.getInt32(this.at, true);
    this.at += 4;
    this.left = 8;
  }
}

/**
 * Depth compressed by RVL (Wilson 2017), as compressed_depth_image_transport writes it: runs of zeros, and of differences
 * between neighbours. The values are two bytes each, the lower one first.
 */
export function decodeRvl(data: Uint8Array, count: number): Uint8Array {
  const reader = new HalfBytes(data);
  const values = new Uint16Array(count);
  let previous = 0;
  for (let at = 0; at < count;) {
    at += reader.read();
    const measured = reader.read();
    if (at + measured > count) throw new UnreadableMessage("The depth picture (rvl) is damaged.");
    for (const end = at + measured; at < end; at++) {
      const zigzag = reader.read();
      previous += (zigzag >>> 1) ^ -(zigzag & 1);
      values[at] = previous;
    }
  }
  const bytes = new Uint8Array(count * 2);
  const into = toDataView(bytes);
  for (let at = 0; at < count; at++) into.setUint16(at * 2, values[at]!, true);
  return bytes;
}
