import type { Condition, LeafCondition } from "@/domain/conditions/condition";
import type { LeafEvidence } from "@/domain/conditions/evidence";
import type { JsonValue } from "@/domain/conditions/evidence";
import { symbolOf, type Comparand, type CountOperator, type Operator } from "@/domain/conditions/operators";

const counts: Record<CountOperator, string> = {
  gt: "more than ",
  gte: "at least ",
  lt: "fewer than ",
  lte: "at most ",
  eq: "exactly ",
  neq: "other than ",
};

const plain = (value: Comparand) =>
  typeof value === "string" && !/^[+-]?[\d.]/.test(value) ? `"${value}"` : String(value);

/** `> 80`, `between 1 and 2`, `== "ERROR"`. */
function comparison(operator: Operator, value: Comparand | readonly (number | string)[]): string {
  if (operator === "between" || operator === "outside") {
    const [low, high] = Array.isArray(value) ? (value as readonly (number | string)[]) : [];
    return operator === "between" ? `between ${low} and ${high}` : `outside ${low} to ${high}`;
  }
  return `${symbolOf[operator]} ${typeof value === "object" ? value.join(", ") : plain(value)}`;
}

const modeWords = {
  any: "",
  all: "all of ",
  min: "min of ",
  max: "max of ",
  mean: "mean of ",
  count: "count of ",
} as const;
const lasting = (words: string, duration: string | undefined) =>
  duration === undefined ? "" : ` ${words} ${duration}`;

/** What is compared, without its topic: `data.value > 80 for 10s`. */
function statement(condition: LeafCondition): string {
  switch (condition.type) {
    case "threshold": {
      const field = modeWords[condition.field_mode ?? "any"] + condition.field;
      return `${field} ${comparison(condition.operator, condition.value)}${lasting("for", condition.window)}`;
    }
    case "pattern":
      return `${modeWords[condition.field_mode ?? "any"]}${condition.field} matches /${condition.regex}/`;
    case "frequency": {
      const { field, operator, value } = condition;
      const filter =
        field === undefined || operator === undefined || value === undefined
          ? ""
          : ` with ${modeWords[condition.field_mode ?? "any"]}${field} ${comparison(operator, value)}`;
      return `${counts[condition.count_operator]}${condition.count} messages${filter} in ${condition.window}`;
    }
    case "absence":
      return `silent for ${condition.timeout}`;
  }
}

function leafWords(condition: LeafCondition): string {
  const recover = condition.type === "threshold" ? condition.recover : undefined;
  const until = recover ? ` until ${comparison(recover.operator, recover.value)}` : "";
  return `${condition.topic} ${statement(condition)}${until}${lasting("kept for", condition.keep_for)}`;
}

function nodeWords(condition: Condition, nested: boolean): string {
  if (condition.type !== "composite") return leafWords(condition);
  const { operator, conditions, hold, keep_for } = condition;
  const joined = conditions.map((child) => nodeWords(child, conditions.length > 1)).join(` ${operator} `);
  const extras = lasting("held for", hold) + lasting("kept for", keep_for);
  const grouped = (nested && conditions.length > 1) || (extras !== "" && conditions.length > 1);
  return (grouped ? `(${joined})` : joined) + extras;
}

/** A condition in plain words, such as `/motor/temp data.value > 80 for 10s`. */
export function describeCondition(condition: Condition): string {
  const cooldown = condition.cooldown === undefined ? "" : `, at most once in ${condition.cooldown}`;
  return nodeWords(condition, false) + cooldown;
}

function short(value: JsonValue): string {
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  return typeof value === "string" ? plain(value) : JSON.stringify(value);
}

/** One condition as it was met: `data.value 85.2 > 80 for 10s on /motor/temp`. */
function met({ topic, value }: LeafEvidence, condition: LeafCondition): string {
  switch (condition.type) {
    case "threshold": {
      const field = modeWords[condition.field_mode ?? "any"] + condition.field;
      const compared = comparison(condition.operator, condition.value);
      return `${field} ${short(value)} ${compared}${lasting("for", condition.window)} on ${topic}`;
    }
    case "pattern":
      return `${condition.field} ${short(value)} matches /${condition.regex}/ on ${topic}`;
    case "frequency":
      return `${short(value)} messages in ${condition.window} on ${topic}, ${statement(condition)}`;
    case "absence":
      return `${topic} ${statement(condition)}`;
  }
}

const leafConditions = (condition: Condition): LeafCondition[] =>
  condition.type === "composite" ? condition.conditions.flatMap(leafConditions) : [condition];

/** One line for whoever is alerted: what held at the trigger, with the values seen. */
export function describeHit(
  rule: { condition: Condition },
  hit: { evidence: { leaves: readonly LeafEvidence[] } },
): string {
  const conditions = leafConditions(rule.condition);
  return hit.evidence.leaves
    .flatMap((leaf, index) => {
      const condition = conditions[index];
      return leaf.holds && condition ? [met(leaf, condition)] : [];
    })
    .join(" and ");
}
