"use client";

import { Table2 } from "lucide-react";
import { lazyPart } from "@/components/kit/lazy-part";
import type { PanelProps, PanelType } from "@/components/recording/session/panel-type";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";

type Config = PanelConfigs["table"];

const TopicTable = lazyPart(async () => (await import("@/components/recording/table/table-panel")).TopicTable);

function TableView({ config, onConfig }: PanelProps<Config>) {
  return (
    <TopicTable
      topic={config.topic}
      onTopic={(topic) => onConfig({ ...config, topic })}
      rows={config.rows}
      onRows={(rows) => onConfig({ ...config, rows })}
    />
  );
}

export const tableType: PanelType<Config> = {
  label: "Table",
  icon: Table2,
  title: ({ topic }) => topic,
  topics: ({ topic }) => [topic],
  candidates: ({ topics }) => topics.map(({ name }) => ({ config: { topic: name, rows: "latest" }, score: 0 })),
  suggested: { most: 0, row: "below", leads: false },
  View: TableView,
};
