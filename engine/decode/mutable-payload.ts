import type { IDLMessageDefinition, IDLMessageDefinitionField } from "@foxglove/omgidl-parser";
import { CdrCursor } from "@/engine/decode/payload-cursor";
import { isScalarType } from "@/engine/decode/schemas/message-type";
import { quoted, RecordingError } from "@/engine/formats/recording-error";

const memberBytes = [1, 2, 4, 8] as const;
/** Of the elements of a list whose number stands for its length in bytes, by length code from 5 on. */
const elementBytes = [1, 4, 8] as const;

/** A cursor over XCDR2 of mutable types (PL_CDR2), where every member follows its id and its length. */
class MutableCursor extends CdrCursor {
  protected override readonly mutable = true;

  get position(): number {
    return this.offset;
  }

  /** Reads the header of a member; returns its id and where it ends. */
  member(): { id: number; end: number } {
    const header = this.uint32();
    const code = (header >>> 28) & 7;
    let length: number;
    if (code < 4) length = memberBytes[code]!;
    else {
      length = this.uint32();
      // What follows is the length of the member's own list, object or text as well.
      if (code > 4) {
        this.offset -= 4;
        length = 4 + length * elementBytes[code - 5]!;
      }
    }
    if (length > this.bytes.length - this.offset)
      throw new RecordingError("A message declares an object longer than itself.");
    return { id: header & 0x0fff_ffff, end: this.offset + length };
  }
}

/** Whether a message is encoded with the ids of its members. */
export const isMutable = (data: Uint8Array): boolean => [0x0a, 0x0b, 0x12, 0x13].includes(data[1] ?? 0);

/**
 * Decodes messages of mutable types in XCDR2 by their schema in OMG IDL: members in any order, members missing, and
 * members that the schema does not know. Throws a RecordingError for those that do not match.
 */
export class MutableDecoder {
  private readonly cursor = new MutableCursor();
  private readonly definitions: ReadonlyMap<string, IDLMessageDefinition>;
  private readonly members = new Map<IDLMessageDefinition, ReadonlyMap<number, IDLMessageDefinitionField>>();

  constructor(
    private readonly root: string,
    definitions: readonly IDLMessageDefinition[],
  ) {
    this.definitions = new Map(definitions.map((definition) => [definition.name ?? "", definition]));
  }

  decode(data: Uint8Array): unknown {
    this.cursor.reset(data);
    return this.struct(this.root);
  }

  private struct(name: string): Record<string, unknown> {
    const definition = this.definitions.get(name);
    if (definition?.aggregatedKind !== "struct")
      throw new RecordingError(`Values of the type ${quoted(name)} cannot be read in messages of mutable types.`);
    const { cursor } = this;
    const { annotations = {} } = definition;
    const found: [string, unknown][] = [];
    if ("mutable" in annotations) {
      const members = this.getMembers(definition.definitions, definition);
      const end = cursor.enter();
      while (cursor.position < end) {
        const member = cursor.member();
        const field = members.get(member.id);
        if (field !== undefined) found.push([field.name, this.value(field)]);
        cursor.leave(member.end);
      }
      cursor.leave(end);
      return Object.fromEntries(found);
    }
    const end = "appendable" in annotations ? cursor.enter() : null;
    for (const field of definition.definitions) {
      if (field.isConstant === true) continue;
      // A writer with an older type ends before.
      if (end !== null && cursor.position >= end) break;
      if (!("optional" in (field.annotations ?? {})) || cursor.bool()) found.push([field.name, this.value(field)]);
    }
    if (end !== null) cursor.leave(end);
    return Object.fromEntries(found);
  }

  /** The members of a mutable type by their ids: as given, else one more than the member before. */
  private getMembers(
    fields: readonly IDLMessageDefinitionField[],
    definition: IDLMessageDefinition,
  ): ReadonlyMap<number, IDLMessageDefinitionField> {
    let members = this.members.get(definition);
    if (members !== undefined) return members;
    let next = 0;
    members = new Map(
      fields.flatMap((field) => {
        if (field.isConstant === true) return [];
        const given = field.annotations?.id;
        if (given?.type === "const-param" && typeof given.value === "number") next = given.value;
        return [[next++, field] as const];
      }),
    );
    this.members.set(definition, members);
    return members;
  }

  private value(field: IDLMessageDefinitionField): unknown {
    const { type } = field;
    if (field.isArray !== true) return this.one(field);
    const { cursor } = this;
    const isPrimitive = field.isComplex !== true && type !== "string";
    if (!isPrimitive) cursor.enter();
    const lengths = (field.arrayLengths ?? [cursor.uint32()]) as readonly number[];
    const total = lengths.reduce((product, length) => product * length, 1);
    if (!Number.isSafeInteger(total) || total < 0)
      throw new RecordingError("An array of the IDL schema has no length.");
    cursor.claim(total, 1);
    const nested = (depth: number): unknown => {
      const length = lengths[depth]!;
      if (depth < lengths.length - 1) return Array.from({ length }, () => nested(depth + 1));
      if (isPrimitive && isScalarType(type)) return cursor[`${type}s`](length);
      return Array.from({ length }, () => this.one(field));
    };
    return nested(0);
  }

  private one({ type, isComplex }: IDLMessageDefinitionField): unknown {
    if (isComplex === true) return this.struct(type);
    if (isScalarType(type)) return this.cursor[type]();
    throw new RecordingError(`Values of the type ${quoted(type)} cannot be read.`);
  }
}
