import { z } from "zod";
import { uid } from "@/domain/fields";
import { LabelMap } from "@/domain/models/schema";

/**
 * Puts what a run predicted into the drafts of tasks that nobody has begun, for people to take or change. `undo` takes that of
 * the run back which nobody touched.
 */
export const PreLabel = z
  .object({
    run: uid().describe("The run whose predictions are offered."),
    min_score: z.number().min(0).max(1).describe("The least score of a prediction.").default(0),
    label_map: LabelMap.describe(
      "Which label of the project each label of the run is, where the names differ.",
    ).default({}),
    undo: z.boolean().describe("Takes back what is untouched of the run.").default(false),
  })
  .meta({ example: { run: "0199c0de-7a11-7000-8000-000000000001", min_score: 0.5 } });
export type PreLabel = z.output<typeof PreLabel>;
