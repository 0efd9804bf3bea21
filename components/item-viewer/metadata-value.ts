/** A value of metadata as people read and type it: texts without quotes, everything else as JSON. */
export const toMetadataText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** The value that somebody typed: numbers, true, false, lists and objects as JSON has them, everything else as text. */
export function parseMetadataValue(text: string): unknown {
  const trimmed = text.trim();
  if (!/^(-?\d|true$|false$|[[{])/.test(trimmed)) return text;
  try {
    return JSON.parse(trimmed);
  } catch {
    return text;
  }
}
