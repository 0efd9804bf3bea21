"use client";

import { ScrollText } from "lucide-react";
import { lazyPart } from "@/components/kit/lazy-part";
import type { PanelProps, PanelType } from "@/components/recording/session/panel-type";
import { scoreTopics } from "@/components/recording/session/topic-score";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";
import { isLogSchema } from "@/engine/messages/texts/log-line";

type Config = PanelConfigs["log"];

const LogLines = lazyPart(async () => (await import("@/components/recording/log/log-panel")).LogLines);

function LogView({ config, onConfig }: PanelProps<Config>) {
  return <LogLines filter={config} onFilter={onConfig} isCompact />;
}

export const logType: PanelType<Config> = {
  label: "Log",
  icon: ScrollText,
  title: () => "Log",
  topics: () => [],
  candidates: (subject) => {
    const [best] = scoreTopics(
      subject,
      ({ schema }) => isLogSchema(schema),
      () => ({}),
    );
    if (best === undefined) return [];
    // Beside pictures it is worth its place where something happened.
    return [{ config: { level: "debug", search: "" }, score: subject.isNotable ? best.score : 0 }];
  },
  suggested: { most: 1, row: "below", leads: false },
  View: LogView,
};
