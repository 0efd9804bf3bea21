"use client";

import { ChartGantt } from "lucide-react";
import { lazyPart } from "@/components/kit/lazy-part";
import { hasStates } from "@/components/timeline/state-fields";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";
import type { PanelProps, PanelType } from "./panel-type";

type Config = PanelConfigs["states"];

const StateBands = lazyPart(async () => (await import("@/components/timeline/states-panel")).StateBands);

function StatesView({ config: { search }, onConfig }: PanelProps<Config>) {
  return <StateBands search={search} onSearch={(search) => onConfig({ search })} />;
}

export const statesType: PanelType<Config> = {
  label: "States",
  icon: ChartGantt,
  title: () => "States",
  topics: () => [],
  candidates: ({ topics }) => (hasStates(topics) ? [{ config: { search: "" }, score: 0 }] : []),
  suggested: { most: 0, row: "below", leads: false },
  View: StatesView,
};
