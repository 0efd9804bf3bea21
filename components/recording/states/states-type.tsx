"use client";

import { ChartGantt } from "lucide-react";
import { lazyPart } from "@/components/kit/lazy-part";
import type { PanelProps, PanelType } from "@/components/recording/session/panel-type";
import { hasStates } from "@/components/recording/states/state-fields";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";

type Config = PanelConfigs["states"];

const StateBands = lazyPart(async () => (await import("@/components/recording/states/states-panel")).StateBands);

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
