import { z } from "zod";
import { choice, choices, nonBlank, pageFields, uid } from "@/domain/fields";
import { scopes } from "@/domain/permissions";
import { timestamp } from "@/domain/time/fields";

export const keyStates = ["active", "expired", "revoked"] as const;

/** Choices of a key's lifetime, in days. */
const keyLifetimes = ["30", "90", "365", "never"] as const;
export type KeyLifetime = (typeof keyLifetimes)[number];

/** How long the old secret stays valid after a key was regenerated, in hours. */
export const overlapHours = [0, 1, 24] as const;

/** Ready-made choices of scopes; `full` is the absence of any. */
export const scopePresets = {
  "read-only": scopes.filter((scope) => scope.endsWith(".read")),
  "ci-export": ["datasets.read", "projects.read", "exports.create"],
  full: [],
} as const satisfies Record<string, readonly (typeof scopes)[number][]>;

const keyScopes = z.array(choice(scopes)).transform((list) => [...new Set(list)]);

/** `expiry`: 30, 90 or 365 days, `never`, or a time. Left out, the key lives as long as the organization allows. */
export const CreateKey = z.object({
  name: nonBlank(255),
  scopes: keyScopes.optional(),
  expiry: z.union([z.enum(keyLifetimes), timestamp()], { error: "Must be 30, 90, 365, never or a date." }).optional(),
});
export type CreateKey = z.output<typeof CreateKey>;

export const KeyFilters = z.object({
  state: choices(keyStates).optional(),
  /** Only the caller's own keys. */
  mine: z.boolean().optional(),
  ...pageFields({ default: 100, max: 1_000 }),
});
export type KeyFilters = z.output<typeof KeyFilters>;

/** A maximum lifetime of keys that is not set yet. */
export const KeyLimit = z.object({ days: z.int().min(1).max(3_650) });
export type KeyLimit = z.output<typeof KeyLimit>;

export const KeyUid = z.object({ uid: uid() });

export const RegenerateKey = z.object({ ...KeyUid.shape, keep_old_hours: z.literal(overlapHours) });
export type RegenerateKey = z.output<typeof RegenerateKey>;
