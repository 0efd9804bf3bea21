"use client";

import { SlidersHorizontal } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { cn } from "@/components/kit/cn";
import { IconButton } from "@/components/kit/icon-button";
import { lazyPart } from "@/components/kit/lazy-part";
import { Select } from "@/components/kit/select";
import { gutter } from "@/components/plots/plot-types";
import { PanelTools } from "@/components/product/panel-tools";
import { FieldPicker } from "@/components/recording/plot/field-picker";
import { plotHeight, PlotPanel } from "@/components/recording/plot/plot-panel";
import { FieldDrop } from "@/components/recording/session/field-drop";
import type { PanelProps } from "@/components/recording/session/panel-type";
import { TimelineContext, useTimeline } from "@/components/recording/session/timeline-context";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";

type Config = PanelConfigs["plot"];

const ChartPanel = lazyPart(async () => (await import("@/components/recording/plot/chart-panel")).ChartPanel);

type Arrangement = NonNullable<Config["arrangement"]>;
const arrangements: { value: Arrangement; label: string }[] = [
  { value: "apart", label: "One below the other" },
  { value: "time", label: "Together, over time" },
  { value: "field", label: "Together, over a field" },
  { value: "index", label: "Together, over the sample" },
];

/** Pixels of a plot's head with its borders, and of the choice of fields above all plots. */
const room = { head: 38, choice: 49 };
/** Pixels of a plot at least: one alone is never cut, several scroll before they are too low to be read. */
const least = { alone: 48, several: 64 };

/** Pixels that each of some plots below each other gets of a panel, so that they fill it. */
function usePlotHeight(count: number, hasChoice: boolean) {
  const host = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(plotHeight);
  useEffect(() => {
    const panel = host.current?.closest("[data-scrolls]");
    if (!panel) return;
    const observer = new ResizeObserver(() => {
      const each = (panel.clientHeight - (hasChoice ? room.choice : 0)) / Math.max(1, count) - room.head;
      // In steps, because a plot is made anew for each height.
      setHeight(Math.max(count > 1 ? least.several : least.alone, Math.floor(each / 8) * 8));
    });
    observer.observe(panel);
    return () => observer.disconnect();
  }, [count, hasChoice]);
  return { host, height };
}

/** Plots of fields of its own, below each other or in one. What chooses them opens on demand. */
export function PlotView({ config, onConfig }: PanelProps<Config>) {
  const timeline = useTimeline();
  const { series, arrangement = "apart" } = config;
  const [isChoosing, setChoosing] = useState(false);
  const hasChoice = !timeline.readOnly && (isChoosing || series.length === 0);
  const isApart = arrangement === "apart";
  const { host, height } = usePlotHeight(isApart ? series.length : 0, hasChoice);
  const setSeries = (series: string[]) => onConfig({ ...config, series });
  const tools = (
    <>
      {!timeline.readOnly && series.length > 0 && (
        <IconButton
          size="sm"
          label="Fields and arrangement"
          aria-expanded={isChoosing}
          icon={<SlidersHorizontal aria-hidden />}
          onClick={() => setChoosing(!isChoosing)}
        />
      )}
      <PanelTools />
    </>
  );
  return (
    <TimelineContext value={{ ...timeline, plots: series, setPlots: setSeries, left: gutter.left }}>
      <FieldDrop className={cn("h-full overflow-y-auto", !isApart && "flex flex-col")}>
        {!(isApart && series.length > 0) && (
          <div className="flex h-7 shrink-0 items-center justify-between border-b pr-1 pl-2 text-meta text-muted">
            Plot
            <span className="flex items-center">{tools}</span>
          </div>
        )}
        {hasChoice && (
          <div className="flex shrink-0 flex-wrap items-center gap-1 border-b p-2">
            <FieldPicker />
            <Select
              aria-label="Arrangement of the plots"
              className="ml-auto w-56"
              options={arrangements}
              value={arrangement}
              onValueChange={(arrangement) => onConfig({ ...config, arrangement })}
            />
          </div>
        )}
        {isApart ? (
          <div ref={host}>
            {series.map((path, at) => (
              <PlotPanel
                key={path}
                path={path}
                height={height}
                times
                tools={at === 0 ? tools : null}
                onRemove={() => setSeries(series.filter((each) => each !== path))}
              />
            ))}
          </div>
        ) : (
          <div className={cn(series.length > 0 && "min-h-0 flex-1")}>
            <ChartPanel mode={arrangement} config={config} onConfig={onConfig} />
          </div>
        )}
      </FieldDrop>
    </TimelineContext>
  );
}
