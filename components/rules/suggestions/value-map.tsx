"use client";

import { Star } from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { Disclosure } from "@/components/kit/disclosure";
import { formatNumber, plural } from "@/components/kit/format";
import { useQuietValue } from "@/components/kit/quiet-value";
import { Sweep } from "@/components/kit/sweep";
import type { ConditionDraft } from "@/domain/conditions/draft";
import { durationOrZero } from "@/domain/time/duration";
import { tidy } from "../conditions/condition-draft";
import { JudgementMark } from "./outcome-summary";
import { describeTally, tally, type CountHits, type Judgements, type Recordings } from "./outcomes";
import { canSuggest, chooseBest, chooseValues, chooseWindows, isWrong, toCell, type GridCell } from "./value-grid";

/** The map is computed this long (milliseconds) after the last change. */
const quietMs = 400;

interface Grid {
  values: number[];
  times: (string | null)[];
  /** Row by row. */
  cells: GridCell[];
  best: GridCell | null;
}

interface ValueMapProps {
  recordings: Readonly<Recordings>;
  judged: Judgements;
  condition: ConditionDraft;
  unit: string | undefined;
  countHits: CountHits;
  /** Takes the value and the time of a cell. */
  onChange: (condition: ConditionDraft) => void;
}

/** The map for a condition, computed cell by cell; the one before stays meanwhile. */
function useGrid({ recordings, judged, condition, countHits }: ValueMapProps, isOpen: boolean) {
  const [shown, setShown] = useState<{ key: string; grid: Grid } | null>(null);
  const values = chooseValues(condition, recordings);
  const times = chooseWindows(condition);
  const key = JSON.stringify([tidy(condition), values, times]);
  const quiet = useQuietValue(key, quietMs);
  useEffect(() => {
    if (!isOpen) return;
    let hasEnded = false;
    const compute = async () => {
      const [present, rows, windows] = JSON.parse(quiet) as [ConditionDraft, number[], (string | null)[]];
      const cells: GridCell[] = [];
      for (const value of rows) {
        for (const window of windows) {
          const one = tidy({ ...present, value, window: window ?? undefined });
          const counted = await countHits(one);
          const cell = counted && toCell(one, counted, judged);
          if (hasEnded || !cell) return;
          cells.push(cell);
        }
      }
      const best = chooseBest(cells, rows, windows, present);
      setShown({ key: quiet, grid: { values: rows, times: windows, cells, best } });
    };
    // The columns may be read anew meanwhile; the map is then computed again.
    compute().catch(() => {});
    return () => {
      hasEnded = true;
    };
  }, [isOpen, quiet, countHits, judged]);
  return { grid: shown?.grid ?? null, isCurrent: shown?.key === key };
}

const nameTime = (window: string | null): string => window ?? "no time";

/** How cells look, from few hits to the most of a cell, by their logarithm: one noisy cell does not pale the others. */
const shades = ["bg-accent/10", "bg-accent/20", "bg-accent/30", "bg-accent/45"] as const;

function shade(hits: number, most: number): string | undefined {
  if (hits === 0) return undefined;
  return shades[Math.min(shades.length - 1, Math.floor((Math.log1p(hits) / Math.log1p(most)) * shades.length))];
}

