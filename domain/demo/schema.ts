import { z } from "zod";
import { choice } from "@/domain/fields";

export { firstStepKeys, type FirstStep } from "@/domain/demo/terms";

/** The first steps in the order they are suggested. Those of `seen` happen in the browser; the rest the data tells. */
export const seenSteps = ["evidence", "backtest"] as const;

export const TickStep = z.object({ step: choice(seenSteps) });
export const DismissSteps = z.object({ dismissed: z.boolean() });
