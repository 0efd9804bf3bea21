import { z } from "zod";

export const ShareResource = z.object({
  uid: z.string(),
  from_ns: z.string(),
  to_ns: z.string(),
  note: z.string(),
  created_by_name: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  opened_count: z.int(),
  last_opened_at: z.string().nullable(),
  /** Whether the caller may revoke it. */
  revocable: z.boolean(),
});
export type ShareResource = z.output<typeof ShareResource>;

/** A new link, which is shown this once. */
export const CreatedShare = z.object({ uid: z.string(), url: z.string(), expires_at: z.string() });
export type CreatedShare = z.output<typeof CreatedShare>;
