import { z } from "zod";
import { list, text, uid } from "@/domain/fields";

const seconds = z.int().min(0).max(3_600).default(0).describe("Seconds of work since the last time.");

/** What only the page or program has that a task was given to. */
const lease = z
  .string()
  .regex(/^[0-9a-f]{64}$/, { error: "This is no token of a lease." })
  .meta({
    description: "The token of the lease.",
    examples: ["5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592"],
  });

/** The next task: of a project, and none of those that the caller has passed over. */
export const NextTask = z.object({
  project: uid().describe("Only of this project.").optional(),
  not: list(text(64), 50).describe("Tasks to pass over.").default([]),
});
export type NextTask = z.output<typeof NextTask>;

export const OpenTask = z.object({
  lease: z.boolean().describe("Also leases it, so that nobody else is given it.").default(false),
});
export type OpenTask = z.output<typeof OpenTask>;

export const HeldTask = z.object({ lease, seconds });
export type HeldTask = z.output<typeof HeldTask>;
