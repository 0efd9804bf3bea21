"use client";

import { ChevronRight } from "lucide-react";
import Link from "next/link";
import { useId, useState } from "react";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { Status, type Tone } from "@/components/product/status";
import { severitiesWorstFirst } from "@/domain/severity";
import type { Fleet } from "./query";
import { FineRobots, PagedRobots } from "./robot-list";

type Group = Fleet["groups"][number];
type GroupTone = keyof Group["counts"];

const tones: readonly GroupTone[] = [...severitiesWorstFirst, "unhealthy", "offline", "maintenance", "online"];
const fills: Record<GroupTone, string> = {
  critical: "bg-critical",
  error: "bg-error",
  warning: "bg-warning",
  info: "bg-info",
  unhealthy: "bg-warning",
  online: "bg-online",
  offline: "bg-offline",
  maintenance: "bg-maintenance",
};
const labels: Partial<Record<GroupTone, string>> = { unhealthy: "out of range" };
const toMark = (tone: GroupTone): Tone => (tone === "unhealthy" ? "warning" : tone);

/** The groups of a large fleet as bars, the worst first, their parts as long as there are robots in that state. */
export function FleetGroups({ groups, more }: { groups: readonly Group[]; more: number }) {
  const max = Math.max(1, ...groups.map(({ total }) => total));
  return (
    <>
      <ul aria-label="Groups" className="border-t">
        {groups.map((group) => (
          <GroupBar key={group.uid ?? "none"} group={group} share={group.total / max} isOnly={groups.length === 1} />
        ))}
      </ul>
      {more > 0 && (
        <p className="py-2 text-table text-muted">
          {plural(more, "more group")}, none of them worse.{" "}
          <Link href="/groups" className="text-accent-text underline">
            All groups
          </Link>
        </p>
      )}
    </>
  );
}

function GroupBar({ group, share, isOnly }: { group: Group; share: number; isOnly: boolean }) {
  const id = useId();
  const [open, setOpen] = useState(isOnly);
  const parts = tones.flatMap((tone) => {
    const count = group.counts[tone] ?? 0;
    return count > 0 ? [{ tone, count }] : [];
  });
  const name = group.uid === null ? (isOnly ? "All robots" : "In no group") : group.name;
  const input = group.uid ?? "none";
  return (
    <li className="border-b text-table">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="-mx-2 grid w-[calc(100%+1rem)] cursor-pointer items-center gap-x-6 gap-y-1 rounded-control px-2 py-2 text-left hover:bg-hover sm:grid-cols-[13rem_minmax(0,1fr)]"
      >
        <span className="flex min-w-0 items-center gap-1.5">
          <ChevronRight
            aria-hidden
            className={cn("size-4 shrink-0 text-subtle transition-transform", open && "rotate-90")}
          />
          <span className="flex min-w-0 flex-col">
            {group.path !== "" && <span className="truncate text-meta text-subtle">{group.path}</span>}
            <span className="truncate font-medium">{name}</span>
          </span>
          <span className="text-meta text-subtle tabular-nums">{group.total.toLocaleString("en-US")}</span>
        </span>
        <span className="min-w-0">
          <span aria-hidden className="flex h-2 gap-px" style={{ width: `${100 * share}%` }}>
            {parts.map(({ tone, count }) => (
              <span key={tone} className={`min-w-0.5 ${fills[tone]}`} style={{ flexGrow: count }} />
            ))}
          </span>
          <span className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-meta">
            {parts.map(({ tone, count }) => (
              <Status key={tone} tone={toMark(tone)}>
                <span className="tabular-nums">{count.toLocaleString("en-US")}</span> {labels[tone] ?? tone}
              </Status>
            ))}
          </span>
        </span>
      </button>
      <div id={id} className="pb-2 pl-5" hidden={!open}>
        {open && (
          <>
            {group.total > group.fine && (
              <PagedRobots label={`Robots that need somebody: ${name}`} input={{ group: input, fine: false }} />
            )}
            <FineRobots count={group.fine} group={input} />
          </>
        )}
      </div>
    </li>
  );
}
