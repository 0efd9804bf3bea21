"use client";

import { LineChart } from "lucide-react";
import { gutter } from "@/components/plots/plot-types";
import { FieldPicker } from "@/components/timeline/field-picker";
import { PlotPanel } from "@/components/timeline/plot-panel";
import { TimelineContext, useTimeline } from "@/components/timeline/timeline-context";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";
import type { PanelProps, PanelType } from "./panel-type";
import { scoreTopic } from "./topic-score";

type Config = PanelConfigs["plot"];

/** Plots below each other, with fields of their own. */
function PlotView({ config: { series }, onConfig }: PanelProps<Config>) {
  const timeline = useTimeline();
  const setSeries = (series: string[]) => onConfig({ series });
  return (
    <TimelineContext value={{ ...timeline, plots: series, setPlots: setSeries, left: gutter.left }}>
      {series.map((path) => (
        <PlotPanel key={path} path={path} onRemove={() => setSeries(series.filter((each) => each !== path))} />
      ))}
      {!timeline.readOnly && (
        <div className="p-2">
          <FieldPicker />
        </div>
      )}
    </TimelineContext>
  );
}

export const plotType: PanelType<Config> = {
  label: "Plot",
  icon: LineChart,
  title: ({ series }) => series.join(", ") || "Plot",
  topics: () => [],
  candidates: (subject) => {
    const { topics, fields } = subject;
    const scores = topics
      .filter(({ name }) => fields.some((path) => path.startsWith(name)))
      .map((topic) => scoreTopic(topic, subject));
    const ofFields = { config: { series: [...fields] }, score: Math.max(0, ...scores) };
    return [...(fields.length > 0 ? [ofFields] : []), { config: { series: [] }, score: 0 }];
  },
  suggested: { most: 1, row: "below", leads: false },
  View: PlotView,
};
