"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useRef, useState, type KeyboardEvent, type MouseEvent } from "react";
import { describeReading, MetricReading } from "@/components/health/metric-reading";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { Status, StatusMark } from "@/components/product/status";
import type { FleetGroup } from "@/domain/overview/groupings";
import type { Fleet, FleetCell } from "./query";

const describeCell = ({ name, status, worst, open_alerts: open, reading }: FleetCell): string =>
  `${name}: ${status}${worst ? `, ${plural(open, "open alert")}, worst ${worst}` : ", no open alerts"}${
    reading === null ? "" : `, ${reading.label} ${describeReading(reading)}`
  }`;

/** How many cells stand in the first line of a list. */
function countColumns(list: HTMLElement | null): number {
  const items = [...(list?.children ?? [])].filter((each) => each instanceof HTMLElement);
  return Math.max(1, items.filter((each) => each.offsetTop === items[0]?.offsetTop).length);
}

/** What a block is called, and the list of its devices. */
export function blockLink({ name }: { name: string }, by: FleetGroup): { name: string; href: string } {
  if (name === "") return { name: by === "tag" ? "Untagged" : "No type", href: "/devices" };
  return { name, href: `/devices?${by === "tag" ? "tags" : "type"}=${encodeURIComponent(name)}` };
}

/**
 * A type's or tag's devices, by name or as marks alone. One stop of the Tab key; arrows move between cells, Enter opens
 * the device.
 */
export function FleetBlock({ block, by, named }: { block: Fleet["blocks"][number]; by: FleetGroup; named: boolean }) {
  const router = useRouter();
  const list = useRef<HTMLUListElement>(null);
  const [current, setCurrent] = useState(0);
  const [shown, setShown] = useState<{ at: number; left: number; top: number } | null>(null);
  const at = Math.min(current, block.cells.length - 1);
  const { name, href } = blockLink(block, by);

  const show = (target: EventTarget, place: number) => {
    const cell = (target as HTMLElement).getBoundingClientRect();
    setShown({ at: place, left: Math.min(cell.left, window.innerWidth - 240), top: cell.bottom + 4 });
  };
  const move = (event: KeyboardEvent) => {
    const columns = countColumns(list.current);
    const steps: Record<string, number> = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: columns,
      ArrowUp: -columns,
      Home: -at,
      End: block.cells.length - 1 - at,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(block.cells.length - 1, at + step));
    setCurrent(next);
    list.current?.querySelectorAll<HTMLElement>("a")[next]?.focus();
  };
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    router.push(event.currentTarget.getAttribute("href") ?? "/devices");
  };
  const card = shown && block.cells[shown.at];
  return (
    <div className={cn("min-w-0", (named || block.cells.length > 60) && "sm:col-span-full")}>
      <h3 className="mb-1.5 flex items-baseline gap-2 text-table">
        <Link href={href} className="truncate rounded-control font-medium hover:underline">
          {name}
        </Link>
        <span className="text-meta text-subtle tabular-nums">{block.total.toLocaleString("en-US")}</span>
      </h3>
      <ul
        ref={list}
        aria-label={name}
        className={named ? "grid grid-cols-[repeat(auto-fill,minmax(11rem,1fr))] gap-x-4" : "flex flex-wrap"}
        onKeyDown={move}
        onMouseLeave={() => setShown(null)}
      >
        {block.cells.map((cell, place) => (
          <li key={cell.uid}>
            {/* A plain link: hundreds of these must not each fetch their page ahead. */}
            <a
              href={`/devices/${cell.uid}`}
              onClick={open}
              tabIndex={place === at ? 0 : -1}
              onFocus={(event) => {
                setCurrent(place);
                if (event.target.matches(":focus-visible")) show(event.target, place);
              }}
              onBlur={() => setShown(null)}
              onMouseEnter={(event) => show(event.target, place)}
              className={cn(
                "relative flex items-center rounded-control hover:bg-selected focus-visible:-outline-offset-2",
                named ? "-mx-1.5 h-7 gap-2 px-1.5 text-table" : "size-5 justify-center",
              )}
            >
              <StatusMark tone={cell.worst ?? cell.status} />
              <span className="sr-only">{describeCell(cell)}</span>
              {named && (
                <span aria-hidden className="min-w-0 flex-1 truncate">
                  {cell.name}
                </span>
              )}
              {named && cell.reading !== null && (
                <span aria-hidden className="max-w-1/2 shrink-0 text-meta text-muted">
                  <MetricReading reading={cell.reading} brief />
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
      {card && shown && (
        <div
          role="tooltip"
          style={{ left: shown.left, top: shown.top }}
          className="pointer-events-none fixed z-50 w-56 rounded-panel bg-raised p-3 shadow-float"
        >
          <p className="truncate text-table font-medium">{card.name}</p>
          <p className="mt-1 flex flex-col gap-0.5 text-meta text-muted">
            <Status tone={card.status} />
            {card.worst ? (
              <Status tone={card.worst}>{`${plural(card.open_alerts, "open alert")}, worst ${card.worst}`}</Status>
            ) : (
              "No open alerts"
            )}
            {card.reading && (
              <span>
                {card.reading.label} <MetricReading reading={card.reading} />
              </span>
            )}
          </p>
        </div>
      )}
    </div>
  );
}
