import { v4 as uuidv4 } from "uuid";
import type { IssueKind, NewIssue } from "@/domain/tasks/issue-schema";

/** Why results are rejected, by one key each. */
export const rejectionKinds = [
  "wrong_label",
  "wrong_place",
  "missing",
  "extra",
  "wrong_attribute",
  "other",
] as const satisfies readonly IssueKind[];

export const issueLabels: Readonly<Record<IssueKind, string>> = {
  wrong_label: "Wrong label",
  wrong_place: "Wrong place",
  missing: "Missing",
  extra: "Too much",
  wrong_attribute: "Wrong attribute",
  question: "Question",
  other: "Other",
};

/** An issue that is being written. */
interface PendingIssue extends NewIssue {
  id: string;
}

/** What is being written about a result. */
export interface Rejection {
  issues: readonly PendingIssue[];
  /** The kind of which a press on the picture pins the next one. */
  current: IssueKind | null;
  text: string;
}

export const noRejection: Rejection = { issues: [], current: null, text: "" };

const add = (rejection: Rejection, issue: Omit<PendingIssue, "id" | "text">): Rejection => ({
  ...rejection,
  issues: [...rejection.issues, { id: uuidv4(), text: "", ...issue }],
  current: issue.kind,
});

/** A kind is chosen; chosen once more, all of it are taken back. */
export function toggleKind(rejection: Rejection, kind: IssueKind): Rejection {
  if (!rejection.issues.some((issue) => issue.kind === kind)) return add(rejection, { kind });
  if (rejection.current !== kind) return { ...rejection, current: kind };
  return { ...rejection, issues: rejection.issues.filter((issue) => issue.kind !== kind), current: null };
}

/**
 * A place of the picture is pressed, perhaps on a shape: the issue in hand is pinned there, or one more of its kind. Without
 * a kind in hand something is wrong with the shape, or missing where there is none.
 */
export function pin(rejection: Rejection, place: Pick<NewIssue, "point" | "shape">): Rejection {
  const kind = rejection.current ?? (place.shape === undefined ? "missing" : "wrong_place");
  const loose = rejection.issues.find((issue) => issue.kind === kind && issue.point === undefined);
  if (!loose) return add(rejection, { kind, ...place });
  return {
    ...rejection,
    issues: rejection.issues.map((issue) => (issue === loose ? { ...issue, ...place } : issue)),
    current: kind,
  };
}

/** The reason as one text: "Wrong label, missing: the cart behind the gate". */
export function describeRejection({ issues, text }: Rejection): string {
  const named = rejectionKinds
    .filter((kind) => kind !== "other" && issues.some((issue) => issue.kind === kind))
    .map((kind, at) => (at === 0 ? issueLabels[kind] : issueLabels[kind].toLowerCase()))
    .join(", ");
  const more = text.trim() || issues.find((issue) => issue.text.trim() !== "")?.text.trim() || "";
  return [named, more].filter((part) => part !== "").join(": ");
}

/** The issues as they are sent. */
export const listNewIssues = ({ issues }: Rejection): NewIssue[] =>
  issues.map(({ id: _, ...issue }) => ({ ...issue, text: issue.text.trim() }));
