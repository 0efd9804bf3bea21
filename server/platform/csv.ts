import type { AuditResource } from "@/server/features/audit/resource";

const columns = [
  "created_at",
  "actor_type",
  "actor_id",
  "actor_name",
  "action",
  "target_type",
  "target_id",
  "target_name",
  "before",
  "after",
  "ip",
  "request_id",
] as const satisfies readonly (keyof AuditResource)[];

/** A value as one cell. What a spreadsheet would run as a formula is marked as text by a leading apostrophe. */
export function csvCell(value: unknown): string {
  const text = value === null || value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
  const inert = /^\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

export const csvHead: string = `${columns.join(",")}\r\n`;

/** One entry of the audit log as a line of CSV (RFC 4180). */
export const csvLine = (entry: AuditResource): string =>
  `${columns.map((column) => csvCell(entry[column])).join(",")}\r\n`;
