"use client";

import { FieldPicker } from "@/components/recording/plot/field-picker";
import { maxPlots } from "@/components/recording/session/query";
import { TimelineContext, type Timeline } from "@/components/recording/session/timeline-context";
import { ComparePlot } from "./compare-plot";
import { LetterMark } from "./letter-mark";
import type { LinkedAxes } from "./linked-axes";

interface ComparePlotsProps {
  a: Timeline;
  b: Timeline;
  axes: LinkedAxes;
  aligned: number;
  plots: readonly string[];
  onPlots: (plots: readonly string[]) => void;
  onShift: (shiftMs: number) => void;
  /** Whether fields are chosen here; else they are elsewhere, or not now. */
  hasPicker: boolean;
}

/** The plots of a comparison, and the fields that can be added. */
export function ComparePlots({ a, b, axes, aligned, plots, onPlots, onShift, hasPicker }: ComparePlotsProps) {
  return (
    <section aria-label="Plots">
      <div className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 border-b py-1 pr-3 pl-4 max-sm:pl-2">
        <h2 className="text-meta font-medium text-muted">Plots</h2>
        {hasPicker && (
          <TimelineContext value={{ ...a, plots, setPlots: onPlots }}>
            <FieldPicker />
          </TimelineContext>
        )}
        <p className="flex items-center gap-1.5 text-meta text-muted">
          <LetterMark letter="A" /> solid
          <LetterMark letter="B" /> dashed
        </p>
      </div>
      {plots.slice(0, maxPlots).map((path) => (
        <ComparePlot
          key={path}
          path={path}
          a={a}
          b={b}
          axes={axes}
          left={a.left}
          aligned={aligned}
          onShift={onShift}
          onRemove={() => onPlots(plots.filter((each) => each !== path))}
        />
      ))}
    </section>
  );
}
