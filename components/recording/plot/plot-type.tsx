"use client";

import { LineChart } from "lucide-react";
import { lazyPart } from "@/components/kit/lazy-part";
import type { PanelType } from "@/components/recording/session/panel-type";
import { maxPlots } from "@/components/recording/session/query";
import { scoreTopic } from "@/components/recording/session/topic-score";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";

const PlotView = lazyPart(async () => (await import("./plot-view")).PlotView);

export const plotType: PanelType<PanelConfigs["plot"]> = {
  label: "Plot",
  icon: LineChart,
  title: ({ series }) => series.join(", ") || "Plot",
  topics: () => [],
  candidates: (subject) => {
    const { topics, fields } = subject;
    const scores = topics
      .filter(({ name }) => fields.some((path) => path.startsWith(name)))
      .map((topic) => scoreTopic(topic, subject));
    const ofFields = { config: { series: fields.slice(0, maxPlots) }, score: Math.max(0, ...scores) };
    return [...(fields.length > 0 ? [ofFields] : []), { config: { series: [], arrangement: "time" }, score: 0 }];
  },
  suggested: { most: 1, row: "below", leads: false },
  View: PlotView,
  hasOwnHead: true,
};
