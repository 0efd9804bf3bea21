import { joinPath, nanosecondNames } from "@/domain/conditions/path";
import { MAX_LONG_LISTS, type LongList } from "@/engine/decode/kept-lists";
import { getPayloadType, type PayloadType } from "@/engine/decode/payload-type";
import { listProtoEnums, listProtoFields } from "@/engine/decode/proto-fields";
import {
  FieldlessTypes,
  MAX_DEPTH,
  MAX_ELEMENTS,
  MAX_FIELDS,
  MAX_LENGTH,
  MAX_PATH,
  type FieldInfo,
} from "@/engine/decode/schemas/field-info";
import { FlatBase, type FlatEnum, type FlatObject, type FlatSchema } from "@/engine/decode/schemas/flatbuffer-type";
import type { ScalarType, StructType } from "@/engine/decode/schemas/message-type";
import { oncePerType, PlanBudget } from "@/engine/decode/schemas/plan-budget";
import { findStandardUnit } from "@/engine/decode/schemas/standard-units";
import { findUnit } from "@/engine/decode/schemas/units";
import type { Channel } from "@/engine/formats/recording";
import { RecordingError } from "@/engine/formats/recording-error";

export {
  MAX_DEPTH,
  MAX_ELEMENTS,
  MAX_FIELDS,
  MAX_LENGTH,
  MAX_PATH,
  type FieldInfo,
} from "@/engine/decode/schemas/field-info";

/** Elements of each list that are fields where those of all lists are too many for a topic. */
const LEAST_ELEMENTS = 16;
/**
 * The scalar fields of a channel's messages, in schema order, at most 500. Of arrays of up to 256 fixed elements the
 * first 64 are spelled out, arrays of unknown length are left out. Empty for JSON, CBOR and MessagePack without a
 * schema and for schemas that cannot be used.
 */
export function listFields(channel: Channel): readonly FieldInfo[] {
  return orNone(() => listSchemaFields(getPayloadType(channel)));
}

/** The enums of a channel's messages; of protobuf also those within lists and maps, with `*` in the place of a key. */
export function listEnumFields(channel: Channel): readonly FieldInfo[] {
  return orNone(() => {
    const payload = getPayloadType(channel);
    return payload.kind === "protobuf" ? listProtoEnums(payload.type) : listSchemaFields(payload);
  });
}

function orNone(list: () => readonly FieldInfo[]): readonly FieldInfo[] {
  try {
    return list();
  } catch (error) {
    if (error instanceof RecordingError) return [];
    throw error;
  }
}

/** The fields of a schema. Throws a RecordingError beyond the budget of visits. */
export const listSchemaFields = oncePerType((payload: PayloadType): readonly FieldInfo[] => {
  if ("schema" in payload) return jsonFields(payload.schema);
  if (payload.kind === "protobuf") return listProtoFields(payload.type);
  if (payload.kind === "flatbuffer") return flatFields(payload.type);
  return structFields(payload.type).flatMap(({ info, list }) => (list < 0 ? [info] : []));
});

/** A scalar of a struct with the steps to it: field positions, and element numbers after arrays. */
export interface StructLeaf {
  info: FieldInfo;
  steps: number[];
  /** The list of unknown length that it is an element of, or a part of one, in the order of the schema; -1 for none. */
  list: number;
  /** The position of that element; 0 for none. */
  element: number;
  /** The path of that list; empty for none. */
  listPath: string;
}

/**
 * The scalars of a struct. Of arrays of unknown length, the first elements are offered, without such arrays within them. Of
 * all lists the same number of elements is, 64 or as many as make no more than 500 fields; of those of structs of unknown
 * length as many as all other fields leave room for. Throws a RecordingError beyond the budget of visits.
 */
export const structFields = oncePerType((root: StructType): readonly StructLeaf[] => {
  const [most, known] = collectMost(LEAST_ELEMENTS, (elements) => collectLeaves(root, elements, 0, 0));
  const room = MAX_FIELDS - known.leaves.length;
  return known.complete
    ? collectMost(1, (elements) => collectLeaves(root, most, elements, room))[1].leaves
    : known.leaves;
});

interface Collected {
  leaves: StructLeaf[];
  /** None had to be left out for want of room. */
  complete: boolean;
}

/** What is collected with as many elements of each list as there is room for, `least` at least, and how many these are. */
function collectMost(least: number, collect: (elements: number) => Collected): [number, Collected] {
  const all = collect(MAX_ELEMENTS);
  if (all.complete) return [MAX_ELEMENTS, all];
  let found = collect(least);
  let [low, high] = [least, MAX_ELEMENTS];
  while (found.complete && high - low > 1) {
    const middle = (low + high) >> 1;
    const more = collect(middle);
    if (more.complete) [low, found] = [middle, more];
    else high = middle;
  }
  return [low, found];
}

/** The lists of a fixed length of which no element is a field. Throws a RecordingError beyond the budget of visits. */
export const listFixedLists = oncePerType((root: StructType): readonly LongList[] => {
  const found: LongList[] = [];
  const budget = new PlanBudget();
  const done = new Set<StructType>();
  const visit = (type: StructType, path: string, depth: number): void => {
    // What a type that is used repeatedly holds is listed once.
    if (done.has(type) || depth >= MAX_DEPTH) return;
    done.add(type);
    for (const { name, type: inner, array } of type.fields) {
      budget.visit();
      const own = path === "" ? name : `${path}.${name}`;
      if (found.length >= MAX_LONG_LISTS || own.length > MAX_PATH) return;
      const isLong = array !== null && (array.length ?? 0) > MAX_LENGTH;
      if (isLong && array.length !== null && (typeof inner !== "string" || isSeriesElement(inner)))
        found.push({ path: own, elements: array.length });
      else if (array === null && typeof inner !== "string") visit(inner, own, depth + 1);
    }
  };
  visit(root, "", 0);
  return found;
});

