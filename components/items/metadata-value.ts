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
