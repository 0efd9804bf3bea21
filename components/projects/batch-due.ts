const pad = (value: number): string => String(value).padStart(2, "0");

/** The day of an instant as a date input shows it, `2026-03-04`: in UTC, or by the browser's own clock. */
export function toDueDate(iso: string, utc: boolean): string {
  const date = new Date(iso);
  if (utc) return date.toISOString().slice(0, 10);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** The end of the day that such an input names, as ISO; null while it names none. */
export function fromDueDate(text: string, utc: boolean): string | null {
  const at = Date.parse(`${text}T23:59:59${utc ? "Z" : ""}`);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
