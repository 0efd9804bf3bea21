"use client";

import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { cn } from "@/components/kit/cn";
import { formatNumber } from "@/components/kit/format";
import { lazyPart } from "@/components/kit/lazy-part";
import { PageBody } from "@/components/kit/page-header";
import { SkeletonText } from "@/components/kit/skeleton";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { shapeTypeLabels } from "./labels/task-shapes";
import type { ProjectDetail } from "./query";

type Label = ProjectDetail["labels"][number];

const EditableLabels = lazyPart(async () => (await import("./labels/editable-labels")).EditableLabels);

/** The labels of a project: edited by who may, read by others with the reason. */
export function ProjectLabels({ project }: { project: ProjectDetail }) {
  const trpc = useTRPC();
  const reason = usePermissions().refusal({ role: "admin" });
  const counts = useQuery(trpc.projects.labelCounts.queryOptions({ uid: project.uid })).data;
  return (
    <PageBody className="max-w-300">
      {reason === undefined ? (
        <Suspense fallback={<SkeletonText lines={6} />}>
          <EditableLabels project={project} counts={counts} />
        </Suspense>
      ) : (
        <>
          <p className="text-table text-muted">{reason}</p>
          <LabelTable labels={project.labels} counts={counts} />
        </>
      )}
      {counts === null && <p className="text-meta text-muted">There are too many results to count here.</p>}
    </PageBody>
  );
}

/** The labels in the order of the palette, with the class of each in exports; retired ones come last. */
function LabelTable(props: { labels: readonly Label[]; counts: Readonly<Record<string, number>> | null | undefined }) {
  const { labels, counts } = props;
  if (labels.length === 0) return <p className="text-table text-muted">No labels: results may name anything.</p>;
  const current = labels.filter(({ retired }) => !retired);
  const retired = labels.filter((label) => label.retired);
  return (
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
