import { quoteName, type Table } from "./query";

/** One name that can be written at the cursor. */
interface NameSuggestion {
  label: string;
  detail: string;
}

export interface Suggestions {
  /** What is replaced: the beginning of the name around the cursor. */
  from: number;
  to: number;
  options: NameSuggestion[];
}

/** Columns of every topic, before its fields. */
export const ownColumns = [
  { path: "recording_id", type: "text" },
  { path: "device_id", type: "text" },
  { path: "device_name", type: "text" },
  { path: "log_time", type: "nanoseconds" },
] as const;

/** Fields that are suggested at most where the query names no topic yet. */
const maxFields = 500;

/**
 * The topics, and the fields of those that the query names (of all where it names none), for the name that is written
 * at `position`; null where none is. A name in quotes is suggested in quotes.
 */
export function completeNames(
  sql: string,
  position: number,
  tables: readonly Table[],
  explicit: boolean,
): Suggestions | null {
  const line = sql.slice(sql.lastIndexOf("\n", position - 1) + 1, position);
  const quotes = line.split('"').length - 1;
  const inQuotes = quotes % 2 === 1;
  const written = inQuotes ? line.slice(line.lastIndexOf('"')) : (/[\w.]*$/.exec(line)?.[0] ?? "");
  if (written === "" && !explicit) return null;
  const named = tables.filter(({ topic }) => sql.includes(quoteName(topic)));
  const fields = new Map<string, string>();
  for (const { fields: of } of named.length > 0 ? named : tables)
    for (const { path, type } of of) if (fields.size < maxFields && !fields.has(path)) fields.set(path, type);
  const closing = inQuotes && sql[position] === '"' ? 1 : 0;
  return {
    from: position - written.length,
    to: position + closing,
    options: [
      ...tables.map(({ topic }) => ({ label: quoteName(topic), detail: "topic" })),
      ...[...fields].map(([path, type]) => ({ label: quoteName(path), detail: type })),
      ...(inQuotes ? [] : ownColumns.map(({ path, type }) => ({ label: path, detail: type }))),
    ],
  };
}
