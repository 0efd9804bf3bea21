"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { formatDuration, formatNumber } from "@/components/kit/format";
import { KeyValue } from "@/components/kit/key-value";
import { lazyPart } from "@/components/kit/lazy-part";
import { Section } from "@/components/kit/page-header";
import { Truncate } from "@/components/kit/truncate";
import { ErrorState } from "@/components/product/error-state";
import { useTRPC } from "@/components/trpc/client";
import { toBurnUp, workLeft, type Stats } from "./burn-up";
import { projectHref, type ProjectDetail } from "./query";

const BurnUpChart = lazyPart(async () => (await import("./burn-up-chart")).BurnUpChart, { className: "h-44" });

const number = (value: number): string => formatNumber(value, 0);
const share = (part: number, of: number): string => (of === 0 ? "" : `${Math.round((part / of) * 100)} %`);

const kinds: Readonly<Record<Stats["origins"][number]["kind"], { label: string; path: string }>> = {
  device: { label: "Device", path: "/devices" },
  rule: { label: "Rule", path: "/rules" },
  alert: { label: "Alert", path: "/alerts" },
};

/** What was done of a project day by day, how fast, what was labelled, and where the work comes from. */
export function ProjectStats({ project, today }: { project: ProjectDetail; today: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.projects.stats.queryOptions({ uid: project.uid }));
  if (project.task_count === 0) return null;
  if (query.isError)
    return (
      <ErrorState title="Statistics could not be loaded" error={query.error} onRetry={() => void query.refetch()} />
    );
  const stats = query.data;
  // The page keeps its layout while they are counted.
  if (stats === undefined) return <div className="h-44" aria-busy />;
  if (stats === null) return <p className="text-meta text-muted">There is too much to count here.</p>;
  const days = toBurnUp(stats.days, project.task_count - project.skipped_count, today);
  return (
    <>
      <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
        <Section title="Day by day">
          {days.length === 0 ? (
            <p className="text-table text-muted">Nothing was submitted yet.</p>
          ) : (
            <BurnUpChart days={days} total={project.task_count} />
          )}
        </Section>
        <Section title="Pace">
          <Pace pace={stats.pace} left={project.task_count - project.completed_count} />
        </Section>
      </div>
      <div className="grid gap-x-12 gap-y-8 lg:grid-cols-2">
        <Section title="Where the work comes from">
          <Origins stats={stats} />
        </Section>
        <Section title="Labels">
          <LabelCounts project={project} />
        </Section>
      </div>
    </>
  );
}

function Pace({ pace, left }: { pace: Stats["pace"]; left: number }) {
  const { p50, p90, timed } = pace;
  const ms = workLeft(pace, left);
  if (p50 === null || p90 === null)
    return <p className="text-table text-muted">No task was timed yet: work in the editor is.</p>;
  return (
    <KeyValue
      items={[
        ["Half take less than", formatDuration(p50 * 1_000)],
        ["Nine of ten less than", formatDuration(p90 * 1_000)],
        ["Work left", ms === null || left === 0 ? "none" : `${formatDuration(ms)} for ${number(left)}`],
        ["Timed", number(timed)],
      ]}
    />
  );
}

function Origins({ stats: { origins, labels } }: { stats: Stats }) {
  if (origins.length === 0)
    return <p className="text-table text-muted">Its items were uploaded: none is from a device, a rule or an alert.</p>;
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-table">
        <caption className="sr-only">Where the work comes from</caption>
        <thead className="text-left text-meta text-subtle">
          <tr>
            <th scope="col" className="w-16 py-1 pr-3 font-normal">
              From
            </th>
            <th scope="col" className="py-1 pr-3 font-normal">
              Name
            </th>
            <th scope="col" className="w-16 py-1 pr-3 text-right font-normal">
              Items
            </th>
            <th scope="col" className="w-20 py-1 pr-3 text-right font-normal">
              Accepted
            </th>
            <th scope="col" className="w-16 py-1 text-right font-normal">
              Labels
            </th>
          </tr>
        </thead>
        <tbody>
          {origins.map(({ kind, uid, name, items, accepted, labels: own }) => (
            <tr key={`${kind} ${uid}`} className="border-t border-border align-baseline">
              <td className="py-1.5 pr-3 text-muted">{kinds[kind].label}</td>
              <th scope="row" className="max-w-0 min-w-32 py-1.5 pr-3 text-left font-normal">
                {name === null ? (
                  <span className="text-muted">deleted</span>
                ) : (
                  <Link href={`${kinds[kind].path}/${uid}`} className="text-accent-text hover:underline">
                    <Truncate text={name} />
                  </Link>
                )}
              </th>
              <td className="py-1.5 pr-3 text-right tabular-nums">{number(items)}</td>
              <td className="py-1.5 pr-3 text-right tabular-nums">{number(accepted)}</td>
              <td
                className="py-1.5 text-right whitespace-nowrap tabular-nums"
                title={`${number(own)} of ${number(labels)}`}
              >
                {share(own, labels)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Labels that are shown here; the tab of labels has all. */
const maxLabels = 8;

function LabelCounts({ project: { uid, labels } }: { project: ProjectDetail }) {
  const trpc = useTRPC();
  const counts = useQuery(trpc.projects.labelCounts.queryOptions({ uid })).data;
  if (labels.length === 0) return <p className="text-table text-muted">No labels: results may name anything.</p>;
  if (counts === null) return <p className="text-meta text-muted">There are too many results to count here.</p>;
  const counted = labels
    .map(({ id, name, color }) => ({ id, name, color, count: counts?.[id] ?? 0 }))
    .toSorted((a, b) => b.count - a.count);
  const most = Math.max(1, counted[0]?.count ?? 0);
  return (
    <ul aria-label="Results by label" className="flex flex-col gap-1.5 text-table">
      {counted.slice(0, maxLabels).map(({ id, name, color, count }) => (
        <li key={id} className="grid grid-cols-[minmax(0,9rem)_minmax(0,1fr)_3.5rem] items-center gap-3">
          <Truncate text={name} />
          <span aria-hidden className="h-1.5 rounded-full bg-border">
            <span
              className="block h-full rounded-full"
              style={{ width: `${(count / most) * 100}%`, backgroundColor: color }}
            />
          </span>
          <span className="text-right tabular-nums">{number(count)}</span>
        </li>
      ))}
      {counted.length > maxLabels && (
        <li>
          <Link href={`${projectHref(uid)}?tab=labels`} className="text-accent-text hover:underline">
            All {number(counted.length)} labels
          </Link>
        </li>
      )}
    </ul>
  );
}
