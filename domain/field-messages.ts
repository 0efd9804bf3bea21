import type { z } from "zod";

/**
 * Answers "required" and "null" the way every other field of the API does, and `otherwise` for values of a wrong
 * shape.
 */
export const expects = (otherwise: string) => (issue: { input?: unknown }) =>
  issue.input === undefined
    ? "This field is required."
    : issue.input === null
      ? "This field may not be null."
      : otherwise;

/** As `expects`, for a closed list of words. */
export const expectsChoice = (issue: { input?: unknown }) =>
  expects(typeof issue.input === "string" ? notAChoice(issue.input.slice(0, 100)) : "Not a valid string.")(issue);

export const atMost = (count: number) => `Ensure this field has no more than ${count} characters.`;
export const notAChoice = (value: string) => `"${value}" is not a valid choice.`;
export const blank = "This field may not be blank.";

/** Lengths are counted in code points, as the database counts them. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
export const longerThan = (text: string, max: number): boolean => text.length > max && codePoints(text) > max;

/** One line per issue, opened by its position below the field: `conditions.1.topic: This field is required.` */
export function issueMessages(error: z.ZodError): string[] {
  return error.issues.map((issue) =>
    issue.path.length === 0 ? issue.message : `${issue.path.map(String).join(".")}: ${issue.message}`,
  );
}
