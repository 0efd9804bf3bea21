import { z } from "zod";
import { keyStates } from "@/domain/api-keys/schema";

/** An API key without its secret, which only the response that creates it contains. */
export const KeyResource = z.object({
  uid: z.string(),
  name: z.string(),
  /** The first characters and the last four, by which people recognize a key. */
  prefix: z.string(),
  last_four: z.string(),
  /** Empty: full access to the organization. */
  scopes: z.array(z.string()),
  user_uid: z.string(),
  username: z.string(),
  state: z.enum(keyStates),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
  last_used_ip: z.string().nullable(),
  created_at: z.string(),
});
export type KeyResource = z.output<typeof KeyResource>;

export const CreatedKey = KeyResource.extend({ key: z.string() });
export type CreatedKey = z.output<typeof CreatedKey>;

/** The use of a key in the last 24 hours: the last use, and the addresses that it wrote from. */
export const KeyUse = z.object({
  used_in_last_day: z.boolean(),
  last_used_at: z.string().nullable(),
  last_used_ip: z.string().nullable(),
  callers: z.array(z.object({ ip: z.string().nullable(), writes: z.int(), last_at: z.string() })),
});
export type KeyUse = z.output<typeof KeyUse>;
