"use client";

import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "@/components/kit/icon-button";
import { DensityLanes } from "@/components/recording/lanes/density-lanes";
import { FieldPicker } from "@/components/recording/plot/field-picker";

/** Below the lanes: the messages of each topic over time, of one recording unless it holds others, and the choice of what is plotted. */
export function TopicDrawer({ onClose, children }: { onClose: () => void; children?: ReactNode }) {
  return (
    <section aria-label="Topics and plots" className="flex shrink-0 flex-col border-t lg:max-h-[45%] lg:min-h-48">
      <div className="flex min-h-10 shrink-0 items-center gap-3 border-b py-1 pr-3 pl-4 max-sm:pl-2">
        <h2 className="text-meta font-medium text-muted">Plots</h2>
        <FieldPicker />
        <IconButton
          label="Close topics and plots"
          keys="t"
          size="sm"
          className="ml-auto"
          icon={<X aria-hidden />}
          onClick={onClose}
        />
      </div>
      <div className="min-h-0 flex-1 lg:overflow-y-auto">{children ?? <DensityLanes />}</div>
    </section>
  );
}
