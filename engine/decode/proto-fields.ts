import { joinPath, parsePath, PathError, type PathStep } from "@/domain/conditions/path";
import { isTime } from "@/engine/decode/protobuf";
import { FieldlessTypes, MAX_DEPTH, MAX_FIELDS, MAX_PATH, type FieldInfo } from "@/engine/decode/schemas/field-info";
import { oncePerType, PlanBudget } from "@/engine/decode/schemas/plan-budget";
import { getMapValue, ProtoType, type ProtoField, type ProtoMessage } from "@/engine/decode/schemas/proto-schema";
import { findStandardUnit } from "@/engine/decode/schemas/standard-units";
import { findUnit } from "@/engine/decode/schemas/units";

/** With `enums` only enums, but those within lists and maps too, their paths without indices and with `*` for keys. */
function listAll(root: ProtoMessage, enums: boolean): FieldInfo[] {
  const list: FieldInfo[] = [];
  const budget = new PlanBudget();
  const fieldless = new FieldlessTypes<ProtoMessage>();
  /** Fields left out because they lead back to a type above: elsewhere such a type may have fields. */
  let cut = 0;
  const visit = (type: ProtoMessage, path: string, above: readonly ProtoMessage[], outer: string | undefined): void => {
    budget.visit();
    if (list.length >= MAX_FIELDS || fieldless.has(type, above.length)) return;
    const before = list.length;
    const cutBefore = cut;
    for (const field of type.fields) {
      budget.visit();
      // The keys of maps and the lengths of lists are known from messages only.
      if ((field.repeated && !enums) || list.length >= MAX_FIELDS) continue;
      const value = getMapValue(field);
      const own = value ? joinPath(joinPath(path, field.name), "*") : joinPath(path, field.name);
      if (own.length > MAX_PATH) continue;
      const { message } = value ?? field;
      const unit = findProtoUnit(type, field) ?? outer;
      if (message === null || isTime(message)) {
        const info = describeProto(own, value ?? field, unit);
        if (info && (!enums || info.kind === "enum")) list.push(info);
      } else if (above.includes(message)) cut += 1;
      else if (above.length < MAX_DEPTH) visit(message, own, [...above, message], unit);
    }
    if (list.length === before && cut === cutBefore) fieldless.add(type, above.length);
  };
  visit(root, "", [root], undefined);
  return list;
}

/** The fields of a type that each of its messages has at one path. Throws a RecordingError beyond the budget of visits. */
export const listProtoFields = (root: ProtoMessage): readonly FieldInfo[] => listAll(root, false);

/** The enums of a type. Throws a RecordingError beyond the budget of visits. */
export const listProtoEnums = oncePerType((root: ProtoMessage): readonly FieldInfo[] => listAll(root, true));

const findProtoUnit = (type: ProtoMessage, { name }: ProtoField): string | undefined =>
  findUnit(name) ?? findStandardUnit(type.name, name);

/** Null for bytes, and for messages other than times. */
function describeProto(
  path: string,
  { type, message, enumValues }: ProtoField,
  unit: string | undefined,
): FieldInfo | null {
  if (message !== null) return isTime(message) ? { path, kind: "time" } : null;
  if (enumValues !== null) return { path, kind: "enum", enumValues };
  if (type === ProtoType.string) return { path, kind: "string" };
  if (type === ProtoType.bool) return { path, kind: "boolean" };
  if (type === ProtoType.bytes) return null;
  return { path, kind: "number", ...(unit === undefined ? {} : { unit }) };
}

/** What stands at a path of protobuf messages that leads through lists or maps; null where nothing is read. */
export function findProtoField(root: ProtoMessage, path: string): { field: ProtoField; info: FieldInfo | null } | null {
  let steps: PathStep[];
  try {
    steps = parsePath(path, "");
  } catch (error) {
    if (error instanceof PathError) return null;
    throw error;
  }
  let type: ProtoMessage | null = root;
  let field: ProtoField | undefined;
  let unit: string | undefined;
  for (const step of steps) {
    // The element of a list has the type of its field.
    if (step.kind === "index") continue;
    if (step.kind !== "key" || type === null) return null;
    const owner: ProtoMessage = type;
    field = owner.isMapEntry ? owner.byNumber.get(2) : owner.fields.find(({ name }) => name === step.key);
    if (!field) return null;
    if (!owner.isMapEntry) unit = findProtoUnit(owner, field) ?? unit;
    type = field.message;
  }
  return field ? { field, info: describeProto(path, field, unit) } : null;
}
