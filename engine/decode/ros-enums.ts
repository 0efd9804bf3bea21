import type { ScalarType } from "@/engine/decode/message-type";

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
  const candidates = fields.filter((field) => WHOLE.test(field.type));
  for (const field of candidates) {
    const own = integers.filter((constant) => constant.type === field.type && isNamedAfter(constant.name, field.name));
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

/** Some leading part of the constant, up to an underscore, is the field's name or the end of it. */
function isNamedAfter(constant: string, field: string): boolean {
  const upper = field.toUpperCase();
  for (let at = constant.indexOf("_"); at > 0; at = constant.indexOf("_", at + 1)) {
    const prefix = constant.slice(0, at);
    if (upper === prefix || upper.endsWith(`_${prefix}`)) return true;
  }
  return false;
}
