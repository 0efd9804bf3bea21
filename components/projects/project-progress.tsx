import { formatNumber } from "@/components/kit/format";
import type { Project } from "./query";

type Counts = Pick<Project, "task_count" | "completed_count" | "accepted_count" | "skipped_count">;

const number = (value: number): string => formatNumber(value, 0);

/** How many tasks wait for a decision. One whose result was rejected is not completed any more. */
export const countToReview = (of: Omit<Counts, "task_count">) =>
  Math.max(0, of.completed_count - of.accepted_count - of.skipped_count);

/** The tasks of a project by what has become of them: accepted, to be decided, skipped, to do, also once more. */
const listParts = (of: Counts): { text: string; count: number; fill: string }[] =>
  [
    { text: "accepted", count: of.accepted_count, fill: "bg-online" },
    { text: "to review", count: countToReview(of), fill: "bg-info" },
    { text: "skipped", count: of.skipped_count, fill: "bg-subtle" },
    { text: "to do", count: Math.max(0, of.task_count - of.completed_count), fill: "bg-border" },
  ].filter(({ count }) => count > 0);

/** The bar alone; its text is `describeProgress`. */
const ProgressBar = ({ of }: { of: Counts }) => (
  <span aria-hidden className="flex h-1.5 gap-px overflow-hidden rounded-full bg-border">
    {listParts(of).map(({ text, count, fill }) => (
      <span key={text} className={fill} style={{ flexGrow: count }} />
    ))}
  </span>
);

/** "12 accepted, 30 to do". */
const describeProgress = (of: Counts): string =>
  of.task_count === 0
    ? "no tasks"
    : listParts(of)
        .map(({ text, count }) => `${number(count)} ${text}`)
        .join(", ");

/** How far a project is, in words and as a bar. */
export function ProjectProgress({ of }: { of: Counts }) {
  if (of.task_count === 0) return <span className="text-meta text-muted">{describeProgress(of)}</span>;
  return (
    <span className="flex flex-col gap-1">
      <ProgressBar of={of} />
      <span className="text-meta text-muted tabular-nums">{describeProgress(of)}</span>
    </span>
  );
}

/** The same in one line of a table: how many are done, and a bar. */
export function ProjectProgressLine({ of }: { of: Counts }) {
  const { task_count: total, completed_count: completed } = of;
  const text = describeProgress(of);
  if (total === 0) return <span className="text-muted">{text}</span>;
  return (
    <span className="flex min-w-0 items-center gap-2" title={text}>
      <span className="shrink-0 tabular-nums sm:min-w-24 sm:text-right">
        {number(completed)} of {number(total)}
        <span className="sr-only">: {text}</span>
      </span>
      <span className="min-w-10 flex-1 max-sm:hidden">
        <ProgressBar of={of} />
      </span>
    </span>
  );
}
