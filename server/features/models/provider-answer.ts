import { z } from "zod";
import { issueMessage } from "@/domain/field-messages";
import { jsonDepth, maxJsonDepth } from "@/domain/fields";
import { issueLine, toIssues } from "@/domain/issues";
import { Annotation } from "@/domain/tasks/schema";
import { storedJson } from "@/server/platform/stored-text";

/** The most predictions of an item. */
const maxPredictions = 10_000;

const Score = z
  .number()
  .refine((score) => score >= 0 && score <= 1, { error: "A score is between 0 and 1." })
  .optional();
const Scores = z.object({ confidence: Score, score: Score });

const PredictResponse = z.object({
  predictions: z
    .array(Annotation)
    .max(maxPredictions)
    .superRefine((predictions, context) => {
      for (const [at, { attributes }] of predictions.entries()) {
        const found = Scores.safeParse(attributes, { error: issueMessage });
        for (const { path, message } of found.error?.issues ?? [])
          context.addIssue({ code: "custom", path: [at, "attributes", ...path], message });
      }
    }),
});

/** How sure a model was of a prediction, 0 to 1; null where it does not say. */
export const getScore = (attributes: unknown): number | null => {
  const found = Scores.safeParse(attributes).data;
  return found?.confidence ?? found?.score ?? null;
};

/** The predictions in an answer; or what is wrong with it, with its place: `predictions.3.coordinates.width: …`. */
export function readAnswer(answer: string): { predictions: Annotation[] } | { error: string } {
  let document: unknown;
  try {
    document = JSON.parse(answer);
  } catch {
    return { error: "The provider's answer is not JSON." };
  }
  if (typeof document !== "object" || document === null || Array.isArray(document))
    return { error: 'The provider\'s answer is no object such as {"predictions": []}.' };
  if (jsonDepth(document) > maxJsonDepth)
    return { error: `The provider's answer is nested deeper than ${maxJsonDepth} levels.` };
  // What the database cannot store is replaced in texts, and refused in the names of members.
  const stored = storedJson(document);
  if (/\\u0000|\\ud[89a-f]/.test(stored))
    return { error: "The provider's answer has characters that cannot be stored." };
  const parsed = PredictResponse.safeParse(JSON.parse(stored), { error: issueMessage });
  if (parsed.success) return { predictions: parsed.data.predictions };
  const [first, ...others] = toIssues(parsed.error.issues);
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  return { error: first ? issueLine(first) + more : "The provider's answer cannot be read." };
}
