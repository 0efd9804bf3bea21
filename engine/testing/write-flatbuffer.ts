import { Builder } from "flatbuffers";

/** A type of a schema: numbers of reflection.fbs. */
interface TypeSpec {
  base: number;
  element?: number;
  index?: number;
  length?: number;
}

interface FieldSpec {
  name: string;
  type: TypeSpec;
  /** Of its entry in a table's layout, or of its bytes in a struct. */
  offset: number;
  integer?: bigint;
  real?: number;
  optional?: boolean;
  deprecated?: boolean;
}

export interface SchemaSpec {
  objects: { name: string; isStruct?: boolean; bytes?: number; fields: FieldSpec[] }[];
  enums: { name: string; isUnion?: boolean; values: { name: string; value: bigint; type?: TypeSpec }[] }[];
  /** Position of the root table. */
  root?: number;
}

/** The bytes of a binary schema, as `flatc --schema -b` writes it. */
export function writeFlatSchema({ objects, enums, root }: SchemaSpec): Uint8Array {
  const builder = new Builder(1024);
  const offsets = (list: number[]): number => {
    builder.startVector(4, list.length, 4);
    for (const offset of list.toReversed()) builder.addOffset(offset);
    return builder.endVector();
  };
  const type = ({ base, element = 0, index = -1, length = 0 }: TypeSpec): number => {
    builder.startObject(6);
    builder.addFieldInt8(0, base, 0);
    builder.addFieldInt8(1, element, 0);
    builder.addFieldInt32(2, index, -1);
    builder.addFieldInt16(3, length, 0);
    return builder.endObject();
  };
  const field = (spec: FieldSpec, id: number): number => {
    const name = builder.createString(spec.name);
    const own = type(spec.type);
    builder.startObject(14);
    builder.addFieldOffset(0, name, 0);
    builder.addFieldOffset(1, own, 0);
    builder.addFieldInt16(2, id, 0);
    builder.addFieldInt16(3, spec.offset, 0);
    builder.addFieldInt64(4, spec.integer ?? 0n, 0n);
    builder.addFieldFloat64(5, spec.real ?? 0, 0);
    builder.addFieldInt8(6, Number(spec.deprecated ?? false), 0);
    builder.addFieldInt8(11, Number(spec.optional ?? false), 0);
    return builder.endObject();
  };
  const objectTables = objects.map(({ name, isStruct, bytes, fields }) => {
    const list = offsets(fields.map(field));
    const named = builder.createString(name);
    builder.startObject(8);
    builder.addFieldOffset(0, named, 0);
    builder.addFieldOffset(1, list, 0);
    builder.addFieldInt8(2, Number(isStruct ?? false), 0);
    builder.addFieldInt32(4, bytes ?? 0, 0);
    return builder.endObject();
  });
  const enumTables = enums.map(({ name, isUnion, values }) => {
    const list = offsets(
      values.map((value) => {
        const own = value.type ? type(value.type) : 0;
        const named = builder.createString(value.name);
        builder.startObject(6);
        builder.addFieldOffset(0, named, 0);
        builder.addFieldInt64(1, value.value, 0n);
        if (own !== 0) builder.addFieldOffset(3, own, 0);
        return builder.endObject();
      }),
    );
    const named = builder.createString(name);
    builder.startObject(7);
    builder.addFieldOffset(0, named, 0);
    builder.addFieldOffset(1, list, 0);
    builder.addFieldInt8(2, Number(isUnion ?? false), 0);
    return builder.endObject();
  });
  const [objectList, enumList] = [offsets(objectTables), offsets(enumTables)];
  builder.startObject(8);
  builder.addFieldOffset(0, objectList, 0);
  builder.addFieldOffset(1, enumList, 0);
  if (root !== undefined) builder.addFieldOffset(4, objectTables[root]!, 0);
  builder.finish(builder.endObject());
  return builder.asUint8Array();
}
