import { joinPath } from "@/domain/conditions/path";
import { nanosecondNames } from "@/domain/conditions/path";
import { FlatBase, type FlatEnum, type FlatObject, type FlatSchema } from "@/engine/decode/flatbuffer-schema";
import type { ScalarType, StructType } from "@/engine/decode/message-type";
import { getPayloadType } from "@/engine/decode/payload-type";
import { ProtoType, type ProtoMessage } from "@/engine/decode/proto-schema";
import { isTime } from "@/engine/decode/protobuf";
import { findStandardUnit } from "@/engine/decode/standard-units";
import { findUnit } from "@/engine/decode/units";
import type { Channel } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";

/** Fields described per topic at most. */
export const MAX_FIELDS = 500;
/** Nesting of paths, and elements up to which arrays of a fixed length are spelled out. */
export const MAX_DEPTH = 16;
export const MAX_ELEMENTS = 16;
/** Limit of visited types: types that use each other repeatedly have exponentially many paths. */
export const MAX_VISITS = 5000;

type FieldKind = "number" | "boolean" | "string" | "enum" | "time";

/** One scalar value of a topic's messages. */
export interface FieldInfo {
  /** `pose.position.x`, `data[0]`, `["odd key"].x`. */
  path: string;
  kind: FieldKind;
  unit?: string;
  /** Names of the values of an enum. */
  enumValues?: Record<number, string>;
}

/**
 * The scalar fields of a channel's messages, in schema order, at most 500. Arrays of up to 16 fixed elements are
 * spelled out, arrays of unknown length are left out. Empty for JSON, CBOR and MessagePack without a
 * schema and for schemas that cannot be used.
 */
export function listFields(channel: Channel): FieldInfo[] {
  try {
    const payload = getPayloadType(channel);
    if ("schema" in payload) return jsonFields(payload.schema);
    if (payload.kind === "protobuf") return protoFields(payload.type);
    if (payload.kind === "flatbuffer") return flatFields(payload.type);
    return structFields(payload.type).flatMap(({ info, variable }) => (variable ? [] : [info]));
  } catch (error) {
    if (error instanceof RecordingError) return [];
    throw error;
  }
}

/** A scalar of a struct with the steps to it: field positions, and element numbers after arrays. */
export interface StructLeaf {
  info: FieldInfo;
  steps: number[];
  /** An element of an array of unknown length, which may be shorter or longer. */
  variable: boolean;
}

/** The scalars of a struct. Of arrays of unknown length, the first 16 elements are offered, marked as `variable`. */
export function structFields(root: StructType): StructLeaf[] {
  const leaves: StructLeaf[] = [];
  let visits = 0;
  const visit = (type: StructType, path: string, steps: number[], outer: string | undefined): void => {
    if (++visits > MAX_VISITS) return;
    for (const [i, field] of type.fields.entries()) {
      const unit = field.unit ?? findStandardUnit(type.name, field.name) ?? outer;
      const own = path === "" ? field.name : `${path}.${field.name}`;
      const length = field.array?.length ?? MAX_ELEMENTS;
      const variable = field.array !== null && field.array.length === null;
      if (steps.length >= MAX_DEPTH || length > MAX_ELEMENTS || (variable && !isSeriesElement(field.type))) continue;
      const count = field.array === null ? 1 : length;
      // Neighbouring elements must stay together, so an array is included completely or not at all.
      if (leaves.length + count > MAX_FIELDS) continue;
      for (let element = 0; element < count; element++) {
        const at = field.array === null ? own : `${own}[${element}]`;
        const stepsTo = field.array === null ? [...steps, i] : [...steps, i, element];
        if (typeof field.type !== "string") visit(field.type, at, stepsTo, unit);
        else leaves.push({ info: describe(at, field.type, unit, field.enumValues), steps: stepsTo, variable });
      }
    }
  };
  visit(root, "", [], undefined);
  return leaves.slice(0, MAX_FIELDS);
}

/** Bytes of unknown length are images and blobs, and lists of structs have no stable order. */
function isSeriesElement(type: ScalarType | StructType): boolean {
  return typeof type === "string" && type !== "uint8" && type !== "int8" && type !== "time" && type !== "duration";
}

function describe(
  path: string,
  type: ScalarType,
  unit: string | undefined,
  enumValues: Record<number, string> | undefined,
): FieldInfo {
  if (enumValues !== undefined) return { path, kind: "enum", enumValues };
  if (type === "string") return { path, kind: "string" };
  if (type === "bool") return { path, kind: "boolean" };
  if (type === "time" || type === "duration") return { path, kind: "time" };
  return { path, kind: "number", ...(unit === undefined ? {} : { unit }) };
}

