import { csvCell, csvText, joinCsvCells } from "@/domain/csv";
import { cellText, isNumeric, type Result } from "./query";

/**
 * The rows of a result as CSV (RFC 4180) below the names of its columns. Numbers are exact; what is no number cannot run
 * as a formula of a spreadsheet.
 */
export function resultCsv({ columns, rows }: Pick<Result, "columns" | "rows">): string {
  // Large integers and decimals are texts, but those of a column of numbers.
  const formats = columns.map((column) => (isNumeric(column) ? csvText : csvCell));
  const lines = rows.map((row) => joinCsvCells(formats.map((format, at) => format(cellText(row[at])))));
  return joinCsvCells(columns.map(({ name }) => csvCell(name))) + lines.join("");
}

/** The name of that file: the day, and that it has only the first rows where there are more. */
export function csvName({ row_count: rows, truncated }: Pick<Result, "row_count" | "truncated">, now: Date): string {
  return `query-${now.toISOString().slice(0, 10)}${truncated ? `-first-${rows}-rows` : ""}.csv`;
}
