import Link from "next/link";
import { Status } from "@/components/product/status";
import { deviceStatuses } from "@/domain/devices/connectivity";
import type { FleetGroup } from "@/domain/overview/groupings";
import { severitiesWorstFirst } from "@/domain/severity";
import { blockLink } from "./fleet-block";
import type { Fleet } from "./query";

type Block = Fleet["blocks"][number];
type Tone = keyof Block["counts"];

const tones: readonly Tone[] = [...severitiesWorstFirst, ...deviceStatuses];
const fills: Record<Tone, string> = {
  critical: "bg-critical",
  error: "bg-error",
  warning: "bg-warning",
  info: "bg-info",
  online: "bg-online",
  offline: "bg-offline",
  maintenance: "bg-maintenance",
};

/** A block's devices of one state: by status where no alert is open, else those with open alerts. */
function toneHref(block: Block, by: FleetGroup, tone: Tone): string {
  const { href } = blockLink(block, by);
  const filter = deviceStatuses.some((status) => status === tone) ? `status=${tone}` : "open_alerts=true";
  return `${href}${href.includes("?") ? "&" : "?"}${filter}`;
}

/** One bar per type or tag of a large fleet, its parts as long as there are devices in that state. */
export function FleetBars({ blocks, by }: { blocks: readonly Block[]; by: FleetGroup }) {
  const max = Math.max(1, ...blocks.map(({ total }) => total));
  return (
    <ul className="border-t">
      {blocks.map((block) => {
        const { name, href } = blockLink(block, by);
        const parts = tones.flatMap((tone) => {
          const count = block.counts[tone] ?? 0;
          return count > 0 ? [{ tone, count }] : [];
        });
        return (
          <li
            key={block.name}
            className="grid items-center gap-x-6 gap-y-1 border-b py-2 text-table sm:grid-cols-[12rem_minmax(0,1fr)]"
          >
            <Link href={href} className="flex min-w-0 items-baseline gap-2 rounded-control hover:underline">
              <span className="truncate font-medium">{name}</span>
              <span className="text-meta text-subtle tabular-nums">{block.total.toLocaleString("en-US")}</span>
            </Link>
            <div className="min-w-0">
              <div aria-hidden className="flex h-2 gap-px" style={{ width: `${(100 * block.total) / max}%` }}>
                {parts.map(({ tone, count }) => (
                  <span key={tone} className={`min-w-0.5 ${fills[tone]}`} style={{ flexGrow: count }} />
                ))}
              </div>
              <div className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-meta">
                {parts.map(({ tone, count }) => (
                  <Link key={tone} href={toneHref(block, by, tone)} className="rounded-control hover:underline">
                    <Status tone={tone}>
                      <span className="tabular-nums">{count.toLocaleString("en-US")}</span> {tone}
                    </Status>
                  </Link>
                ))}
              </div>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
