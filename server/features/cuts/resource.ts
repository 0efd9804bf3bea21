import { z } from "zod";

/** A link to a range of a recording, which is cut out while it is downloaded. */
export const RecordingCut = z.object({
  /** A signed link, valid for an hour. */
  download_url: z.string(),
  file_name: z.string(),
  expires_at: z.string(),
  /** About how many bytes of the recording's files hold the range. */
  estimated_bytes: z.int(),
});
export type RecordingCut = z.output<typeof RecordingCut>;

/** About how large the topics of a range are, as they are stored. */
export const CutSizes = z.object({
  total_bytes: z.int(),
  /** By topic; those whose size is not known are left out. */
  topics: z.array(z.object({ name: z.string(), bytes: z.int() })),
});
export type CutSizes = z.output<typeof CutSizes>;
