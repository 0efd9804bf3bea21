import { toDataView, utf8Bytes } from "@/engine/bytes";
import { RECORD_HEAD } from "@/engine/formats/mcap/mcap-records";

/** Writes the fields of one MCAP record after another. */
export class RecordBody {
  private bytes: Uint8Array;
  private view: DataView;
  private at = RECORD_HEAD;

  constructor(expectedBytes = 64) {
    this.bytes = new Uint8Array(RECORD_HEAD + expectedBytes);
    this.view = toDataView(this.bytes);
  }

  private take(length: number): number {
    const from = this.at;
    this.at += length;
    if (this.at > this.bytes.length) {
      const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.at));
      larger.set(this.bytes.subarray(0, from));
      this.bytes = larger;
      this.view = toDataView(larger);
    }
    return from;
  }

  u8(value: number): this {
    const at = this.take(1);
    this.view.setUint8(at, value);
    return this;
  }

  u16(value: number): this {
    const at = this.take(2);
    this.view.setUint16(at, value, true);
    return this;
  }

  u32(value: number): this {
    const at = this.take(4);
    this.view.setUint32(at, value, true);
    return this;
  }

  u64(value: bigint | number): this {
    const at = this.take(8);
    this.view.setBigUint64(at, BigInt(value), true);
    return this;
  }

  raw(bytes: Uint8Array): this {
    const at = this.take(bytes.length); // may replace the memory
    this.bytes.set(bytes, at);
    return this;
  }

  text(text: string): this {
    const bytes = utf8Bytes(text);
    return this.u32(bytes.length).raw(bytes);
  }

  /** Texts by name. */
  texts(values: ReadonlyMap<string, string>): this {
    const map = new RecordBody();
    for (const [name, value] of values) map.text(name).text(value);
    const bytes = map.body();
    return this.u32(bytes.length).raw(bytes);
  }

  body(): Uint8Array {
    return this.bytes.subarray(RECORD_HEAD, this.at);
  }

  /** The complete record, with its head. */
  record(op: number): Uint8Array {
    this.view.setUint8(0, op);
    this.view.setBigUint64(1, BigInt(this.at - RECORD_HEAD), true);
    return this.bytes.subarray(0, this.at);
  }
}