function protoFields(root: ProtoMessage): FieldInfo[] {
  const list: FieldInfo[] = [];
  let visits = 0;
  const visit = (
    type: ProtoMessage,
    path: string,
    depth: number,
    above: readonly ProtoMessage[],
    outer: string | undefined,
  ): void => {
    if (++visits > MAX_VISITS) return;
    for (const field of type.fields) {
      if (field.repeated || list.length >= MAX_FIELDS) continue;
      const own = joinPath(path, field.name);
      const unit = findUnit(field.name) ?? findStandardUnit(type.name, field.name) ?? outer;
      if (field.message !== null) {
        if (isTime(field.message)) list.push({ path: own, kind: "time" });
        else if (depth < MAX_DEPTH && !above.includes(field.message)) {
          visit(field.message, own, depth + 1, [...above, field.message], unit);
        }
      } else if (field.enumValues !== null) list.push({ path: own, kind: "enum", enumValues: field.enumValues });
      else if (field.type === ProtoType.string) list.push({ path: own, kind: "string" });
      else if (field.type === ProtoType.bool) list.push({ path: own, kind: "boolean" });
      else if (field.type !== ProtoType.bytes)
        list.push({ path: own, kind: "number", ...(unit === undefined ? {} : { unit }) });
    }
  };
  visit(root, "", 1, [root], undefined);
  return list;
}

function flatFields({ objects, enums, root }: FlatSchema): FieldInfo[] {
  const list: FieldInfo[] = [];
  let visits = 0;
  const visit = (object: FlatObject, path: string, above: readonly FlatObject[]): void => {
    if (++visits > MAX_VISITS) return;
    for (const { name, type } of object.fields) {
      const own = joinPath(path, name);
      const isArray = type.base === FlatBase.array;
      const base = isArray ? type.element : type.base;
      const inner = base === FlatBase.object ? objects[type.index ?? -1] : undefined;
      const count = isArray ? type.length : 1;
      if (count > MAX_ELEMENTS || list.length + count > MAX_FIELDS) continue;
      for (let element = 0; element < count; element++) {
        const at = isArray ? `${own}[${element}]` : own;
        if (inner) {
          if (isTimeObject(inner)) list.push({ path: at, kind: "time" });
          else if (above.length < MAX_DEPTH && !above.includes(inner)) visit(inner, at, [...above, inner]);
        } else list.push(...flatScalar(at, name, base, type.index === null ? undefined : enums[type.index]));
      }
    }
  };
  visit(root, "", [root]);
  return list;
}

const isTimeObject = ({ fields }: FlatObject): boolean =>
  fields.length === 2 &&
  fields.some(({ name }) => name === "sec") &&
  fields.some(({ name }) => nanosecondNames.some((known) => known === name));

function flatScalar(path: string, name: string, base: number, known: FlatEnum | undefined): FieldInfo[] {
  if (base === FlatBase.string) return [{ path, kind: "string" }];
  if (base === FlatBase.bool) return [{ path, kind: "boolean" }];
  if (base < FlatBase.unionType || base > FlatBase.double) return [];
  if (known) return [{ path, kind: "enum", enumValues: known.names }];
  const unit = findUnit(name);
  return [{ path, kind: "number", ...(unit === undefined ? {} : { unit }) }];
}

function jsonFields(schema: unknown): FieldInfo[] {
  const list: FieldInfo[] = [];
  const visit = (node: unknown, path: string, depth: number): void => {
    if (typeof node !== "object" || node === null || depth > MAX_DEPTH || list.length >= MAX_FIELDS) return;
    const { type, properties, description } = node as { type?: unknown; properties?: unknown; description?: unknown };
    if (typeof properties === "object" && properties !== null) {
      const names = Object.keys(properties);
      if (
        path !== "" &&
        names.length === 2 &&
        names.includes("sec") &&
        nanosecondNames.some((name) => names.includes(name))
      ) {
        list.push({ path, kind: "time" });
        return;
      }
      for (const [name, child] of Object.entries(properties)) visit(child, joinPath(path, name), depth + 1);
      return;
    }
    if (path === "") return;
    const name = path.slice(path.lastIndexOf(".") + 1);
    const unit = findUnit(name, typeof description === "string" ? description : "");
    const has = (wanted: string): boolean => type === wanted || (Array.isArray(type) && type.includes(wanted));
    if (has("number") || has("integer")) list.push({ path, kind: "number", ...(unit === undefined ? {} : { unit }) });
    else if (has("boolean")) list.push({ path, kind: "boolean" });
    else if (has("string")) list.push({ path, kind: "string" });
  };
  visit(schema, "", 0);
  return list;
}
