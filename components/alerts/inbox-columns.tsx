"use client";

import { ChevronDown, ChevronRight, MessageSquareWarning } from "lucide-react";
import { DemoMark } from "@/components/demo-fleet/demo-mark";
import { Badge } from "@/components/kit/badge";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { IconButton } from "@/components/kit/icon-button";
import { None } from "@/components/kit/none";
import { InstantTime, RelativeTime } from "@/components/kit/time";
import { Truncate } from "@/components/kit/truncate";
import type { DataTableColumn } from "@/components/list/data-table";
import type { DatasetMark } from "@/components/moments/dataset-marks";
import { SeverityStatus } from "@/components/product/status";
import { AlertNote, alertTimes, Count, DeliveryState, groupTimes, InDatasets, LastDay } from "./inbox-cells";
import type { InboxRow } from "./inbox-rows";
import { isTest } from "./labels";

const inNarrow = "hidden @max-[760px]/list:inline";

function Lines({
  title,
  below,
  device,
  count,
  note,
  mark,
}: {
  title: string;
  below: string;
  /** Shown here where the list has no room for their columns. */
  device: string | null;
  count: React.ReactNode;
  note?: React.ReactNode;
  mark?: React.ReactNode;
}) {
  return (
    <span className="block min-w-0">
      <span className="flex min-w-0 items-baseline gap-2">
        {mark}
        <span className="truncate font-medium" title={device === null ? title : `${title} · ${device}`}>
          {title}
          {device !== null && <span className={inNarrow}> · {device}</span>}
        </span>
        {count !== null && (
          <span className={cn(inNarrow, "shrink-0 text-meta font-normal text-muted tabular-nums")}>{count}</span>
        )}
        {note}
      </span>
      <span className="block truncate text-meta font-normal text-muted max-sm:hidden" title={below}>
        {below}
      </span>
    </span>
  );
}

type GroupRow = Extract<InboxRow, { kind: "group" }>;

/** Over what a group is spread: the one device of a rule's, or `3 devices`; the one rule of a device's, or `3 rules`. */
const across = ({ by, group }: GroupRow): string => {
  const [count, noun] = by === "rule" ? [group.devices, "device"] : [group.rules, "rule"];
  return count === 1 && group.only !== null ? group.only : plural(count, noun);
};

/** Opens and closes a group. */
function Opener({ row, toggle, className }: { row: GroupRow; toggle: (key: string) => void; className: string }) {
  return (
    <IconButton
      label={`${row.open ? "Collapse" : "Expand"} ${row.group.name}`}
      aria-expanded={row.open}
      size="sm"
      tabIndex={-1}
      className={cn("size-6 shrink-0 px-0", className)}
      icon={row.open ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden />}
      onClick={() => toggle(row.group.key)}
    />
  );
}

/** The device of a group, or over what it is spread. */
const GroupDevice = ({ row }: { row: GroupRow }) =>
  row.group.only !== null && row.by === "rule" ? (
    <Truncate text={row.group.only} />
  ) : row.by === "device" ? (
    <Truncate text={row.group.name} />
  ) : (
    <span className="text-muted">{across(row)}</span>
  );

/** What stands on phones in place of the device, which is in the title there. */
const OnPhone = ({ children }: { children: string }) => (
  <span className="inline-block max-w-[60vw] truncate align-bottom sm:hidden">{children}</span>
);

