import type { z } from "zod";

/** Where something stands in an input: names of members and positions in lists, from the top; empty for all of it. */
export type Path = readonly (string | number)[];

/** What is wrong with an input, and where. It travels as it is; only the REST API's answers flatten it into texts. */
export interface Issue {
  path: Path;
  message: string;
}

/** What a schema found; of a union whose members all failed, the issues of the one that came furthest. */
export const toIssues = (found: readonly z.core.$ZodIssue[]): Issue[] =>
  found.flatMap((issue) => {
    const branches = issue.code === "invalid_union" ? issue.errors : [];
    const best = [...branches].sort((a, b) => depth(b) - depth(a))[0];
    return best && best.length > 0 && issue.message === "Invalid input"
      ? best.map((inner) => asIssue([...issue.path, ...inner.path], inner.message))
      : [asIssue(issue.path, issue.message)];
  });
const depth = (issues: readonly z.core.$ZodIssue[]): number => Math.max(0, ...issues.map((issue) => issue.path.length));
const asIssue = (path: readonly PropertyKey[], message: string): Issue => ({
  path: path.map((step) => (typeof step === "number" ? step : String(step))),
  message,
});

/** `conditions.1.topic`; empty for the whole. */
export const pathText = (path: Path): string => path.join(".");

/** With its place: `conditions.1.topic: This field is required.` */
export const issueLine = ({ path, message }: Issue): string =>
  path.length === 0 ? message : `${pathText(path)}: ${message}`;

/** The issues at a place or below it, with their paths from there. */
export const issuesBelow = (issues: readonly Issue[], ...place: Path): Issue[] =>
  issues
    .filter(({ path }) => place.every((step, at) => path[at] === step))
    .map(({ path, message }) => ({ path: path.slice(place.length), message }));

/** The issues of the whole, blaming no part of it, as one text; undefined without any. */
export const wholeMessage = (issues: readonly Issue[]): string | undefined =>
  joined(issues.filter(({ path }) => path.length === 0));

/** The issues at a place or below it as one text, each with its place below; undefined without any. */
export const messageAt = (issues: readonly Issue[], ...place: Path): string | undefined =>
  joined(issuesBelow(issues, ...place));

/** The issues by their top-level field, each with its place below; `root` has those of the whole. */
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
