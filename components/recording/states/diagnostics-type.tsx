"use client";

import { Stethoscope } from "lucide-react";
import { lazyPart } from "@/components/kit/lazy-part";
import type { PanelProps, PanelType } from "@/components/recording/session/panel-type";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";
import { isDiagnosticSchema } from "@/engine/messages/texts/diagnostic-status";

type Config = PanelConfigs["diagnostics"];

const DiagnosticStatuses = lazyPart(
  async () => (await import("@/components/recording/states/diagnostics-panel")).DiagnosticStatuses,
);

function DiagnosticsView({ config, onConfig }: PanelProps<Config>) {
  return <DiagnosticStatuses all={config.all} onAll={(all) => onConfig({ all })} />;
}

export const diagnosticsType: PanelType<Config> = {
  label: "Diagnostics",
  icon: Stethoscope,
  title: () => "Diagnostics",
  topics: () => [],
  candidates: ({ topics }) =>
    topics.some(({ schema }) => isDiagnosticSchema(schema)) ? [{ config: { all: false }, score: 0 }] : [],
  suggested: { most: 1, row: "below", leads: false },
  View: DiagnosticsView,
};
