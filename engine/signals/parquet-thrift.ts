import { utf8Bytes } from "@/engine/bytes";

/** A value of Thrift's compact protocol, as far as Parquet's metadata needs it. */
type Value = number | bigint | boolean | string | Uint8Array | Struct | List;
interface List {
  of: ThriftType;
  items: readonly Value[];
}
/** `[field number, type, value]`, in ascending order. */
export type Struct = readonly (readonly [id: number, type: ThriftType, value: Value])[];

export const thrift = { bool: 1, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;
type ThriftType = (typeof thrift)[keyof typeof thrift];

class Output {
  private bytes = new Uint8Array(256);
  private length = 0;

  byte(value: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = value;
  }

  varint(value: bigint): void {
    let rest = value;
    for (; rest > 127n; rest >>= 7n) this.byte(Number(rest & 127n) | 128);
    this.byte(Number(rest));
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  take(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + more));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

function putStruct(out: Output, fields: Struct): void {
  let last = 0;
  for (const [id, type, value] of fields) {
    // The value of a boolean member is in its type.
    const shown = type === thrift.bool && value !== true ? 2 : type;
    if (id - last < 16) out.byte(((id - last) << 4) | shown);
    else {
      out.byte(shown);
      out.varint(zigzag(BigInt(id)));
    }
    last = id;
    if (type !== thrift.bool) putValue(out, type, value);
  }
  out.byte(0);
}

const zigzag = (value: bigint): bigint => (value << 1n) ^ (value >> 63n);

function putValue(out: Output, type: ThriftType, value: Value): void {
  switch (type) {
    case thrift.bool:
      return out.byte(value === true ? 1 : 2);
    case thrift.i32:
    case thrift.i64:
      return out.varint(zigzag(BigInt(value as number | bigint)));
    case thrift.binary: {
      const bytes = typeof value === "string" ? utf8Bytes(value) : (value as Uint8Array);
      out.varint(BigInt(bytes.length));
      return out.append(bytes);
    }
    case thrift.list: {
      const { of, items } = value as List;
      if (items.length < 15) out.byte((items.length << 4) | of);
      else {
        out.byte(0xf0 | of);
        out.varint(BigInt(items.length));
      }
      for (const item of items) putValue(out, of, item);
      return;
    }
    case thrift.struct:
      return putStruct(out, value as Struct);
  }
}

/** The bytes of a struct in Thrift's compact protocol. */
export function encodeThrift(fields: Struct): Uint8Array {
  const out = new Output();
  putStruct(out, fields);
  return out.take();
}