/** Hits by value (rows) and time it has to hold (columns). Arrows move, Enter takes a cell; so does a press. */
function Cells(props: {
  grid: Grid;
  condition: ConditionDraft;
  name: (cell: Pick<GridCell, "value" | "window">) => string;
  unit: string | undefined;
  onChoose: (cell: GridCell) => void;
}) {
  const { grid, condition, name, unit, onChoose } = props;
  const { values, times, cells, best } = grid;
  const table = useRef<HTMLDivElement>(null);
  const isPresent = ({ value, window }: GridCell) =>
    value === condition.value && durationOrZero(window) === durationOrZero(condition.window);
  const [place, setPlace] = useState<number | null>(null);
  const first = Math.max(cells.findIndex(isPresent), 0);
  const current = place !== null && place < cells.length ? place : first;
  const pointed = cells[current];
  const most = Math.max(1, ...cells.map(({ hits }) => hits));
  const describe = (cell: GridCell) =>
    `${name(cell)}: ${plural(cell.hits, "hit")}${cell.tally ? `, ${describeTally(cell.tally)}` : ""}`;
  const onKeyDown = (event: KeyboardEvent) => {
    const column = current % times.length;
    const steps: Record<string, number> = {
      ArrowLeft: column > 0 ? -1 : 0,
      ArrowRight: column < times.length - 1 ? 1 : 0,
      ArrowUp: current >= times.length ? -times.length : 0,
      ArrowDown: current + times.length < cells.length ? times.length : 0,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setPlace(current + step);
    table.current?.querySelector<HTMLElement>(`[data-cell="${current + step}"]`)?.focus();
  };
  return (
    <>
      <div
        ref={table}
        role="grid"
        aria-label="Hits by value and time"
        className="grid gap-px text-meta tabular-nums"
        style={{ gridTemplateColumns: `max-content repeat(${times.length}, minmax(0, 1fr))` }}
        onKeyDown={onKeyDown}
      >
        <div role="row" className="contents">
          <span role="columnheader" className="pr-2 text-right text-subtle">
            {unit ?? "Value"}
          </span>
          {times.map((time) => (
            <span key={nameTime(time)} role="columnheader" className="text-center text-subtle">
              {nameTime(time)}
            </span>
          ))}
        </div>
        {values.map((value, row) => (
          <div key={value} role="row" className="contents">
            <span role="rowheader" className="self-center pr-2 text-right text-muted">
              {formatNumber(value, 6)}
            </span>
            {times.map((time, column) => {
              const at = row * times.length + column;
              const cell = cells[at]!;
              const isBest = cell === best;
              return (
                <button
                  key={nameTime(time)}
                  type="button"
                  role="gridcell"
                  data-cell={at}
                  tabIndex={at === current ? 0 : -1}
                  aria-label={`${describe(cell)}${isPresent(cell) ? ", as it is" : ""}${isBest ? ", best" : ""}`}
                  className={cn(
                    "flex h-6 items-center justify-center gap-1 rounded-xs",
                    shade(cell.hits, most),
                    cell.tally && isWrong(cell) && "text-muted",
                    isPresent(cell) && "inset-ring-2 inset-ring-foreground",
                  )}
                  onFocus={() => setPlace(at)}
                  onPointerEnter={() => setPlace(at)}
                  onClick={() => onChoose(cell)}
                >
                  {isBest && <Star aria-hidden className="size-3 fill-current" />}
                  {cell.tally && !isWrong(cell) && !isBest && <JudgementMark judgement="fixed" />}
                  {formatNumber(cell.hits)}
                </button>
              );
            })}
          </div>
        ))}
      </div>
      <p aria-hidden className="text-meta text-muted tabular-nums">
        {pointed && describe(pointed)}
      </p>
    </>
  );
}

/**
 * What other values and times of a condition would find, as a map, with the pair that agrees best with what people decided
 * about its alerts. Open where they decided enough for that.
 */
export function ValueMap(props: ValueMapProps) {
  const { recordings, judged, condition, unit, onChange } = props;
  const found = tally(recordings, judged);
  const [chosen, setOpen] = useState<boolean | null>(null);
  const isOpen = chosen ?? canSuggest(found);
  const { grid, isCurrent } = useGrid(props, isOpen);
  const isBusy = isOpen && !isCurrent;
  const name = ({ value, window }: Pick<GridCell, "value" | "window">) =>
    `${formatNumber(value, 6)}${unit ? ` ${unit}` : ""}${window ? ` for ${window}` : ""}`;
  const choose = ({ value, window }: GridCell) => onChange({ ...condition, value, window: window ?? undefined });
  return (
    <Disclosure label="Values and times compared" open={isOpen} onOpenChange={setOpen}>
      <div aria-busy={isBusy || undefined} className="mt-2 flex min-h-40 flex-col gap-2">
        {isBusy && <Sweep />}
        {grid && (
          <>
            {grid.best?.tally && (
              <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-table tabular-nums">
                <Button size="sm" onClick={() => choose(grid.best!)}>
                  Use {name(grid.best)}
                </Button>
                <p>It {describeTally(grid.best.tally)}.</p>
              </div>
            )}
            <Cells grid={grid} condition={condition} name={name} unit={unit} onChoose={choose} />
            <p className="flex flex-wrap items-center gap-x-4 text-meta text-muted">
              <span>Hits by value and how long it has to hold.</span>
              <span className="inline-flex items-center gap-1">
                <span aria-hidden className="size-3 rounded-xs inset-ring-2 inset-ring-foreground" /> as it is
              </span>
              {found && (
                <span className="inline-flex items-center gap-1">
                  <JudgementMark judgement="fixed" /> agrees with all that was decided
                </span>
              )}
              {grid.best && (
                <span className="inline-flex items-center gap-1">
                  <Star aria-hidden className="size-3 fill-current" /> best
                </span>
              )}
            </p>
          </>
        )}
      </div>
    </Disclosure>
  );
}