/** The inbox's columns; `series` are occurrences by alert, `toggle` opens a group. */
export function inboxColumns(options: {
  tab: string;
  series: Readonly<Record<string, readonly number[]>>;
  /** The maximum of alerts that a group of the list has in an hour. */
  maxHourly: number;
  /** The datasets that alerts were added to. */
  marks: readonly DatasetMark[];
  toggle: (key: string) => void;
}): readonly DataTableColumn<InboxRow>[] {
  const { tab, series, maxHourly, marks, toggle } = options;
  const maxTimes = Math.max(1, ...Object.values(series).flat());
  return [
    {
      id: "severity",
      header: "Severity",
      width: 104,
      narrow: "leading",
      cell: (row) => {
        if (row.kind === "rest") return null;
        if (row.kind === "alert")
          return <SeverityStatus severity={row.alert.severity} className={cn(row.inside && "sm:pl-5")} />;
        return (
          <span className="flex items-center gap-1 sm:-ml-2">
            <Opener row={row} toggle={toggle} className="max-sm:hidden" />
            <SeverityStatus severity={row.group.severity} />
          </span>
        );
      },
    },
    {
      id: "alert",
      header: "Alert",
      minWidth: 200,
      required: true,
      narrow: "title",
      cell: (row) => {
        if (row.kind === "rest")
          return (
            <span className="pl-5 text-muted">
              {plural(row.group.count - row.shown, "more alert")} of {row.group.name}
            </span>
          );
        if (row.kind === "group")
          return (
            <Lines
              title={`${row.group.name} · ${across(row)}`}
              below={row.group.message}
              device={null}
              mark={<Opener row={row} toggle={toggle} className="-ml-1.5 self-center sm:hidden" />}
              count={groupTimes(row.group)}
              note={<LastDay group={row.group} max={maxHourly} className={inNarrow} />}
            />
          );
        const { alert } = row;
        return (
          <Lines
            title={alert.rule_name}
            below={alert.message}
            device={isTest(alert) ? null : alert.device_name}
            count={alert.occurrence_count > 1 ? alertTimes(alert) : null}
            note={
              <>
                <DemoMark of={alert} />
                <AlertNote alert={alert} tab={tab} />
                <InDatasets marks={marks.filter(({ of }) => of === alert.uid)} />
              </>
            }
            mark={
              isTest(alert) && (
                <MessageSquareWarning aria-hidden className="size-3.5 shrink-0 self-center text-subtle" />
              )
            }
          />
        );
      },
    },
    {
      id: "count",
      header: "Count",
      hint: "Lines of alerts are when they occurred in their recording, those of groups the last 24 hours; each on one scale.",
      width: 112,
      roomy: true,
      align: "right",
      cell: (row) =>
        row.kind === "alert" ? (
          <Count alert={row.alert} series={series[row.alert.uid]} max={maxTimes} />
        ) : row.kind === "group" ? (
          <span className="inline-flex items-center gap-2">
            <LastDay group={row.group} max={maxHourly} />
            <Badge mono>{groupTimes(row.group)}</Badge>
          </span>
        ) : null,
    },
    {
      id: "device",
      header: "Device",
      width: 152,
      roomy: true,
      narrow: "meta",
      cell: (row) => {
        if (row.kind === "rest") return null;
        if (row.kind === "alert") {
          const { alert } = row;
          return (
            <>
              <span className="max-sm:hidden">{isTest(alert) ? <None /> : <Truncate text={alert.device_name} />}</span>
              <OnPhone>{isTest(alert) ? `${alert.device_name}, ${alert.message}` : alert.message}</OnPhone>
            </>
          );
        }
        return (
          <>
            <span className="max-sm:hidden">
              <GroupDevice row={row} />
            </span>
            <OnPhone>{row.group.message}</OnPhone>
          </>
        );
      },
    },
    {
      id: "assignee",
      header: "Assignee",
      width: 120,
      roomy: true,
      cell: (row) => {
        if (row.kind === "rest") return null;
        if (row.kind === "alert") return row.alert.assignee ? <Truncate text={row.alert.assignee} /> : <None />;
        const { assignees, unassigned } = row.group;
        return assignees.length > 0 ? <Truncate text={assignees.join(", ")} /> : unassigned > 0 ? <None /> : null;
      },
    },
    {
      id: "delivery",
      header: "Sent",
      width: 104,
      roomy: true,
      cell: (row) => (row.kind === "alert" ? <DeliveryState delivery={row.alert.delivery} /> : null),
    },
    {
      id: "triggered",
      header: "Triggered",
      width: 168,
      roomy: true,
      cell: (row) =>
        row.kind === "rest" ? null : (
          <InstantTime value={row.kind === "group" ? row.group.newest_at : row.alert.triggered_at} />
        ),
    },
    {
      id: "age",
      header: tab === "resolved" ? "Resolved" : "Age",
      width: 88,
      align: "right",
      narrow: "meta",
      cell: (row) => {
        if (row.kind === "rest") return null;
        const at =
          row.kind === "group"
            ? row.group.newest_at
            : tab === "resolved"
              ? row.alert.resolved_at
              : row.alert.triggered_at;
        return <RelativeTime value={at} rich={false} />;
      },
    },
  ];
}
