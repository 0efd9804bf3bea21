import { z } from "zod";
import { isComposite, maxLeaves, maxNesting, type Condition } from "@/domain/conditions/condition";
import { checkHeartbeats } from "@/domain/conditions/heartbeat-schema";
import { report, type Issues, optionalDuration, sharedMembers } from "@/domain/conditions/members";
import { leafSchemas } from "@/domain/conditions/schema-registry";
import { expectsType, expects, expectsChoice } from "@/domain/field-messages";
import { publishedAs } from "@/domain/published";

/** The combination of what `part` accepts, which may be combinations again. */
const compositeSchema = <Part>(part: z.ZodType<Part>) =>
  z.object({
    type: z.literal("composite"),
    operator: z.enum(["and", "or"], { error: expectsChoice }),
    conditions: z
      .array(part, { error: expects("Expected a list of conditions.") })
      .min(1, { error: "This list may not be empty." }),
    hold: optionalDuration,
    ...sharedMembers,
  });

const partSchema: z.ZodType<Condition> = z.lazy(() => nodeSchema);
export const compositeConditionSchema = compositeSchema(partSchema);

/** A condition, without the limits on its size. */
export const nodeSchema: z.ZodType<Condition> = z.discriminatedUnion(
  "type",
  [compositeConditionSchema, ...Object.values(leafSchemas).map(({ condition }) => condition)],
  { error: expectsType([...Object.keys(leafSchemas), "composite"]) },
);

/** The unvalidated parts of a composite; null for anything else. */
function getParts(raw: object): unknown[] | null {
  const { type, conditions } = raw as Record<string, unknown>;
  if (!isComposite({ type: String(type) })) return null;
  return Array.isArray(conditions) ? conditions : [];
}

// Not recursive, because the nesting that it has to refuse would overflow the stack.
function checkSize(raw: unknown, issues: Issues): void {
  let level: { raw: unknown; path: (string | number)[] }[] = [{ raw, path: [] }];
  let leaves = 0;
  for (let depth = 0; level.length > 0; depth++) {
    const below: typeof level = [];
    for (const node of level) {
      if (typeof node.raw !== "object" || node.raw === null) continue;
      if (depth > 0 && "cooldown" in node.raw && node.raw.cooldown !== undefined) {
        report(
          issues,
          [...node.path, "cooldown"],
          "A cooldown belongs to the whole rule: set it on the outermost condition.",
        );
      }
      const parts = getParts(node.raw);
      if (parts === null) leaves++;
      else if (depth === maxNesting) return report(issues, [], `Conditions can be nested at most ${maxNesting} deep.`);
      parts?.forEach((part, index) => below.push({ raw: part, path: [...node.path, "conditions", index] }));
    }
    // Each deeper part holds at least one leaf.
    if (leaves + below.length > maxLeaves) {
      return report(issues, [], `A rule can combine at most ${maxLeaves} conditions.`);
    }
    level = below;
  }
}

/** A rule's condition. Issues carry paths below the condition, such as `conditions.1.topic`. */
export const conditionSchema = publishedAs(
  z.unknown().superRefine(checkSize).pipe(nodeSchema).superRefine(checkHeartbeats),
  nodeSchema,
);

/** Throws a ZodError when the JSON is not a valid condition. */
export const parseCondition = (json: unknown): Condition => conditionSchema.parse(json);
