import { z } from "zod";
import { seenSteps } from "@/domain/demo/first-steps";
import { choice } from "@/domain/fields";

export const StartDemo = z.object({
  quick: z.boolean().optional().describe("Ten recordings of two minutes in place of thirty longer ones."),
});
export type StartDemo = z.output<typeof StartDemo>;

export const TickStep = z.object({ step: choice(seenSteps) });
export const DismissSteps = z.object({ dismissed: z.boolean() });
