import type { z } from "zod";
import { choice, commaList } from "@/domain/fields";
import { RecordingRange } from "@/domain/recordings/schema";

/** What a range of a recording can be saved as. */
export const cutFormats = ["mcap", "csv", "pictures"] as const;
export type CutFormat = (typeof cutFormats)[number];

/** Topics of one CSV export: the recording is read once for each. */
export const maxCsvTopics = 32;
/** Pictures of one archive. */
export const maxCutPictures = 200_000;

/** A range of a recording to be saved. Default: all of it, with all topics, as MCAP. */
export const CutQuery = RecordingRange.extend({
  /** Exact names; all without it. */
  topics: commaList().optional().describe("Only these topics, by their exact names; default all."),
  format: choice(cutFormats).optional().describe("What to save the range as; default `mcap`."),
});
export type CutQuery = z.output<typeof CutQuery>;
