import { z } from "zod";
import { optionalDuration, sharedMembers } from "@/domain/conditions/members";
import { expects, expectsChoice } from "@/domain/field-messages";

/** The combination of what `part` accepts, which may be combinations again. */
export const compositeSchema = <Part>(part: z.ZodType<Part>) =>
  z.object({
    type: z.literal("composite"),
    operator: z.enum(["and", "or"], { error: expectsChoice }),
    conditions: z
      .array(part, { error: expects("Expected a list of conditions.") })
      .min(1, { error: "This list may not be empty." }),
    hold: optionalDuration,
    ...sharedMembers,
  });
