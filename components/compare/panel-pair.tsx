"use client";

import { X } from "lucide-react";
import { Suspense, useMemo, useState } from "react";
import { cn } from "@/components/kit/cn";
import { IconButton } from "@/components/kit/icon-button";
import { SkeletonText } from "@/components/kit/skeleton";
import { TruncateMiddle } from "@/components/kit/truncate";
import { MessageActionsContext, type MessageActions } from "@/components/product/unshown-message";
import { PanelBoundary } from "@/components/recording/layouts/panel-boundary";
import { getTitle, getTopics, getType } from "@/components/recording/layouts/panel-types";
import type { PicturePlace } from "@/components/recording/picture/picture-place";
import { SharedPlaceContext } from "@/components/recording/picture/use-picture-place";
import { saveMessage } from "@/components/recording/session/save-message";
import { TimelineContext, type Timeline } from "@/components/recording/session/timeline-context";
import { toPanel } from "@/domain/layouts/panel";
import type { PanelOf, PanelState, PanelTypeId } from "@/domain/layouts/panel-configs";
import type { Letter } from "./compared-letter";
import { LetterMark } from "./letter-mark";

interface PanelPairProps {
  panel: PanelState;
  /** Shows it otherwise, of both. */
  onPanel: (panel: PanelState) => void;
  a: Timeline;
  b: Timeline;
  /** How many there are: few get the height that many could not. */
  count: number;
  onRemove: () => void;
}

/** Heights that leave the heads of the pairs, and a glance at what is below. */
const heights = {
  one: "lg:h-[max(18rem,calc(100cqh_-_5rem))]",
  two: "lg:h-[max(18rem,calc(50cqh_-_4rem))]",
  more: "",
};

/** The same panel of both recordings beside each other, with the same settings and zoom. */
export function PanelPair({ panel, onPanel, a, b, count, onRemove }: PanelPairProps) {
  const place = useState<PicturePlace | null>(null);
  const title = getTitle(panel);
  const { label } = getType(panel);
  const name = title === label ? label : `${label} ${title}`;
  const height = heights[count === 1 ? "one" : count === 2 ? "two" : "more"];
  return (
    <section aria-label={name} className="min-w-0 border-b p-2">
      <div className="flex h-7 items-center gap-2 pl-2 text-meta text-muted">
        <h3 className="min-w-0 flex-1">
          <TruncateMiddle text={name} />
        </h3>
        <IconButton size="sm" label={`Remove ${name}`} icon={<X aria-hidden />} onClick={onRemove} />
      </div>
      <SharedPlaceContext value={place}>
        <div className="grid gap-2 sm:grid-cols-2">
          <Side letter="A" timeline={a} panel={panel} onPanel={onPanel} name={name} height={height} />
          <Side letter="B" timeline={b} panel={panel} onPanel={onPanel} name={name} height={height} />
        </div>
      </SharedPlaceContext>
    </section>
  );
}

interface SideProps {
  letter: Letter;
  timeline: Timeline;
  panel: PanelState;
  onPanel: (panel: PanelState) => void;
  name: string;
  height: string;
}

function Side({ letter, timeline, panel, onPanel, name, height }: SideProps) {
  const known = new Set(timeline.recording.topics.map((topic) => topic.name));
  const missing = getTopics(panel).filter((topic) => !known.has(topic));
  const { hasOwnHead = false } = getType(panel);
  const { session } = timeline;
  const actions = useMemo<MessageActions>(
    () => ({ showRaw: null, download: (message) => void saveMessage(session, message) }),
    [session],
  );
  return (
    <div
      role="group"
      aria-label={`${letter}: ${name}`}
      className={cn(
        "relative flex h-72 min-w-0 flex-col overflow-hidden rounded-panel border bg-background max-sm:h-56",
        height,
      )}
    >
      <span className="pointer-events-none absolute bottom-1.5 left-1.5 z-10 rounded-control bg-surface">
        <LetterMark letter={letter} />
      </span>
      <div className={hasOwnHead ? "min-h-0 flex-1" : "min-h-0 flex-1 overflow-y-auto"}>
        {missing.length > 0 ? (
          <p className="flex h-full items-center justify-center p-3 text-center text-meta text-muted">
            {letter} has no {missing.join(", ")}
          </p>
        ) : (
          <PanelBoundary title={`${name} of ${letter}`}>
            <Suspense fallback={<SkeletonText lines={4} className="p-3" />}>
              <TimelineContext value={timeline}>
                <MessageActionsContext value={actions}>
                  <Body panel={panel} onPanel={onPanel} />
                </MessageActionsContext>
              </TimelineContext>
            </Suspense>
          </PanelBoundary>
        )}
      </div>
    </div>
  );
}

function Body<Id extends PanelTypeId>(props: { panel: PanelOf<Id>; onPanel: (panel: PanelState) => void }) {
  const { panel, onPanel } = props;
  const { View } = getType(panel);
  return <View config={panel.config} onConfig={(config) => onPanel(toPanel(panel.type, config))} />;
}
