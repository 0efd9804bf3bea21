"use client";

import { useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { cn } from "@/components/kit/cn";
import { plural } from "@/components/kit/format";
import { TruncateMiddle } from "@/components/kit/truncate";
import { StatusMark } from "@/components/product/status";
import type { Outputs } from "@/components/trpc/client";

type DeviceCoverage = Outputs["recordings"]["coverage"]["results"][number];
type CoveredDay = DeviceCoverage["days"][number];

/** How cells with fewer than so many hours look. */
export const hourShades = [
  { below: 2, shade: "bg-accent/10" },
  { below: 6, shade: "bg-accent/20" },
  { below: 12, shade: "bg-accent/30" },
  { below: 26, shade: "bg-accent/45" },
] as const;

/** A cell, by its positions. */
interface Place {
  row: number;
  day: number;
}

/** Days of one device, from where a brush began. */
interface Brush extends Place {
  to: number;
}

interface CoverageGridProps {
  devices: readonly DeviceCoverage[];
  /** `2026-11-24`, in order. */
  dates: readonly string[];
  /** Days of a device, both included, by their positions. */
  onChoose: (device: string, from: number, to: number) => void;
}

const toHours = (seconds: number): string => {
  const hours = seconds / 3600;
  if (hours < 0.95) return hours < 0.05 ? "<0.1" : hours.toFixed(1).replace(/^0/, "");
  return String(Math.round(hours));
};

function describe(date: string, day: CoveredDay | undefined): string {
  if (!day) return `${date}: nothing recorded`;
  const hours = day.seconds > 0 ? `${(day.seconds / 3600).toFixed(1)} h recorded` : "nothing recorded";
  return `${date}: ${hours}${day.alerts > 0 ? `, ${plural(day.alerts, "alert")}, worst ${day.worst_severity}` : ""}`;
}

const formatMonthDay = (date: string): string =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }).format(
    new Date(`${date}T00:00:00Z`),
  );

const weekday = (date: string): number => new Date(`${date}T00:00:00Z`).getUTCDay();

/**
 * A row of days a device; on phones a block of weeks. Arrows move, Shift and arrows extend along a device, Enter chooses;
 * so do a press and a drag.
 */
export function CoverageGrid({ devices, dates, onChoose }: CoverageGridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<Place>({ row: 0, day: dates.length - 1 });
  const [brush, setBrush] = useState<Brush | null>(null);
  const current = { row: Math.min(place.row, devices.length - 1), day: Math.min(place.day, dates.length - 1) };

  const choose = (of: Brush) => {
    const device = devices[of.row];
    if (device) onChoose(device.uid, Math.min(of.day, of.to), Math.max(of.day, of.to));
  };
  const moveTo = (next: Place, isExtending: boolean) => {
    const row = isExtending ? current.row : Math.min(Math.max(next.row, 0), devices.length - 1);
    const day = Math.min(Math.max(next.day, 0), dates.length - 1);
    setBrush(isExtending ? { ...(brush ?? current), to: day } : null);
    setPlace({ row, day });
    grid.current?.querySelector<HTMLElement>(`[data-cell="${row} ${day}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { row, day } = current;
    const steps: Record<string, Place> = {
      ArrowLeft: { row, day: day - 1 },
      ArrowRight: { row, day: day + 1 },
      ArrowUp: { row: row - 1, day },
      ArrowDown: { row: row + 1, day },
      Home: { row, day: 0 },
      End: { row, day: dates.length - 1 },
    };
    const next = steps[event.key];
    if (next) moveTo(next, event.shiftKey);
    else if (event.key === "Enter" || event.key === " ") choose(brush ?? { ...current, to: current.day });
    else if (event.key === "Escape" && brush) setBrush(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onPointerDown = (row: number, day: number) => {
    setPlace({ row, day });
    setBrush({ row, day, to: day });
  };
  const onPointerEnter = (event: PointerEvent, row: number, day: number) => {
    if (event.pointerType === "mouse" && event.buttons === 1 && brush?.row === row) setBrush({ ...brush, to: day });
  };
  const isBrushed = (row: number, day: number) =>
    brush?.row === row && day >= Math.min(brush.day, brush.to) && day <= Math.max(brush.day, brush.to);

  return (
    <div
      ref={grid}
      role="grid"
      aria-label="Hours recorded by device and day"
      aria-multiselectable
      className="min-w-0 text-meta tabular-nums select-none sm:min-w-180"
      onKeyDown={onKeyDown}
    >
      <div
        role="row"
        className="sticky top-0 z-1 grid grid-cols-[8rem_repeat(28,minmax(0,1fr))] bg-background max-sm:sr-only"
      >
        <span role="columnheader" className="sr-only">
          Device
        </span>
        <span aria-hidden />
        {dates.map((date, at) => (
          <span
            key={date}
            role="columnheader"
            aria-label={date}
            className={cn(
              "pb-0.5 text-center whitespace-nowrap text-subtle",
              weekday(date) === 1 && "font-medium text-muted",
            )}
          >
            {at === 0 || date.endsWith("-01") ? formatMonthDay(date) : Number(date.slice(8))}
          </span>
        ))}
      </div>
      {devices.map((device, row) => {
        const days = new Map(device.days.map((day) => [day.day, day]));
        return (
          <div
            key={device.uid}
            role="row"
            className="grid grid-cols-7 gap-px pb-px max-sm:pb-3 sm:grid-cols-[8rem_repeat(28,minmax(0,1fr))]"
            // A drag ends on another cell than it began: its click is that of the row.
            onClick={({ target }) => {
              const isName = target instanceof Element && target.closest("[role=rowheader]") !== null;
              if (!isName && brush?.row === row) choose(brush);
            }}
          >
            <span role="rowheader" className="flex min-w-0 items-center pr-2 text-table max-sm:col-span-7 max-sm:py-1">
              <TruncateMiddle text={device.name} tail={4} />
            </span>
            {dates.map((date, day) => {
              const covered = days.get(day);
              const isCurrent = current.row === row && current.day === day;
              return (
                <span
                  key={date}
                  role="gridcell"
                  tabIndex={isCurrent ? 0 : -1}
                  data-cell={`${row} ${day}`}
                  aria-selected={isBrushed(row, day)}
                  title={describe(date, covered)}
                  className={cn(
                    "relative flex h-7 cursor-pointer items-center justify-center rounded-control -outline-offset-2!",
                    chooseShade(covered),
                    isBrushed(row, day) && "inset-ring-2 inset-ring-accent",
                  )}
                  onPointerDown={() => onPointerDown(row, day)}
                  onPointerEnter={(event) => onPointerEnter(event, row, day)}
                >
                  <span className="sr-only">{describe(date, covered)}</span>
                  {covered && covered.seconds > 0 && <span aria-hidden>{toHours(covered.seconds)}</span>}
                  {covered?.worst_severity && (
                    <span className="absolute top-0 right-0 scale-75">
                      <StatusMark tone={covered.worst_severity} />
                    </span>
                  )}
                  <span aria-hidden className="absolute bottom-0 left-0.5 scale-75 sm:hidden">
                    {Number(date.slice(8))}
                  </span>
                </span>
              );
            })}
          </div>
        );
      })}
    </div>
  );
}

function chooseShade(day: CoveredDay | undefined): string {
  if (!day || day.seconds === 0) return "bg-surface";
  return hourShades.find(({ below }) => day.seconds < below * 3600)?.shade ?? "";
}
