import { plural } from "@/components/kit/format";
import { None } from "@/components/kit/none";
import { RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import { nameColumn } from "@/components/list/name-column";
import { Status } from "@/components/product/status";
import { projectLooks, taskTypeLabels } from "./labels";
import { ProjectProgressLine } from "./project-progress";
import type { Project } from "./query";

export function ProjectStatusMark({ of }: { of: Pick<Project, "status"> }) {
  const { label, tone, shape } = projectLooks[of.status];
  return (
    <Status tone={tone} shape={shape}>
      {label}
    </Status>
  );
}

/** The share of decided results that were accepted, and whether that is below the project's target; none decided: a dash. */
export function Acceptance({ of }: { of: Project }) {
  const { accepted_count: accepted, rejected_count: rejected, quality_target: target } = of;
  const decided = accepted + rejected;
  if (decided === 0) return <None />;
  const share = accepted / decided;
  const percent = `${Math.floor(share * 100)} %`;
  if (target === null) return <span className="tabular-nums">{percent}</span>;
  const wanted = `${Math.round(target.threshold * 100)} %`;
  const isBelow = share < target.threshold;
  return (
    <span className="inline-flex items-baseline gap-1.5 tabular-nums">
      <span className={isBelow ? "text-warning-text" : undefined}>{percent}</span>
      <span className="text-meta text-muted">
        {isBelow ? "below" : "of"} {wanted}
      </span>
    </span>
  );
}

export const projectColumns: readonly DataTableColumn<Project>[] = [
  nameColumn,
  {
    id: "type",
    header: "Type",
    width: 130,
    roomy: true,
    cell: (of) => <Truncate text={taskTypeLabels[of.task_type]} />,
  },
  { id: "status", header: "Status", width: 136, narrow: "trailing", cell: (of) => <ProjectStatusMark of={of} /> },
  { id: "progress", header: "Progress", width: 200, narrow: "meta", cell: (of) => <ProjectProgressLine of={of} /> },
  { id: "accepted", header: "Accepted", width: 124, align: "right", cell: (of) => <Acceptance of={of} /> },
  {
    id: "people",
    header: "People",
    width: 96,
    cell: ({ access, member_count: count }) =>
      access === "organization" ? <span className="text-muted">Everyone</span> : plural(count, "person", "people"),
  },
  {
    id: "created_at",
    header: "Created",
    width: 96,
    align: "right",
    ordering: "created_at",
    hidden: true,
    cell: ({ created_at: at }) => <RelativeTime value={at} rich={false} className="text-muted" />,
  },
  {
    id: "updated_at",
    header: "Updated",
    width: 110,
    align: "right",
    narrow: "meta",
    cell: ({ updated_at: at }) => <RelativeTime value={at} rich={false} className="text-muted" />,
  },
];
