/** Formats a text as one cell (RFC 4180), exactly. */
export const csvText = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Formats a value as one cell. A leading apostrophe keeps spreadsheets from running a text as a formula. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return csvText(/^\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text);
}

/** Joins cells to one line with its line end. An empty cell alone is quoted: readers skip empty lines. */
export const joinCsvCells = (cells: readonly string[]): string =>
  `${cells.length === 1 && cells[0] === "" ? '""' : cells.join(",")}\r\n`;

/** Formats values as one line (RFC 4180), including its line end. */
export const csvLine = (values: readonly unknown[]): string => joinCsvCells(values.map(csvCell));
