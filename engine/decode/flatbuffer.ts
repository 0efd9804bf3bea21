import {
  FlatBase,
  flatSizes,
  type FlatField,
  type FlatObject,
  type FlatSchema,
  type FlatType,
} from "@/engine/decode/schemas/flatbuffer-type";
import { FlatView } from "@/engine/decode/schemas/flatbuffer-view";
import { RecordingError } from "@/engine/formats/recording-error";

const maxDepth = 64;
/** Values of one message beyond one for each of its bytes: its offsets can name one table again and again. */
const moreValues = 1_000_000;

/**
 * Decodes messages of FlatBuffers: tables and structs to objects, 64-bit integers to bigint, lists of bytes to views of
 * the payload. A field that a table lacks has its default, unless that is nothing.
 */
class FlatDecoder {
  private buffer = new FlatView(new Uint8Array(0));
  private values = 0;

  /** `only`: the fields of the root that are needed; all of them where it is undefined. */
  constructor(
    private readonly schema: FlatSchema,
    private readonly only?: ReadonlySet<string>,
  ) {}

  /** Throws a RangeError for a message that ends early, and a RecordingError beyond a limit. */
  decode(data: Uint8Array): Record<string, unknown> {
    this.buffer = new FlatView(data);
    this.values = 0;
    return this.object(this.schema.root, this.buffer.root, 0, this.only);
  }

  private object(
    { fields, isStruct }: FlatObject,
    at: number,
    depth: number,
    only?: ReadonlySet<string>,
  ): Record<string, unknown> {
    if (depth > maxDepth) throw new RecordingError("A message nests too deeply.");
    const object: Record<string, unknown> = {};
    for (const field of fields) {
      this.count(1);
      if (only && !only.has(field.name)) continue;
      const place = isStruct ? at + field.offset : this.buffer.field(at, field.offset);
      const value = place === 0 ? field.fallback : this.field(field, place, at, fields, depth);
      if (value !== undefined) object[field.name] = value;
    }
    return object;
  }

  private field(
    { name, type }: FlatField,
    place: number,
    table: number,
    fields: readonly FlatField[],
    depth: number,
  ): unknown {
    if (type.base !== FlatBase.union) return this.value(type, place, depth);
    const tag = fields.find((field) => field.name === `${name}_type`);
    const tagAt = tag ? this.buffer.field(table, tag.offset) : 0;
    const known = type.index === null ? undefined : this.schema.enums[type.index];
    const member = tagAt === 0 ? undefined : known?.members.get(this.buffer.view.getUint8(tagAt));
    if (!member || member.base === FlatBase.none) return undefined;
    const object = member.index === null ? undefined : this.schema.objects[member.index];
    // Structs and texts of a union stand behind its offset, as tables do.
    if (object) return this.object(object, this.buffer.indirect(place), depth + 1);
    return member.base === FlatBase.string ? this.buffer.text(place) : undefined;
  }

  private value(type: FlatType, at: number, depth: number): unknown {
    switch (type.base) {
      case FlatBase.string:
        return this.buffer.text(at);
      case FlatBase.object: {
        const object = this.schema.objects[type.index ?? -1];
        if (!object) throw new RangeError("the schema has no such type");
        return this.object(object, object.isStruct ? at : this.buffer.indirect(at), depth + 1);
      }
      case FlatBase.vector: {
        const { start, length } = this.buffer.vector(at, this.size(type));
        return this.list(type, start, length, depth);
      }
      case FlatBase.array:
        return this.list(type, at, type.length, depth);
      default:
        return this.scalar(type.base, at);
    }
  }

  /** Bytes of an element of a list. */
  private size({ element, index }: FlatType): number {
    const object = element === FlatBase.object ? this.schema.objects[index ?? -1] : undefined;
    return object?.isStruct ? object.bytes : (flatSizes[element] ?? 0);
  }

  private list(type: FlatType, start: number, length: number, depth: number): unknown {
    const { element, index } = type;
    if (element === FlatBase.ubyte && index === null) return this.buffer.bytes.subarray(start, start + length);
    this.count(length);
    const size = this.size(type);
    if (element === FlatBase.union || size === 0) return undefined;
    const inner: FlatType = { base: element, element: FlatBase.none, index, length: 0 };
    return Array.from({ length }, (_, at) => this.value(inner, start + at * size, depth));
  }

  private scalar(base: number, at: number): number | bigint | boolean | undefined {
    const { view } = this.buffer;
    switch (base) {
      case FlatBase.bool:
        return view.getUint8(at) !== 0;
      case FlatBase.byte:
        return view.getInt8(at);
      case FlatBase.unionType:
      case FlatBase.ubyte:
        return view.getUint8(at);
      case FlatBase.short:
        return view.getInt16(at, true);
      case FlatBase.ushort:
        return view.getUint16(at, true);
      case FlatBase.int:
        return view.getInt32(at, true);
      case FlatBase.uint:
        return view.getUint32(at, true);
      case FlatBase.long:
        return view.getBigInt64(at, true);
      case FlatBase.ulong:
        return view.getBigUint64(at, true);
      case FlatBase.float:
        return view.getFloat32(at, true);
      case FlatBase.double:
        return view.getFloat64(at, true);
      default:
        return undefined;
    }
  }

  private count(values: number): void {
    this.values += values;
    if (this.values > this.buffer.bytes.length + moreValues) throw new RecordingError("A message has too many values.");
  }
}

/** Decodes messages of a FlatBuffers schema; `only`: the fields of the root that are needed. */
export function createFlatDecoder(
  schema: FlatSchema,
  only?: ReadonlySet<string>,
): (data: Uint8Array) => Record<string, unknown> {
  const decoder = new FlatDecoder(schema, only);
  return (data) => decoder.decode(data);
}
