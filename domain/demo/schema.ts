import { z } from "zod";
import { seenSteps } from "@/domain/demo/first-steps";
import { choice, queryBoolean } from "@/domain/fields";

export const StartDemo = z.object({
  quick: z.boolean().optional().describe("Ten short recordings in place of thirty."),
});
export type StartDemo = z.output<typeof StartDemo>;

/** Only rows of the demo fleet, only others, or both where it is missing: what every list and count takes. */
export const ShownRows = z.object({ demo: queryBoolean().optional() });
export type ShownRows = z.output<typeof ShownRows>;

export const TickStep = z.object({ step: choice(seenSteps) });
export const DismissSteps = z.object({ dismissed: z.boolean() });
