"use client";

import { lazy, Suspense } from "react";
import { SkeletonText } from "@/components/kit/skeleton";
import { Tabs } from "@/components/kit/tabs";
import { panelTabs, useAddress, type PanelTab } from "./address";

// Loaded when first opened.
const panels: Record<PanelTab, { label: string; Panel: React.LazyExoticComponent<() => React.ReactNode> }> = {
  events: { label: "Events", Panel: lazy(() => import("./event-panel")) },
  topics: { label: "Topics", Panel: lazy(() => import("./topic-panel")) },
  message: { label: "Message", Panel: lazy(() => import("./message-panel")) },
  details: { label: "Details", Panel: lazy(() => import("./details-panel")) },
};

/** Events and message at the playhead, the recording's topics and details; `opening` is shown until one is chosen. */
export function SidePanel({ opening }: { opening: PanelTab }) {
  const [{ tab }, setAddress] = useAddress();
  return (
    <aside
      aria-label="About this moment"
      className="flex min-h-0 shrink-0 flex-col border-l max-lg:border-t max-lg:border-l-0 lg:w-84"
    >
      <Tabs
        label="About this moment"
        className="min-h-0 flex-1 [&>[role=tablist]]:px-4"
        value={tab ?? opening}
        onValueChange={(next) => void setAddress({ tab: next })}
        tabs={panelTabs.map((value) => {
          const { label, Panel } = panels[value];
          return {
            value,
            label,
            content: (
              <div data-panel className="relative -mt-3 h-full min-h-40 overflow-y-auto max-lg:h-auto">
                <Suspense fallback={<SkeletonText lines={5} className="p-4" />}>
                  <Panel />
                </Suspense>
              </div>
            ),
          };
        })}
      />
    </aside>
  );
}
