import { latin1Text } from "@/engine/bytes";

/** Bytes of a byte array that are shown. */
const maxBytes = 1_024;
/** Items of a list that are shown. */
const maxItems = 256;
const maxCharacters = 16_384;
const maxDepth = 32;

const bytes = (value: Uint8Array) => ({
  $bytes: true,
  length: value.byteLength,
  base64: btoa(latin1Text(value.subarray(0, maxBytes))),
});

function list(values: ArrayLike<unknown>, depth: number): unknown {
  const items = Array.from({ length: Math.min(values.length, maxItems) }, (_, i) => jsonSafe(values[i], depth + 1));
  return values.length > maxItems ? { $list: true, length: values.length, items } : items;
}

/**
 * Converts a decoded message to JSON: integers beyond 2^53 and numbers that JSON lacks (`NaN`, `Infinity`) as strings,
 * bytes as `{$bytes, length, base64}` with the first 1,024, lists of more than 256 as `{$list, length,
 * items}`, long strings cut.
 */
export function jsonSafe(value: unknown, depth = 0): unknown {
  switch (typeof value) {
    case "bigint": {
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : String(value);
    }
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "string":
      // A lone surrogate is not valid Unicode, and so not valid JSON.
      return (value.length > maxCharacters ? `${value.slice(0, maxCharacters)}…` : value).toWellFormed();
    case "boolean":
      return value;
    case "object":
      break;
    default:
      return null;
  }
  if (value === null) return null;
  if (depth >= maxDepth) return "…";
  if (value instanceof Uint8Array) return bytes(value);
  if (Array.isArray(value)) return list(value, depth);
  if (ArrayBuffer.isView(value)) return list(value as unknown as ArrayLike<unknown>, depth);
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key.toWellFormed(), jsonSafe(entry, depth + 1)]),
  );
}
