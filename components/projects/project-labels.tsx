"use client";

import { useQuery } from "@tanstack/react-query";
import { cn } from "@/components/kit/cn";
import { formatNumber } from "@/components/kit/format";
import { PageBody } from "@/components/kit/page-header";
import { useTRPC } from "@/components/trpc/client";
import { shapeTypeLabels } from "./labels";
import type { ProjectDetail } from "./query";

type Label = ProjectDetail["labels"][number];

/** The labels of a project in the order of its palette, with the class of each in exports; retired ones come last. */
export function ProjectLabels({ project: { uid, labels } }: { project: ProjectDetail }) {
  const trpc = useTRPC();
  const counts = useQuery(trpc.projects.labelCounts.queryOptions({ uid })).data;
  if (labels.length === 0)
    return (
      <PageBody>
        <p className="text-table text-muted">No labels: results may name anything.</p>
      </PageBody>
    );
  const current = labels.filter(({ retired }) => !retired);
  const retired = labels.filter((label) => label.retired);
  return (
    <PageBody>
      <div className="max-w-220 overflow-x-auto">
        <table className="w-full text-table">
          <caption className="sr-only">Labels of the project</caption>
          <thead className="text-left text-meta text-subtle">
            <tr>
              <th scope="col" className="w-14 py-1 pr-4 text-right font-normal" title="The label's class in exports">
                Class
              </th>
              <th scope="col" className="py-1 pr-4 font-normal">
                Name
              </th>
              <th scope="col" className="py-1 pr-4 font-normal">
                Shapes
              </th>
              <th scope="col" className="w-14 py-1 pr-4 font-normal">
                Key
              </th>
              <th scope="col" className="w-24 py-1 text-right font-normal">
                Results
              </th>
            </tr>
          </thead>
          <tbody>
            {[...current, ...retired].map((label) => (
              <LabelRow key={label.id} label={label} count={counts?.[label.id]} />
            ))}
          </tbody>
        </table>
      </div>
      {counts === null && <p className="text-meta text-muted">There are too many results to count here.</p>}
    </PageBody>
  );
}

function LabelRow({ label, count }: { label: Label; count: number | undefined }) {
  const { number, name, color, types, key, description, retired, aliases } = label;
  return (
    <tr className={cn("border-t border-border align-baseline", retired && "text-muted")}>
      <td className="py-1.5 pr-4 text-right tabular-nums">{number}</td>
      <th scope="row" className="min-w-32 py-1.5 pr-4 text-left font-normal">
        <span className="flex min-w-0 flex-col">
          <span className="flex min-w-0 items-baseline gap-2">
            <span
              aria-hidden
              className="size-2.5 shrink-0 rounded-full border border-border"
              style={{ backgroundColor: color }}
            />
            <span className="min-w-0 wrap-anywhere">{name}</span>
            {retired && <span className="shrink-0 text-meta text-muted">retired</span>}
          </span>
          {aliases.length > 0 && <span className="text-meta text-muted">was {aliases.join(", ")}</span>}
          {description !== "" && <span className="text-meta text-muted">{description}</span>}
        </span>
      </th>
      <td className="py-1.5 pr-4 text-muted">
        {types.length === 0 ? "all" : types.map((type) => shapeTypeLabels[type]).join(", ")}
      </td>
      <td className="py-1.5 pr-4 font-mono">{key}</td>
      <td className="py-1.5 text-right tabular-nums">{count === undefined ? "" : formatNumber(count, 0)}</td>
    </tr>
  );
}
