import {
  FlatBase,
  type FlatEnum,
  type FlatField,
  type FlatObject,
  type FlatSchema,
  type FlatType,
} from "@/engine/decode/schemas/flatbuffer-type";
import { FlatView } from "@/engine/decode/schemas/flatbuffer-view";
import { quoted, RecordingError } from "@/engine/formats/recording-error";

const maxTypes = 10_000;
const maxFields = 100_000;

/** Reads a binary schema of FlatBuffers (.bfbs). Throws a RecordingError without the root table, and for damage. */
export function parseFlatSchema(data: Uint8Array, rootName: string): FlatSchema {
  try {
    return new SchemaReader(data).read(rootName);
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    throw new RecordingError("The FlatBuffers schema is damaged.");
  }
}

/** The order of fields in reflection.fbs is the order of entries in a layout. */
const entry = (position: number): number => 4 + 2 * position;

class SchemaReader {
  private readonly buffer: FlatView;
  private fields = 0;

  constructor(data: Uint8Array) {
    this.buffer = new FlatView(data);
  }

  read(rootName: string): FlatSchema {
    const { buffer } = this;
    const schema = buffer.root;
    const objects = this.tables(schema, 0).map((table) => this.object(table));
    const enums = this.tables(schema, 1).map((table) => this.enum(table));
    const named = objects.find(({ name }) => name === rootName);
    const own = buffer.field(schema, entry(4));
    const root =
      named ?? (own === 0 ? undefined : objects.find(({ name }) => name === this.name(buffer.indirect(own))));
    if (!root || root.isStruct) throw new RecordingError(`The FlatBuffers schema has no table ${quoted(rootName)}.`);
    return { objects, enums, root };
  }

  /** The tables of a list of them. */
  private tables(table: number, position: number): number[] {
    const at = this.buffer.field(table, entry(position));
    if (at === 0) return [];
    const { start, length } = this.buffer.vector(at, 4);
    if (length > maxTypes) throw new RecordingError("The FlatBuffers schema has too many types.");
    return Array.from({ length }, (_, n) => this.buffer.indirect(start + 4 * n));
  }

  private name(table: number): string {
    const at = this.buffer.field(table, entry(0));
    return at === 0 ? "" : this.buffer.text(at);
  }

  private has(table: number, position: number): boolean {
    const at = this.buffer.field(table, entry(position));
    return at !== 0 && this.buffer.view.getUint8(at) !== 0;
  }

  private int(table: number, position: number): number {
    const at = this.buffer.field(table, entry(position));
    return at === 0 ? 0 : this.buffer.view.getInt32(at, true);
  }

  private object(table: number): FlatObject {
    const isStruct = this.has(table, 2);
    const fields = this.tables(table, 1).flatMap((field) => this.field(field, isStruct));
    this.fields += fields.length;
    if (this.fields > maxFields) throw new RecordingError("The FlatBuffers schema has too many fields.");
    // Lists of fields are sorted by name in the schema.
    fields.sort((a, b) => a.offset - b.offset);
    return { name: this.name(table), fields, isStruct, bytes: this.int(table, 4) };
  }

  private field(table: number, inStruct: boolean): FlatField[] {
    const { view } = this.buffer;
    const deprecated = this.has(table, 6);
    const typeAt = this.buffer.field(table, entry(1));
    if (deprecated || typeAt === 0) return [];
    const type = this.type(this.buffer.indirect(typeAt));
    const offsetAt = this.buffer.field(table, entry(3));
    const offset = offsetAt === 0 ? 0 : view.getUint16(offsetAt, true);
    const optional = inStruct || this.has(table, 11);
    return [{ name: this.name(table), type, offset, fallback: optional ? undefined : this.fallback(table, type) }];
  }

  private fallback(table: number, { base }: FlatType): FlatField["fallback"] {
    const { view } = this.buffer;
    if (base < FlatBase.unionType || base > FlatBase.double) return undefined;
    if (base >= FlatBase.float) {
      const at = this.buffer.field(table, entry(5));
      return at === 0 ? 0 : view.getFloat64(at, true);
    }
    const at = this.buffer.field(table, entry(4));
    const value = at === 0 ? 0n : view.getBigInt64(at, true);
    if (base === FlatBase.bool) return value !== 0n;
    if (base === FlatBase.ulong) return BigInt.asUintN(64, value);
    return base === FlatBase.long ? value : Number(value);
  }

  private type(table: number): FlatType {
    const { view } = this.buffer;
    const byte = (position: number): number => {
      const at = this.buffer.field(table, entry(position));
      return at === 0 ? 0 : view.getUint8(at);
    };
    const indexAt = this.buffer.field(table, entry(2));
    const lengthAt = this.buffer.field(table, entry(3));
    const index = indexAt === 0 ? -1 : view.getInt32(indexAt, true);
    return {
      base: byte(0),
      element: byte(1),
      index: index < 0 ? null : index,
      length: lengthAt === 0 ? 0 : view.getUint16(lengthAt, true),
    };
  }

  private enum(table: number): FlatEnum {
    const { view } = this.buffer;
    const names: Record<number, string> = {};
    const members = new Map<number, FlatType>();
    for (const value of this.tables(table, 1)) {
      const at = this.buffer.field(value, entry(1));
      const number = at === 0 ? 0 : Number(view.getBigInt64(at, true));
      names[number] = this.name(value);
      const typeAt = this.buffer.field(value, entry(3));
      if (typeAt !== 0) members.set(number, this.type(this.buffer.indirect(typeAt)));
    }
    return { names, isUnion: this.has(table, 2), members };
  }
}
