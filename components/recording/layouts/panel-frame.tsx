"use client";

import { Ellipsis, GripVertical, Maximize2, Minimize2 } from "lucide-react";
import { Suspense } from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { IconButton } from "@/components/kit/icon-button";
import { LazyMenu } from "@/components/kit/menu";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { SkeletonText } from "@/components/kit/skeleton";
import { TruncateMiddle } from "@/components/kit/truncate";
import { clockLabel } from "@/components/plots/axis-labels";
import { describeGap } from "@/components/product/panel-texts";
import { PanelToolsContext } from "@/components/product/panel-tools";
import { useDebouncedPlayhead } from "@/components/recording/session/debounced";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { toPanel } from "@/domain/layouts/panel";
import type { PanelOf, PanelTypeId } from "@/domain/layouts/panel-configs";
import { isStacked } from "@/domain/layouts/tree";
import { useLayoutEditing } from "./layout-editing";
import { PanelBoundary } from "./panel-boundary";
import { useDragHandle } from "./panel-dragging";
import { usePanelItems } from "./panel-menu";
import { getTitle, getTopics, getType } from "./panel-types";
import { listOffers } from "./suggestion";

/** Other topics that are offered where the recording has not the one of the layout. */
const maxOffered = 4;

/** One panel of the layout: its head, and what it shows. */
export function PanelFrame({ id, number }: { id: string; number: number }) {
  const { layout, focused, subject, readOnly } = useLayoutEditing();
  const handle = useDragHandle(id);
  const panel = layout.panels[id];
  if (!panel) return null;
  const { label, hasOwnHead = false } = getType(panel);
  const title = getTitle(panel);
  const known = new Set(subject.topics.map(({ name }) => name));
  const missing = getTopics(panel).filter((topic) => !known.has(topic));
  const tools = (
    <>
      <GapNote />
      <Tools id={id} title={title} />
    </>
  );
  const ownHead = hasOwnHead && missing.length === 0;
  return (
    <div
      role="group"
      aria-label={`Panel ${number}: ${label}${title === label ? "" : ` ${title}`}`}
      data-panel-of={id}
      data-stacked={isStacked(layout.root, id) || undefined}
      tabIndex={-1}
      className={cn(
        "@container/panel relative flex size-full min-w-0 flex-col overflow-hidden rounded-panel border bg-background outline-none",
        focused === id && "border-accent",
      )}
    >
      {!ownHead && (
        <div
          {...(readOnly ? {} : handle)}
          className={cn(
            "flex h-7 shrink-0 items-center gap-2 border-b pr-1 pl-2 text-meta text-muted",
            !readOnly && "select-none",
          )}
        >
          <TruncateMiddle text={title} className="min-w-0 flex-1" />
          {tools}
        </div>
      )}
      <div data-scrolls className={cn("relative min-h-0 flex-1", !ownHead && "overflow-y-auto")}>
        {missing.length > 0 ? (
          <MissingTopics id={id} topics={missing} />
        ) : (
          <PanelToolsContext value={ownHead ? tools : null}>
            <PanelBoundary key={`${panel.type} ${title}`} title={title}>
              <Suspense fallback={<SkeletonText lines={4} className="p-3" />}>
                <PanelBody id={id} panel={panel} />
              </Suspense>
            </PanelBoundary>
          </PanelToolsContext>
        )}
      </div>
    </div>
  );
}

function PanelBody<Id extends PanelTypeId>({ id, panel }: { id: string; panel: PanelOf<Id> }) {
  const { set } = useLayoutEditing();
  const { View } = getType(panel);
  return <View config={panel.config} onConfig={(config) => set(id, toPanel(panel.type, config), `config of ${id}`)} />;
}

/** Says of every panel alike that the playhead stands where the recording has no data. */
function GapNote() {
  const { axis, recording } = useTimeline();
  const { zone } = useTimeZone();
  const at = axis.ns(useDebouncedPlayhead(axis, 100));
  const gap = recording.gaps.find(({ start_ns: from, end_ns: to }) => BigInt(from) <= at && at <= BigInt(to));
  if (!gap) return null;
  const toLabel = (ns: string) => clockLabel(axis, axis.seconds(BigInt(ns)), zone);
  return (
    // At the foot of a narrow panel, whose head has room only for the name and the tools.
    <span className="shrink-0 whitespace-nowrap text-warning-text @max-sm:pointer-events-none @max-sm:absolute @max-sm:right-1 @max-sm:bottom-1 @max-sm:z-20 @max-sm:rounded-control @max-sm:border @max-sm:bg-background @max-sm:px-1">
      {describeGap(toLabel(gap.start_ns), toLabel(gap.end_ns))}
    </span>
  );
}

function Tools({ id, title }: { id: string; title: string }) {
  const { full, layout, setFull, readOnly } = useLayoutEditing();
  const items = usePanelItems(id);
  const handle = useDragHandle(id);
  if (readOnly) return null;
  const isFull = full === id;
  return (
    <span className="flex shrink-0 items-center">
      {full === null && Object.keys(layout.panels).length > 1 && (
        // Keys and the menu move it as well.
        <span
          aria-hidden
          title="Drag to another place"
          {...handle}
          className="flex h-6 w-4 cursor-grab touch-none items-center justify-center text-subtle hover:text-foreground @max-[14rem]/panel:hidden"
        >
          <GripVertical className="size-3.5" />
        </span>
      )}
      <IconButton
        size="sm"
        // A narrow panel keeps its menu, which does this too.
        className="size-6 @max-[10rem]/panel:hidden"
        label={isFull ? "Show all panels" : `Show ${title} on the full screen`}
        keys="f"
        icon={isFull ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />}
        onClick={() => setFull(isFull ? null : id)}
      />
      <LazyMenu
        aria-label={`Panel ${title}`}
        variant="ghost"
        size="sm"
        className="size-6 px-0"
        icon={<Ellipsis aria-hidden />}
        items={items}
      />
    </span>
  );
}

/** A panel keeps its place in recordings that have not what it shows. */
function MissingTopics({ id, topics }: { id: string; topics: readonly string[] }) {
  const { layout, subject, set, readOnly } = useLayoutEditing();
  const panel = layout.panels[id];
  const others = panel && !readOnly ? listOffers(panel.type, subject).slice(0, maxOffered) : [];
  return (
    <div className="flex min-h-full flex-col items-center justify-center gap-2 p-3 text-center text-meta text-muted">
      <p className="max-w-full">
        This recording has no <span className="font-mono wrap-anywhere">{topics.join(", ")}</span>
      </p>
      {others.map((other) => (
        <Button key={getTitle(other.panel)} size="sm" className="max-w-full" onClick={() => set(id, other.panel)}>
          <span className="truncate">
            Show {getTitle(other.panel)}
            {other.note && `, ${other.note}`}
          </span>
        </Button>
      ))}
    </div>
  );
}
