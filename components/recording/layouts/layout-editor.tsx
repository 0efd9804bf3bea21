"use client";

import { Plus, Redo2, Undo2 } from "lucide-react";
// oxlint-disable-next-line no-restricted-imports -- on the server only, where it names the scripts that the page will need
import dynamic from "next/dynamic";
import {
  Suspense,
  use,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type FocusEvent,
} from "react";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { IconButton } from "@/components/kit/icon-button";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { lazyPart } from "@/components/kit/lazy-part";
import { Skeleton } from "@/components/kit/skeleton";
import { toast } from "@/components/product/toast";
import { MessageActionsContext, type MessagePlace } from "@/components/product/unshown-message";
import type { Subject } from "@/components/recording/session/panel-type";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { hasRoom, maxPanels } from "@/domain/layouts/tree";
import { AreaBorder, useAreaShare, useIsAreaSized } from "./area-height";
import { LayoutEditingContext } from "./layout-editing";
import { useLayoutKeys } from "./layout-keys";
import { LayoutMenu } from "./layout-menu";
import { useLayoutState } from "./use-layout-editing";
import type { BaseLayout, OpenedLayout } from "./use-opened-layout";

// A recording without panels needs neither; where the server renders one, the page loads it with its other scripts.
const LayoutView = lazyPart(async () => (await import("./layout-view")).LayoutView, {
  onServer: dynamic(async () => (await import("./layout-view")).LayoutView),
});
const OnePanel = lazyPart(async () => (await import("./one-panel")).OnePanel, {
  onServer: dynamic(async () => (await import("./one-panel")).OnePanel),
});
const PanelChooser = lazyDialog(async () => (await import("./panel-chooser")).default);

/** How much more than the lanes the panels grow. */
const shareStyle = (share: number): CSSProperties & Record<"--share", number> => ({ "--share": share / (100 - share) });

interface LayoutEditorProps {
  subject: Subject;
  opened: OpenedLayout;
  /** The layout as it is saved now. */
  base: BaseLayout;
  deviceType: string | null;
  onSaved: (base: BaseLayout) => void;
  onOpen: (base: BaseLayout) => void;
}

/**
 * The panels of a recording and the bar above them. What a phone does not show is hidden by the stylesheet until the scripts
 * run, so that nothing moves then.
 */
export function LayoutEditor(props: LayoutEditorProps) {
  const { subject, opened, base, deviceType, onSaved, onOpen } = props;
  const { coverPlots, noteLayout, session, isAlone } = useTimeline();
  const [menu, setMenu] = useState(false);
  const host = useRef<HTMLElement>(null);
  const share = useAreaShare();
  const isSized = useIsAreaSized();
  const state = useLayoutState(subject, opened, base, host);
  const { editing, place, setPlace, setFocused } = state;
  const { layout, full, readOnly } = editing;
  // The menu is in the bar, which panels that are alone do without.
  useLayoutKeys(editing, () => setMenu(!isAlone));
  const isEmpty = layout.root === null;
  // As text, so that only another list of fields is another one.
  const plotted = Object.values(layout.panels)
    .flatMap((panel) => (panel.type === "plot" ? panel.config.series : []))
    .join("\n");
  useLayoutEffect(() => {
    coverPlots(plotted.split("\n"));
    return () => coverPlots([]);
  }, [plotted, coverPlots]);
  useLayoutEffect(() => noteLayout(!isEmpty), [isEmpty, noteLayout]);
  const { isWhole } = opened;
  useEffect(() => {
    if (!isWhole) toast.failure("A part of the layout in this address could not be read.");
  }, [isWhole]);
  const onFocus = ({ target }: FocusEvent) => {
    const frame = target.closest("[data-panel-of]");
    setFocused(frame instanceof HTMLElement ? (frame.dataset["panelOf"] ?? null) : null);
  };
  const onBlur = ({ relatedTarget, currentTarget }: FocusEvent) => {
    // Menus and dialogs lie elsewhere in the page, and give the focus back.
    const isElsewhere = relatedTarget instanceof Element && !currentTarget.contains(relatedTarget);
    if (isElsewhere && !relatedTarget.closest("[role=dialog], [role=menu]")) setFocused(null);
  };
  const ofPage = use(MessageActionsContext);
  // Where there is no room for another panel, the tab beside the timeline shows it.
  const canShow = !readOnly && (hasRoom(layout) || Object.values(layout.panels).some(({ type }) => type === "raw"));
  const actions = ofPage && {
    ...ofPage,
    showRaw: !canShow
      ? ofPage.showRaw
      : ({ topic, time }: MessagePlace) => {
          editing.showRaw(topic);
          session.goTo(time);
        },
  };
  if (isEmpty && readOnly) return null;
  return (
    <LayoutEditingContext value={editing}>
      <section
        ref={host}
        aria-label="Panels"
        data-full={full ?? undefined}
        data-sized={isSized || undefined}
        onFocus={onFocus}
        onBlur={onBlur}
        style={isEmpty ? undefined : shareStyle(share)}
        className={cn(
          "peer flex shrink-0 flex-col border-b px-4 max-sm:px-2",
          isAlone && "border-b-0",
          !isEmpty && (full === null ? "lg:shrink lg:grow-(--share)" : "lg:shrink lg:grow"),
          isEmpty ? "max-sm:hidden" : "h-[60vh] max-sm:h-[45vh] lg:h-auto lg:min-h-40 lg:basis-0",
        )}
      >
        {!readOnly && !isAlone && (
          <div className="-mx-2 flex h-9 shrink-0 items-center gap-1 max-sm:hidden">
            <LayoutMenu
              base={base}
              isChanged={state.isChanged}
              deviceType={deviceType}
              open={menu}
              onOpenChange={setMenu}
              onSaved={onSaved}
              onOpen={onOpen}
              discard={state.discard}
            />
            <Button
              size="sm"
              variant="ghost"
              icon={<Plus aria-hidden />}
              disabledReason={hasRoom(layout) ? undefined : `A layout has at most ${maxPanels} panels.`}
              onClick={() => setPlace({ kind: "beside", panel: null, dir: "row" })}
            >
              Add a panel
            </Button>
            {state.canUndo && (
              <IconButton
                size="sm"
                label="Undo the last change of the layout"
                keys="mod+z"
                icon={<Undo2 aria-hidden />}
                onClick={editing.undo}
              />
            )}
            {state.canRedo && (
              <IconButton
                size="sm"
                label="Redo"
                keys="mod+shift+z"
                icon={<Redo2 aria-hidden />}
                onClick={editing.redo}
              />
            )}
          </div>
        )}
        {!isEmpty && (
          <div
            className={cn(
              "min-h-0 flex-1",
              readOnly ? "py-2" : "max-sm:hidden",
              full !== null && "pb-2",
              isAlone && "py-2",
            )}
          >
            <MessageActionsContext value={actions}>
              <Suspense fallback={<Skeleton className="size-full" />}>
                {readOnly ? <OnePanel /> : <LayoutView />}
              </Suspense>
            </MessageActionsContext>
          </div>
        )}
        {!isEmpty && full === null && !isAlone && <AreaBorder share={share} />}
      </section>
      <Suspense>
        {place && <PanelChooser subject={subject} onChoose={state.add} onClose={() => setPlace(null)} />}
      </Suspense>
    </LayoutEditingContext>
  );
}
