/**
 * The value that somebody typed: numbers, true, false, lists and objects as JSON has them, everything else as text; in
 * quotation marks always a text. Numbers that would lose digits stay texts.
 */
export function parseMetadataValue(text: string): unknown {
  const trimmed = text.trim();
  if (/^".*"$/s.test(trimmed)) return trimmed.slice(1, -1);
  if (!/^(-?\d|true$|false$|[[{])/.test(trimmed)) return trimmed;
  try {
    const value: unknown = JSON.parse(trimmed);
    const isExact = typeof value !== "number" || trimmed.replace(/\D/g, "").length <= 15 || String(value) === trimmed;
    return isExact ? value : trimmed;
  } catch {
    return trimmed;
  }
}

/** A value of metadata as people read and type it: texts as they are, as long as they stay texts, all else as JSON. */
export const toMetadataText = (value: unknown): string =>
  typeof value !== "string" ? JSON.stringify(value) : parseMetadataValue(value) === value ? value : `"${value}"`;

const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;

/** Whether a value stands in one row: everything but objects, and lists that hold some. */
const isSingle = (value: unknown): boolean => isPlain(value) || (Array.isArray(value) && value.every(isPlain));

/** More rows are left to the page of the item. */
const maxRows = 80;

/** The values of metadata by where they are, as filters name it: `camera.name`. Of an empty object or list, that it is empty. */
export function listMetadataRows(metadata: Readonly<Record<string, unknown>>): {
  rows: [path: string, value: unknown][];
  more: number;
} {
  const rows: [string, unknown][] = [];
  const add = (path: string, value: unknown): void => {
    const members = isSingle(value) ? [] : Object.entries(value ?? {});
    if (members.length === 0) rows.push([path, value]);
    else for (const [key, member] of members) add(`${path}.${key}`, member);
  };
  for (const [key, value] of Object.entries(metadata)) add(key, value);
  return { rows: rows.slice(0, maxRows), more: Math.max(0, rows.length - maxRows) };
}
