"use client";

import { Suspense } from "react";
import { lazyPart, type LazyPart } from "@/components/kit/lazy-part";
import { SkeletonText } from "@/components/kit/skeleton";
import { Tabs } from "@/components/kit/tabs";
import { panelTabs, useAddress, type PanelTab } from "@/components/recording/session/address";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { hasStates } from "@/components/recording/states/state-fields";
import { isDiagnosticSchema } from "@/engine/messages/texts/diagnostic-status";
import { isLogSchema } from "@/engine/messages/texts/log-line";
import { SideFrame } from "./side-frame";
import type { ViewParts } from "./view-parts";

// Loaded when first opened.
const panels: Record<PanelTab, { label: string; Panel: LazyPart<object> }> = {
  events: { label: "Events", Panel: lazyPart(async () => (await import("./event-panel")).default) },
  log: { label: "Log", Panel: lazyPart(async () => (await import("@/components/recording/log/log-panel")).default) },
  diagnostics: {
    label: "Diagnostics",
    Panel: lazyPart(async () => (await import("@/components/recording/states/diagnostics-panel")).default),
  },
  states: {
    label: "States",
    Panel: lazyPart(async () => (await import("@/components/recording/states/states-panel")).default),
  },
  topics: { label: "Topics", Panel: lazyPart(async () => (await import("./topic-panel")).default) },
  message: {
    label: "Message",
    Panel: lazyPart(async () => (await import("@/components/recording/table/message-panel")).default),
  },
  table: {
    label: "Table",
    Panel: lazyPart(async () => (await import("@/components/recording/table/table-panel")).default),
  },
  details: { label: "Details", Panel: lazyPart(async () => (await import("./details-panel")).default) },
};

/** Events and message at the playhead, the recording's topics and details; `opening` is shown until one is chosen. */
export function SidePanel({ opening, side }: { opening: PanelTab; side: ViewParts["side"] }) {
  const { recording } = useTimeline();
  const has = (isSchema: (schema: string) => boolean) => recording.topics.some(({ schema }) => isSchema(schema));
  const absent: PanelTab[] = [
    ...(has(isLogSchema) ? [] : ["log" as const]),
    ...(hasStates(recording.topics) ? [] : ["states" as const]),
    ...(has(isDiagnosticSchema) ? [] : ["diagnostics" as const]),
  ];
  const [{ tab }, setAddress] = useAddress();
  return (
    <SideFrame label="About this moment" preference="recording.side.width" side={side}>
      <Tabs
        label="About this moment"
        // Smaller where the panel is narrower, so that all of them are seen.
        className="min-h-0 flex-1 [&>[role=tablist]]:gap-2 [&>[role=tablist]]:px-3 max-[90rem]:[&>[role=tablist]]:px-2 max-[90rem]:[&>[role=tablist]>[role=tab]]:text-meta"
        value={tab ?? opening}
        onValueChange={(next) => void setAddress({ tab: next })}
        tabs={panelTabs
          .filter((value) => !absent.includes(value))
          .map((value) => {
            const { label, Panel } = panels[value];
            return {
              value,
              label,
              content: (
                <div data-scrolls className="relative -mt-3 h-full min-h-40 overflow-y-auto max-lg:h-auto">
                  <Suspense fallback={<SkeletonText lines={5} className="p-4" />}>
                    {side.isKnown ? <Panel /> : <SkeletonText lines={5} className="p-4" />}
                  </Suspense>
                </div>
              ),
            };
          })}
      />
    </SideFrame>
  );
}
