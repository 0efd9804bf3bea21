import { z } from "zod";
import { seenSteps } from "@/domain/demo/first-steps";
import { choice } from "@/domain/fields";

export const TickStep = z.object({ step: choice(seenSteps) });
export const DismissSteps = z.object({ dismissed: z.boolean() });
