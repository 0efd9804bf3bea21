import type { z } from "zod";

/** A position in an input: names of members and list indices from the top; empty for the input itself. */
export type Path = readonly (string | number)[];

/** What is wrong with an input, and where. Only the REST API flattens the path into a text. */
export interface Issue {
  path: Path;
  message: string;
}

/** The issues that a schema found; of a failed union, those of the member that matched deepest. */
export const toIssues = (found: readonly z.core.$ZodIssue[]): Issue[] =>
  found.flatMap((issue) => {
    const branches = issue.code === "invalid_union" ? issue.errors : [];
    const best = [...branches].sort((a, b) => depth(b) - depth(a))[0];
    return best && best.length > 0 && issue.message === "Invalid input"
      ? best.map((inner) => toIssue([...issue.path, ...inner.path], inner.message))
      : [toIssue(issue.path, issue.message)];
  });
const depth = (issues: readonly z.core.$ZodIssue[]): number => Math.max(0, ...issues.map((issue) => issue.path.length));
const toIssue = (path: readonly PropertyKey[], message: string): Issue => ({
  path: path.map((step) => (typeof step === "number" ? step : String(step))),
  message,
});

/** `conditions.1.topic`; empty for the input itself. */
export const pathText = (path: Path): string => path.join(".");

/** With its path: `conditions.1.topic: This field is required.` */
export const issueLine = ({ path, message }: Issue): string =>
  path.length === 0 ? message : `${pathText(path)}: ${message}`;

/** The issues at a path or below it, with paths relative to it. */
export const issuesBelow = (issues: readonly Issue[], ...place: Path): Issue[] =>
  issues
    .filter(({ path }) => place.every((step, at) => path[at] === step))
    .map(({ path, message }) => ({ path: path.slice(place.length), message }));

/** The issues of the input itself, not of a part, as one text; undefined without any. */
export const wholeMessage = (issues: readonly Issue[]): string | undefined =>
  joined(issues.filter(({ path }) => path.length === 0));

/** The issues at a path or below it as one text, each with its relative path; undefined without any. */
export const messageAt = (issues: readonly Issue[], ...place: Path): string | undefined =>
  joined(issuesBelow(issues, ...place));

/** The issues by top-level field, each with its path below it; `root` has those of the input itself. */
export function messagesByField(issues: readonly Issue[]): Record<string, string> {
  const messages: Record<string, string> = {};
  for (const { path, message } of issues) {
    const [field = "root", ...deeper] = path;
    const line = issueLine({ path: deeper, message });
    messages[field] = messages[field] === undefined ? line : `${messages[field]} ${line}`;
  }
  return messages;
}

const joined = (issues: readonly Issue[]): string | undefined =>
  issues.length === 0 ? undefined : issues.map(issueLine).join(" ");
