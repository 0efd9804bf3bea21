import { toDataView } from "@/engine/bytes";
import type { Placed } from "@/engine/columns/column-batch";
import { isPackedMessage, type UnpackMessage } from "@/engine/formats/packed-message";
import { RecordingError } from "@/engine/formats/recording-error";

/** Bytes of unpacked messages that are taken together, if these are more than one. */
const maxBytes = 1024 * 1024;

/** Messages of a chunk whose recorder compressed each of them, unpacked batch by batch into memory that is used again. */
export class UnpackedRows {
  private bytes = new Uint8Array(0);
  private readonly placed: Placed = { ...emptyPlaced };

  constructor(private readonly unpack: UnpackMessage) {}

  /** Those from `from` on, below `to`, and the first that is left; null where the first is not compressed. */
  take(placed: Placed, from: number, to: number): { placed: Placed; to: number } | null {
    if (!isPackedMessage(placed.bytes, placed.starts[from]!)) return null;
    const parts: Uint8Array[] = [];
    let length = 0;
    for (let at = from; at < to && length < maxBytes; at++) {
      const part = this.read(placed.bytes.subarray(placed.starts[at]!, placed.ends[at]!));
      length += part.length;
      parts.push(part);
    }
    this.place(parts, from, length);
    return { placed: this.placed, to: from + parts.length };
  }

  /** One that cannot be unpacked stays as it is: its reading says why. */
  private read(data: Uint8Array): Uint8Array {
    try {
      return this.unpack(data);
    } catch (error) {
      if (error instanceof RecordingError) return data;
      throw error;
    }
  }

  private place(parts: readonly Uint8Array[], from: number, length: number): void {
    const { placed } = this;
    if (this.bytes.length < length) {
      this.bytes = new Uint8Array(length);
      Object.assign(placed, { bytes: this.bytes, view: toDataView(this.bytes) });
    }
    const rows = from + parts.length;
    if (placed.starts.length < rows)
      Object.assign(placed, { starts: new Int32Array(2 * rows), ends: new Int32Array(2 * rows) });
    let end = 0;
    for (const [at, part] of parts.entries()) {
      this.bytes.set(part, end);
      placed.starts[from + at] = end;
      placed.ends[from + at] = end += part.length;
    }
  }
}

const emptyPlaced: Placed = {
  view: new DataView(new ArrayBuffer(0)),
  bytes: new Uint8Array(0),
  starts: new Int32Array(0),
  ends: new Int32Array(0),
};
