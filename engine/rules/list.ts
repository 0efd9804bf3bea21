export type List = ArrayLike<unknown>;

/** Arrays and typed arrays: the values that a field of many values holds. */
export const isList = (value: unknown): value is List =>
  typeof value === "object" && (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView)));
