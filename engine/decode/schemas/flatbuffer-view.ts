import { toDataView, utf8Text } from "@/engine/bytes";

/** Places and lengths of a FlatBuffer. Every read beyond its end is a RangeError. */
export class FlatView {
  readonly view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.view = toDataView(bytes);
  }

  /** Where the root table begins. */
  get root(): number {
    return this.indirect(0);
  }

  /** Where the offset at `at` leads. */
  indirect(at: number): number {
    return at + this.view.getUint32(at, true);
  }

  /** Where a field of the table lies; 0 for one that is absent. `offset`: of its entry in the table's layout. */
  field(table: number, offset: number): number {
    const layout = table - this.view.getInt32(table, true);
    if (offset >= this.view.getUint16(layout, true)) return 0;
    const place = this.view.getUint16(layout + offset, true);
    return place === 0 ? 0 : table + place;
  }

  /** The text that the offset at `at` leads to. */
  text(at: number): string {
    const { start, length } = this.vector(at, 1);
    return utf8Text(this.bytes, start, start + length);
  }

  /** The list that the offset at `at` leads to. `size`: bytes of an element. */
  vector(at: number, size: number): { start: number; length: number } {
    const start = this.indirect(at) + 4;
    const length = this.view.getUint32(start - 4, true);
    if (start + length * size > this.bytes.length) throw new RangeError("a list ends after its message");
    return { start, length };
  }
}
