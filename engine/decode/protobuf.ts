import { utf8Text, toDataView } from "@/engine/bytes";
import { MAX_ELEMENTS } from "@/engine/decode/schemas/field-info";
import { ProtoType, type ProtoField, type ProtoMessage } from "@/engine/decode/schemas/proto-schema";
import { RecordingError } from "@/engine/formats/recording-error";

const MAX_DEPTH = 64;
/** Fields of one message beyond eight for each of its bytes: two bytes are an object with all fields of its type. */
const moreFields = 1_000_000;

/**
 * Which fields of a message are wanted, nested messages likewise; null means all of them. Those of a map, by its keys,
 * are what is wanted of each of its values.
 */
export interface Wanted {
  has(name: string): boolean;
  get(name: string): Wanted | null | undefined;
}

/**
 * Decodes protobuf messages by their type. Field names as in the .proto; 64-bit integers as bigint; Timestamp and
 * Duration as {sec, nsec}; maps as objects; absent fields are zero without explicit presence, else left out.
 */
export class ProtoDecoder {
  private bytes: Uint8Array = new Uint8Array(0);
  private view: DataView = new DataView(new ArrayBuffer(0));
  private at = 0;
  private fields = 0;
  /** The two halves of the varint read last. */
  private low = 0;
  private high = 0;

  constructor(
    private readonly type: ProtoMessage,
    private readonly wanted: Wanted | null = null,
  ) {}

  decode(data: Uint8Array): unknown {
    this.bytes = data;
    this.view = toDataView(data);
    this.at = 0;
    this.fields = 0;
    return this.message(this.type, data.length, this.wanted, 0);
  }

  private message(type: ProtoMessage, end: number, wanted: Wanted | null, depth: number): Record<string, unknown> {
    if (depth > MAX_DEPTH) throw new RecordingError("A message nests too deeply.");
    if (end > this.bytes.length) throw new RecordingError("A message is cut off.");
    this.fields += type.fields.length;
    if (this.fields > this.bytes.length * 8 + moreFields) throw new RecordingError("A message has too many values.");
    const value: Record<string, unknown> = {};
    for (const field of type.fields) {
      if (wanted !== null && !wanted.has(field.name)) continue;
      if (field.repeated) set(value, field.name, field.message?.isMapEntry === true ? {} : []);
      else if (!field.presence) set(value, field.name, getDefaultValue(field.type));
    }
    while (this.at < end) {
      this.varint();
      const wire = this.low & 7;
      const number = this.low >>> 3;
      const field = type.byNumber.get(number);
      const passed =
        field === undefined || field.type === ProtoType.group || (wanted !== null && !wanted.has(field.name));
      if (passed) this.skip(wire, depth);
      else this.field(value, field, wire, wanted?.get(field.name) ?? null, depth);
    }
    if (this.at !== end) throw new RecordingError("A message runs past its end.");
    return isTime(type) ? { sec: Number(value.seconds ?? 0), nsec: Number(value.nanos ?? 0) } : value;
  }

  private field(
    target: Record<string, unknown>,
    field: ProtoField,
    wire: number,
    wanted: Wanted | null,
    depth: number,
  ): void {
    if (field.repeated && field.message?.isMapEntry === true) {
      const entry = this.value(field, wire, wanted, depth) as Record<string, unknown>;
      const map = target[field.name] as Record<string, unknown>;
      const [key, value] = [field.message.byNumber.get(1), field.message.byNumber.get(2)];
      if (key && value)
        set(map, String(entry[key.name] ?? getDefaultValue(key.type)), entry[value.name] ?? this.absent(value, wanted));
      return;
    }
    if (!field.repeated) {
      set(target, field.name, this.value(field, wire, wanted, depth));
      return;
    }
    const list = target[field.name] as unknown[];
    if (wire === 2 && isPackable(field.type)) {
      const end = this.length();
      while (this.at < end) list.push(this.value(field, getWireType(field.type), null, depth));
      if (this.at !== end) throw new RecordingError("A message is damaged.");
    } else if (wanted !== null && list.length >= MAX_ELEMENTS) {
      // Where a part of each is wanted, it is for fields: what lies behind is counted.
      this.skip(wire, depth);
      list.push(undefined);
    } else list.push(this.value(field, wire, wanted, depth));
  }

  /** What an entry of a map stands for that leaves out its value. */
  private absent({ type, message }: ProtoField, wanted: Wanted | null): unknown {
    return message === null ? getDefaultValue(type) : this.message(message, this.at, wanted?.get("value") ?? null, 0);
  }

