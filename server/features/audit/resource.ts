import { z } from "zod";

const members = z.record(z.string(), z.unknown()).nullable();

/** Actor, action, object and address. `before` and `after` contain only the members that changed. */
export const AuditResource = z.object({
  uid: z.string(),
  actor_type: z.string(),
  actor_id: z.string(),
  actor_name: z.string(),
  action: z.string(),
  target_type: z.string(),
  target_id: z.string(),
  target_name: z.string(),
  before: members,
  after: members,
  ip: z.string().nullable(),
  request_id: z.string().nullable(),
  /** How often it happened: refusals and downloads have one entry for a window of time. */
  count: z.int(),
  created_at: z.string(),
});
export type AuditResource = z.output<typeof AuditResource>;

export const AuditCsv = z.object({
  file_name: z.string(),
  csv: z.string(),
  rows: z.int(),
  /** Whether more entries matched than one file contains. */
  truncated: z.boolean(),
});
export type AuditCsv = z.output<typeof AuditCsv>;
