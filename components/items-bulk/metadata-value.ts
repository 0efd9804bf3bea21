/** The value that a text means: a number, a truth value, else the text itself; in quotation marks always a text. */
export function parseMetadataValue(text: string): string | number | boolean {
  const trimmed = text.trim();
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  if (/^-?\d{1,15}(\.\d{1,15})?$/.test(trimmed)) return Number(trimmed);
  return /^".*"$/s.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}
