import { z } from "zod";
import { list, nonBlank, uid } from "@/domain/fields";
import { moment, timestamp } from "@/domain/time/fields";

/** Rows of a result at most. */
export const maxQueryRows = 10_000;
/** Recordings that one query reads at most. */
export const maxQueryRecordings = 1_000;

/**
 * One SELECT over the topics of recordings: those named, else those of devices, newest first. `since` and `until` go by
 * the time of the data.
 */
export const SignalsQuery = z
  .object({
    sql: nonBlank(20_000).describe("One SELECT of DuckDB."),
    recordings: list(uid("recording"), maxQueryRecordings).optional(),
    device_ids: list(uid("device"), maxQueryRecordings).optional(),
    since: timestamp().optional(),
    until: timestamp().optional(),
    limit: z.int().min(1).max(maxQueryRows).optional().describe("Rows; default 10,000."),
  })
  .meta({ example: { sql: 'select device_name, max("temp") from "/motor" group by device_name' } });
export type SignalsQuery = z.output<typeof SignalsQuery>;

/** The same for the dashboard, whose addresses also hold times such as `-24h`. */
export const ScreenQuery = SignalsQuery.extend({ since: moment().optional(), until: moment().optional() });

/** An organization keeps at most this many saved queries, so that they fit into one menu. */
export const maxSavedQueries = 200;

export const SaveQuery = z.object({ name: nonBlank(100), sql: nonBlank(20_000) });
export type SaveQuery = z.output<typeof SaveQuery>;

export const SavedQueryUid = z.object({ uid: uid() });
