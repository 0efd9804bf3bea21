import { utf8Bytes } from "@/engine/bytes";
import { ByteWriter } from "@/engine/signals/byte-writer";

/** A value of Thrift's compact protocol, as far as Parquet's metadata needs it; a struct may be encoded already. */
type Value = number | bigint | boolean | string | Uint8Array | Struct | List;
interface List {
  of: ThriftType;
  items: readonly Value[];
}
/** `[field number, type, value]`, in ascending order. */
export type Struct = readonly (readonly [id: number, type: ThriftType, value: Value])[];

export const thrift = { bool: 1, i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;
type ThriftType = (typeof thrift)[keyof typeof thrift];

function putStruct(out: ByteWriter, fields: Struct): void {
  let last = 0;
  for (const [id, type, value] of fields) {
    // The value of a boolean member is in its type.
    const shown = type === thrift.bool && value !== true ? 2 : type;
    if (id - last < 16) out.byte(((id - last) << 4) | shown);
    else {
      out.byte(shown);
      out.zigzag(id);
    }
    last = id;
    if (type !== thrift.bool) putValue(out, type, value);
  }
  out.byte(0);
}

function putValue(out: ByteWriter, type: ThriftType, value: Value): void {
  switch (type) {
    case thrift.bool:
      return out.byte(value === true ? 1 : 2);
    case thrift.i32:
    case thrift.i64:
      return out.zigzag(value as number | bigint);
    case thrift.binary: {
      const bytes = typeof value === "string" ? utf8Bytes(value) : (value as Uint8Array);
      out.varint(bytes.length);
      return out.append(bytes);
    }
    case thrift.list: {
      const { of, items } = value as List;
      if (items.length < 15) out.byte((items.length << 4) | of);
      else {
        out.byte(0xf0 | of);
        out.varint(items.length);
      }
      for (const item of items) putValue(out, of, item);
      return;
    }
    case thrift.struct:
      return value instanceof Uint8Array ? out.append(value) : putStruct(out, value as Struct);
  }
}

/** The bytes of a struct in Thrift's compact protocol. */
export function encodeThrift(fields: Struct): Uint8Array {
  const out = new ByteWriter();
  putStruct(out, fields);
  return out.written;
}
