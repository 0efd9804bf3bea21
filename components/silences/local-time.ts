/** Times of a person's zone in the form that `datetime-local` inputs hold: `2026-03-04T22:00`. */

const pad = (value: number): string => String(value).padStart(2, "0");

/** An instant (ms) as such an input shows it; in UTC, or by the browser's own clock. */
export function toLocalInput(at: number, utc: boolean): string {
  const date = new Date(at);
  if (utc) return date.toISOString().slice(0, 16);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** The instant that such an input names, as ISO; null while it names none. */
export function fromLocalInput(text: string, utc: boolean): string | null {
  const at = Date.parse(utc ? `${text}:00Z` : text);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
