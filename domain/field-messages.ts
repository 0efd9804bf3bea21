import type { z } from "zod";

export const required = "This field is required.";
const notNull = "This field may not be null.";
export const atMost = (count: number | bigint) => `Ensure this field has no more than ${count} characters.`;
export const atMostElements = (count: number | bigint) => `Ensure this field has no more than ${count} elements.`;
export const emptyList = "This list may not be empty.";
export const blank = "This field may not be blank.";

/** An error text names only the first of more choices. */
const namedChoices = { all: 16, first: 12 } as const;

/** The text of a value that is none of the choices, which it names: the first twelve where there are many. */
export function notAChoice(value: string, choices: readonly z.core.util.Primitive[]): string {
  const named = choices.length > namedChoices.all ? choices.slice(0, namedChoices.first) : choices;
  const more = choices.length > named.length ? ` and ${choices.length - named.length} more` : "";
  return `"${value}" is not a valid choice. Choices: ${named.map(String).join(", ")}${more}.`;
}

/**
 * The error text of a field: "required" and "null" as everywhere in the API, `otherwise` for values of a wrong type.
 */
export const expects = (otherwise: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? required : issue.input === null ? notNull : otherwise;

/** As `expects`, for an enumeration. */
export const expectsChoice = (issue: { input?: unknown; values?: readonly z.core.util.Primitive[] }) =>
  expects(
    typeof issue.input === "string" ? notAChoice(issue.input.slice(0, 100), issue.values ?? []) : "Not a valid string.",
  )(issue);

/** As `expects`, for objects whose `type` is one of an enumeration. */
export const expectsType =
  (types: readonly string[]) =>
  ({ input }: { input?: unknown }) =>
    typeof input !== "object" || input === null || Array.isArray(input)
      ? expects("Expected an object.")({ input })
      : expectsChoice({ input: "type" in input ? input.type : undefined, values: types });

/** Lengths are counted in code points, as the database counts them. */
function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
export const longerThan = (text: string, max: number): boolean => text.length > max && codePoints(text) > max;

const typeNames: Record<string, string> = {
  string: "Not a valid string.",
  number: "A valid number is required.",
  int: "A valid integer is required.",
  boolean: "Must be a valid boolean.",
  date: "Not a valid string.",
};

/** The JSON type of a value, as error texts name it. */
export function typeName(value: unknown): string {
  if (Array.isArray(value)) return "list";
  if (value === null) return "null";
  return typeof value === "object" ? "object" : typeof value;
}

/** The text of an object of no known variant; undefined for other unions. */
function describeVariant({ input, discriminator, options }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>) {
  if (discriminator === undefined || typeof input !== "object" || input === null) return undefined;
  const [, given] = Object.entries(input).find(([name]) => name === discriminator) ?? [];
  if (given === undefined) return required;
  const choices = Array.isArray(options) ? options.map(String) : [];
  return notAChoice(typeof given === "string" ? given.slice(0, 200) : typeName(given), choices);
}

/** The text of an issue, in the wording of Django REST Framework; a schema's own text (`error:`) has precedence. */
export function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  if (input === undefined) return required;
  if (input === null && issue.code !== "custom") return notNull;
  switch (issue.code) {
    case "invalid_type":
      if (issue.expected === "array") return `Expected a list of items but got type "${typeName(input)}".`;
      if (issue.expected === "object" || issue.expected === "record") {
        return `Expected a dictionary of items but got type "${typeName(input)}".`;
      }
      return typeNames[issue.expected] ?? "Not a valid value.";
    case "invalid_value":
      return typeof input === "string" || typeof input === "number" || typeof input === "boolean"
        ? notAChoice(String(input).slice(0, 200), issue.values)
        : notAChoice(typeName(input), issue.values);
    case "invalid_union":
      return describeVariant(issue);
    case "too_small":
      if (issue.origin === "string") return blank;
      if (issue.origin === "array") {
        return issue.minimum === 1 ? emptyList : `Ensure this field has at least ${issue.minimum} elements.`;
      }
      return issue.inclusive
        ? `Ensure this value is greater than or equal to ${issue.minimum}.`
        : `Ensure this value is greater than ${issue.minimum}.`;
    case "too_big":
      if (issue.origin === "string") return atMost(issue.maximum);
      if (issue.origin === "array") return atMostElements(issue.maximum);
      return issue.inclusive
        ? `Ensure this value is less than or equal to ${issue.maximum}.`
        : `Ensure this value is less than ${issue.maximum}.`;
    case "invalid_format":
      return issue.format === "email" ? "Enter a valid email address." : "Not a valid value.";
    default:
      return undefined;
  }
}
