"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { issueLabels } from "@/components/annotation/issues/rejection";
import { formatNumber } from "@/components/kit/format";
import { None } from "@/components/kit/none";
import { Section } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { Truncate } from "@/components/kit/truncate";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { reviewHref, type ProjectDetail } from "./query";

type Numbers = NonNullable<Outputs["projects"]["byLabel"]>;
type LabelNumbers = Numbers["labels"][number];

const number = (value: number): string => formatNumber(value, 0);

/** Labels that are shown at first. */
const maxRows = 50;

/** What was submitted with each label of a project, and what became of it; each number leads to those results. */
export function ProjectLabelNumbers({ project }: { project: ProjectDetail }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.projects.byLabel.queryOptions({ uid: project.uid }));
  return (
    <Section title="By label" description="Results that hold the label, and what was wrong with its shapes.">
      {query.isError ? (
        <ErrorState
          title="Numbers by label could not be loaded"
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      ) : query.data === undefined ? (
        <SkeletonText lines={3} />
      ) : query.data === null ? (
        <p className="text-meta text-muted">There are too many results to count here.</p>
      ) : (
        <LabelsTable project={project} numbers={query.data} />
      )}
    </Section>
  );
}

const head = "py-1 pr-3 font-normal whitespace-nowrap";
const cell = "py-1.5 pr-3 text-right tabular-nums";

function LabelsTable({
  project,
  numbers: { labels, newest_issues: newest },
}: {
  project: ProjectDetail;
  numbers: Numbers;
}) {
  if (labels.length === 0) return <p className="text-table text-muted">Nothing was labelled yet.</p>;
  return (
    <>
      <div className="relative overflow-x-auto">
        <table className="w-full max-w-240 text-table">
          <caption className="sr-only">Numbers by label</caption>
          <thead className="text-left text-meta text-subtle">
            <tr>
              <th scope="col" className={head}>
                Label
              </th>
              {["Shapes", "To review", "Accepted", "Rejected", "Corrected", "Acceptance"].map((title) => (
                <th key={title} scope="col" className={`${head} text-right`}>
                  {title}
                </th>
              ))}
              <th scope="col" className={head}>
                Issues
              </th>
            </tr>
          </thead>
          <tbody>
            {labels.slice(0, maxRows).map((row) => (
              <LabelRow
                key={row.name}
                project={project.uid}
                row={row}
                color={project.labels.find(({ id }) => id === row.id)?.color}
              />
            ))}
          </tbody>
        </table>
      </div>
      {labels.length > maxRows && (
        <p className="text-meta text-muted">
          The {maxRows} with the most shapes of {number(labels.length)}.
        </p>
      )}
      {newest !== null && (
        <p className="text-meta text-muted">Issues: of the newest {number(newest)} that are about a shape.</p>
      )}
    </>
  );
}

function LabelRow(props: { project: string; row: LabelNumbers; color: string | undefined }) {
  const { project, row, color } = props;
  const { name, shapes, undecided, accepted, rejected, corrected, issues, open_issues: open } = row;
  const decided = accepted + rejected;
  const queue = (filters: Record<string, string> = {}) =>
    `${reviewHref(project)}?${new URLSearchParams({ ...filters, label: name }).toString()}`;
  const link = (count: number, what: string, filters?: Record<string, string>) =>
    count === 0 ? (
      <span className="text-muted">0</span>
    ) : (
      <Link
        href={queue(filters)}
        aria-label={`${name}: ${number(count)} ${what}`}
        className="text-accent-text hover:underline"
      >
        {number(count)}
      </Link>
    );
  return (
    <tr className="border-t border-border align-baseline">
      <th scope="row" className="max-w-0 min-w-32 py-1.5 pr-3 text-left font-normal">
        <span className="flex min-w-0 items-baseline gap-2">
          <span
            aria-hidden
            className="size-2.5 shrink-0 rounded-full border border-border"
            style={{ backgroundColor: color }}
          />
          <Truncate text={name} />
        </span>
      </th>
      <td className={cell}>{link(shapes, "shapes")}</td>
      <td className={cell}>{link(undecided, "to review")}</td>
      <td className={cell}>{link(accepted, "accepted", { state: "accepted" })}</td>
      <td className={cell}>{link(rejected, "rejected", { state: "rejected" })}</td>
      <td className={cell}>{link(corrected, "corrected", { state: "rejected" })}</td>
      <td className={cell}>{decided === 0 ? <None /> : `${formatNumber((accepted / decided) * 100, 0)} %`}</td>
      <td className="min-w-40 py-1.5">
        {issues.length === 0 ? (
          <None />
        ) : (
          issues.map(({ kind, count }) => `${issueLabels[kind]} ${number(count)}`).join(", ")
        )}
        {open > 0 && (
          <>
            {" · "}
            <Link
              href={queue({ issues: "open" })}
              aria-label={`${name}: ${number(open)} open issues`}
              className="whitespace-nowrap text-accent-text underline"
            >
              {number(open)} open
            </Link>
          </>
        )}
      </td>
    </tr>
  );
}