const noList = { list: -1, element: 0, listPath: "" };

/**
 * The scalars with up to `most` elements of each list; of lists of structs of unknown length up to `structs`, whose
 * scalars are no more than `room` together.
 */
function collectLeaves(root: StructType, most: number, structs: number, room: number): Collected {
  const leaves: StructLeaf[] = [];
  const budget = new PlanBudget();
  let lists = 0;
  let left = room;
  /** Outside of lists of unknown length, and within, where those that it holds have no fields. */
  const [fieldlessOutside, fieldlessWithin] = [new FieldlessTypes<StructType>(), new FieldlessTypes<StructType>()];
  let complete = true;
  /** The list of unknown length that is looked into. */
  let within = noList;
  const visit = (type: StructType, path: string, steps: number[], outer: string | undefined): void => {
    budget.visit();
    const fieldless = within.list < 0 ? fieldlessOutside : fieldlessWithin;
    if (leaves.length >= MAX_FIELDS || fieldless.has(type, steps.length)) {
      complete &&= leaves.length < MAX_FIELDS;
      return;
    }
    const before = leaves.length;
    for (const [i, field] of type.fields.entries()) {
      budget.visit();
      const unit = field.unit ?? findStandardUnit(type.name, field.name) ?? outer;
      const own = path === "" ? field.name : `${path}.${field.name}`;
      const variable = field.array !== null && field.array.length === null;
      const length = field.array?.length ?? (typeof field.type === "string" ? most : structs);
      if (steps.length >= MAX_DEPTH || length > MAX_LENGTH) continue;
      if (variable && (within.list >= 0 || !isSeriesElement(field.type))) continue;
      const count = field.array === null ? 1 : variable ? length : Math.min(length, most);
      // Neighbouring elements must stay together, so those of a list are included all or not at all.
      if (leaves.length + count > MAX_FIELDS && (field.array === null || typeof field.type === "string")) {
        complete = false;
        continue;
      }
      const completeBefore = complete;
      for (let element = 0; element < count; element++) {
        const elementBefore = leaves.length;
        const [listsBefore, leftBefore] = [lists, left];
        complete = true;
        const at = field.array === null ? own : `${own}[${element}]`;
        const stepsTo = field.array === null ? [...steps, i] : [...steps, i, element];
        if (variable) within = { list: lists, element, listPath: own };
        if (typeof field.type !== "string") visit(field.type, at, stepsTo, unit);
        else leaves.push({ info: describe(at, field.type, unit, field.enumValues), steps: stepsTo, ...within });
        if (leaves.length === elementBefore) break;
        if (variable && typeof field.type !== "string") left -= leaves.length - elementBefore;
        if (left < 0) complete = false;
        // Of lists of structs whole elements are kept.
        if (complete || field.array === null) continue;
        leaves.length = elementBefore;
        lists = listsBefore;
        left = leftBefore;
        break;
      }
      if (variable) {
        within = noList;
        // One without any field is none.
        if (leaves.at(-1)?.list === lists) lists += 1;
      }
      complete &&= completeBefore;
    }
    if (leaves.length === before) fieldless.add(type, steps.length);
  };
  visit(root, "", [], undefined);
  return { leaves, complete };
}

/** Bytes of unknown length are images and blobs. */
const isSeriesElement = (type: ScalarType | StructType): boolean =>
  type !== "uint8" && type !== "int8" && type !== "time" && type !== "duration";

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

function flatFields({ objects, enums, root }: FlatSchema): FieldInfo[] {
  const list: FieldInfo[] = [];
  const budget = new PlanBudget();
  const fieldless = new FieldlessTypes<FlatObject>();
  let cut = 0;
  const visit = (object: FlatObject, path: string, above: readonly FlatObject[]): void => {
    budget.visit();
    if (list.length >= MAX_FIELDS || fieldless.has(object, above.length)) return;
    const before = list.length;
    const cutBefore = cut;
    for (const { name, type } of object.fields) {
      budget.visit();
      const own = joinPath(path, name);
      if (own.length > MAX_PATH) continue;
      const isArray = type.base === FlatBase.array;
      if (isArray && type.length > MAX_LENGTH) continue;
      const base = isArray ? type.element : type.base;
      const inner = base === FlatBase.object ? objects[type.index ?? -1] : undefined;
      const count = isArray ? Math.min(type.length, MAX_ELEMENTS) : 1;
      if (list.length + count > MAX_FIELDS) continue;
      for (let element = 0; element < count; element++) {
        const at = isArray ? `${own}[${element}]` : own;
        if (inner) {
          if (isTimeObject(inner)) list.push({ path: at, kind: "time" });
          else if (above.includes(inner)) cut += 1;
          else if (above.length < MAX_DEPTH) visit(inner, at, [...above, inner]);
        } else list.push(...flatScalar(at, name, base, type.index === null ? undefined : enums[type.index]));
      }
    }
    if (list.length === before && cut === cutBefore) fieldless.add(object, above.length);
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
  const budget = new PlanBudget();
  const visit = (node: unknown, path: string, depth: number): void => {
    budget.visit();
    if (typeof node !== "object" || node === null || depth > MAX_DEPTH || path.length > MAX_PATH) return;
    if (list.length >= MAX_FIELDS) return;
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
      for (const name of names) {
        if (list.length >= MAX_FIELDS) return;
        visit((properties as Record<string, unknown>)[name], joinPath(path, name), depth + 1);
      }
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
