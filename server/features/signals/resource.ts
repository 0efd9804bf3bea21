import { z } from "zod";

export const SignalsResult = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })).describe("Types are DuckDB's."),
  rows: z
    .array(z.array(z.unknown()))
    .describe("Values by column. Integers beyond 2^53, decimals and times are text; so are `NaN` and `Infinity`."),
  row_count: z.int(),
  truncated: z.boolean().describe("Whether more rows follow."),
  recordings: z.int().describe("Recordings that were read."),
  bytes_read: z.int().describe("Bytes it reads of the topics' files."),
  elapsed_ms: z.int(),
  skipped: z
    .array(z.object({ recording_id: z.string(), topic: z.string(), reason: z.string() }))
    .describe("Recordings that a topic leaves out."),
});
export type SignalsResult = z.output<typeof SignalsResult>;

/** A saved query, as the dashboard shows it. */
export interface SavedQueryResource {
  uid: string;
  name: string;
  sql: string;
  /** Who saved it: its uid (null when that is not known any more) and name. */
  created_by: string | null;
  created_by_name: string;
}

/** A table that queries can read: a topic with the fields of its newest recordings. */
export interface SignalTable {
  topic: string;
  fields: { path: string; type: string }[];
}
