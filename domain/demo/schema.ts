import { z } from "zod";
import { seenSteps } from "@/domain/demo/first-steps";
import { choice } from "@/domain/fields";

export const StartDemo = z.object({
  quick: z.boolean().optional().describe("Ten short recordings in place of thirty."),
});
export type StartDemo = z.output<typeof StartDemo>;

export const TickStep = z.object({ step: choice(seenSteps) });
export const DismissSteps = z.object({ dismissed: z.boolean() });