  private value(field: ProtoField, wire: number, wanted: Wanted | null, depth: number): unknown {
    if (wire !== getWireType(field.type)) throw new RecordingError("A message does not match its schema.");
    const { type } = field;
    switch (type) {
      case ProtoType.double:
        return this.view.getFloat64(this.take(8), true);
      case ProtoType.float:
        return this.view.getFloat32(this.take(4), true);
      case ProtoType.fixed64:
        return this.view.getBigUint64(this.take(8), true);
      case ProtoType.sfixed64:
        return this.view.getBigInt64(this.take(8), true);
      case ProtoType.fixed32:
        return this.view.getUint32(this.take(4), true);
      case ProtoType.sfixed32:
        return this.view.getInt32(this.take(4), true);
      case ProtoType.string:
      case ProtoType.bytes: {
        const end = this.length();
        const from = this.at;
        this.at = end;
        return type === ProtoType.string ? utf8Text(this.bytes, from, end) : this.bytes.subarray(from, end);
      }
      case ProtoType.message: {
        const end = this.length();
        return this.message(field.message!, end, wanted, depth + 1);
      }
      default:
        this.varint();
        return this.integer(type);
    }
  }

  private integer(type: number): unknown {
    const { low, high } = this;
    switch (type) {
      case ProtoType.bool:
        return low !== 0 || high !== 0;
      case ProtoType.uint32:
        return low;
      case ProtoType.sint32:
        return (low >>> 1) ^ -(low & 1);
      case ProtoType.int64:
        return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
      case ProtoType.uint64:
        return (BigInt(high) << 32n) | BigInt(low);
      case ProtoType.sint64: {
        const value = (BigInt(high) << 32n) | BigInt(low);
        return (value >> 1n) ^ -(value & 1n);
      }
      default:
        return low | 0;
    }
  }

  private take(bytes: number): number {
    const from = this.at;
    this.at += bytes;
    return from;
  }

  /** The end of a length-delimited value. */
  private length(): number {
    this.varint();
    const end = this.at + this.low;
    if (this.high !== 0 || end > this.bytes.length)
      throw new RecordingError("A message declares a value longer than itself.");
    return end;
  }

  private varint(): void {
    const { bytes } = this;
    let low = 0;
    let high = 0;
    for (let i = 0; i < 10; i++) {
      const byte = bytes[this.at];
      if (byte === undefined) throw new RecordingError("A message is cut off.");
      this.at += 1;
      const bits = byte & 0x7f;
      if (i < 4) low |= bits << (7 * i);
      else if (i === 4) {
        low |= bits << 28;
        high = bits >> 4;
      } else high |= bits << (7 * i - 32);
      if (byte < 0x80) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw new RecordingError("A message is damaged.");
  }

  private skip(wire: number, depth: number): void {
    if (wire === 0) this.varint();
    else if (wire === 1) this.at += 8;
    else if (wire === 5) this.at += 4;
    else if (wire === 2) this.at = this.length();
    else if (wire === 3 && depth < MAX_DEPTH) {
      for (;;) {
        this.varint();
        const inner = this.low & 7;
        if (inner === 4) return;
        this.skip(inner, depth + 1);
      }
    } else throw new RecordingError("A message is damaged.");
  }
}

/** Timestamp and Duration of protobuf's own library. */
export function isTime(type: ProtoMessage): boolean {
  return type.name === "google.protobuf.Timestamp" || type.name === "google.protobuf.Duration";
}

function set(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== "__proto__") target[name] = value;
}

function isPackable(type: number): boolean {
  return (
    type !== ProtoType.string && type !== ProtoType.bytes && type !== ProtoType.message && type !== ProtoType.group
  );
}

function getWireType(type: number): number {
  switch (type) {
    case ProtoType.double:
    case ProtoType.fixed64:
    case ProtoType.sfixed64:
      return 1;
    case ProtoType.float:
    case ProtoType.fixed32:
    case ProtoType.sfixed32:
      return 5;
    case ProtoType.string:
    case ProtoType.bytes:
    case ProtoType.message:
      return 2;
    case ProtoType.group:
      return 3;
    default:
      return 0;
  }
}

function getDefaultValue(type: number): unknown {
  switch (type) {
    case ProtoType.int64:
    case ProtoType.uint64:
    case ProtoType.fixed64:
    case ProtoType.sfixed64:
    case ProtoType.sint64:
      return 0n;
    case ProtoType.bool:
      return false;
    case ProtoType.string:
      return "";
    case ProtoType.bytes:
      return new Uint8Array(0);
    default:
      return 0;
  }
}
