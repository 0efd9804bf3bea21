/**
 * A recording (or one message of it) that cannot be used. `message` is one line, safe to show to users: it holds no
 * paths, no payload bytes and no text of other tenants. Any other error thrown by this folder is a bug.
 */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
}

/** Text taken from a file, made fit for a one-line message: control characters replaced, at most `max` characters. */
export function quoted(text: string, max = 80): string {
  const clean = text.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  return `"${clean.length > max ? `${clean.slice(0, max)}…` : clean}"`;
}

/** At most `max` characters of a text; a longer one ends in "…". */
export const cutText = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text);

/** Turns an error of a third-party parser into one short, safe line. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return quoted(text.split("\n", 1)[0] ?? "", 160).slice(1, -1);
}
