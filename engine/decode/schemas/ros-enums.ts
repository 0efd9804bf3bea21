import type { ScalarType } from "@/engine/decode/schemas/message-type";
import { PlanBudget } from "@/engine/decode/schemas/plan-budget";

/** One field as declared in a message definition. */
export interface TextField {
  type: string;
  name: string;
  array: { length: number | null } | null;
  unit: string | undefined;
  /** The scalar type that `type` is an alias of. */
  alias: ScalarType | undefined;
  enumValues?: Record<number, string>;
}

export interface Constant {
  type: string;
  name: string;
  value: number;
  /** Number of fields before it in its message. */
  before: number;
}

/**
 * ROS has no enums: constants beside a field name its values by convention. A constant belongs to the field whose name,
 * in capitals, its own starts with (STATUS_FIX names `status`, COVARIANCE_TYPE_KNOWN `position_covariance_type`);
 * the remaining ones belong to the next field of the same type, unless two of them share a value.
 */
export function nameEnums(fields: TextField[], constants: Constant[]): void {
  const integers = constants.filter(({ value, type }) => Number.isInteger(value) && WHOLE.test(type)).slice(0, 512);
  if (integers.length === 0) return;
  const taken = new Set<Constant>();
  const named = findNamed(fields, integers);
  for (const field of fields) {
    const own = named.get(field) ?? [];
    if (own.length < 2 && !own.some((constant) => constant.name.startsWith(`${field.name.toUpperCase()}_`))) continue;
    if (give(field, own)) for (const constant of own) taken.add(constant);
  }
  const remaining = integers.filter((constant) => !taken.has(constant));
  for (const [at, field] of fields.entries()) {
    if (field.enumValues !== undefined || !WHOLE.test(field.type)) continue;
    const own = remaining.filter(
      (constant) => constant.type === field.type && constant.before <= at && !taken.has(constant),
    );
    if (own.length < 2) continue;
    give(field, own);
    for (const constant of own) taken.add(constant);
  }
}

const WHOLE = /^(u?int(8|16|32)|byte|char)$/;

function give(field: TextField, constants: Constant[]): boolean {
  const values = new Set(constants.map((constant) => constant.value));
  if (values.size === 0 || values.size < constants.length) return false;
  field.enumValues = Object.fromEntries(constants.map(({ value, name }) => [value, name]));
  return true;
}

/** Longer names are not compared. */
const maxName = 255;

/**
 * The constants of each field: some leading part of a constant, up to an underscore, is the field's name or the end of it.
 * Throws a RecordingError where too many are.
 */
function findNamed(fields: readonly TextField[], constants: readonly Constant[]): Map<TextField, Constant[]> {
  const byEnding = new Map<string, TextField[]>();
  for (const field of fields) {
    if (!WHOLE.test(field.type) || field.name.length > maxName) continue;
    const upper = field.name.toUpperCase();
    for (let at = 0; at >= 0 && at <= upper.length; at = nextPart(upper, at)) {
      const ending = upper.slice(at);
      byEnding.set(ending, [...(byEnding.get(ending) ?? []), field]);
    }
  }
  const named = new Map<TextField, Constant[]>();
  const budget = new PlanBudget();
  for (const constant of constants) {
    const { name, type } = constant;
    for (let at = name.indexOf("_"); at > 0 && at <= maxName; at = name.indexOf("_", at + 1)) {
      for (const field of byEnding.get(name.slice(0, at)) ?? []) {
        budget.visit();
        const own = named.get(field) ?? [];
        named.set(field, own);
        if (field.type === type && own.at(-1) !== constant) own.push(constant);
      }
    }
  }
  return named;
}

/** Where the part behind the next underscore begins; -1 behind the last. */
const nextPart = (name: string, from: number): number => {
  const at = name.indexOf("_", from);
  return at < 0 ? -1 : at + 1;
};
