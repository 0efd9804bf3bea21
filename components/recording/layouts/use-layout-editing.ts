"use client";

import { useEffect, useReducer, useRef, useState, type RefObject } from "react";
import { toast } from "@/components/product/toast";
import type { Subject } from "@/components/recording/session/panel-type";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { dockPanel } from "@/domain/layouts/docking";
import { toPanel } from "@/domain/layouts/panel";
import type { PanelState } from "@/domain/layouts/panel-configs";
import {
  addPanel,
  addTab,
  closePanel,
  listPanels,
  moveBorder,
  movePanel,
  nextId,
  resizeGroup,
  setPanel,
  showTab,
  stackPanel,
  type Layout,
} from "@/domain/layouts/tree";
import { suggested, useLayoutAddress, withLayout, type LayoutAddress } from "./layout-address";
import { describeChanges, noChanges } from "./layout-changes";
import type { LayoutEditing, Place } from "./layout-editing";
import { isSameLayout, reduceHistory, startHistory } from "./layout-history";
import { getTitle } from "./panel-types";
import type { BaseLayout, OpenedLayout } from "./use-opened-layout";

/** What the bar of the layout needs beyond what panels do. */
interface LayoutState {
  editing: LayoutEditing;
  /** Whether something is not saved. */
  isChanged: boolean;
  canUndo: boolean;
  canRedo: boolean;
  /** Goes back to the layout as it is saved. */
  discard: () => void;
  /** Where a panel is to be chosen for; null while nobody chooses. */
  place: Place | null;
  setPlace: (place: Place | null) => void;
  add: (panel: PanelState) => void;
  setFocused: (id: string | null) => void;
}

/** The layout of a page while people change it. */
export function useLayoutState(
  subject: Subject,
  { layout, address, isInAddress }: OpenedLayout,
  base: BaseLayout,
  host: RefObject<HTMLElement | null>,
): LayoutState {
  const { readOnly } = useTimeline();
  const [history, dispatch] = useReducer(reduceHistory, layout, startHistory);
  const { now } = history;
  const [focused, setFocused] = useState<string | null>(null);
  const [full, setFull] = useState(address.full);
  const [place, setPlace] = useState<Place | null>(null);
  const wanted = useRef<string | null>(null);
  const afterDialog = useRef(false);
  const change = (change: (layout: Layout) => Layout, about?: string) => dispatch({ type: "change", change, about });
  const shownFull = full !== null && Object.hasOwn(now.panels, full) ? full : null;
  const isChanged = !isSameLayout(base.tree, now);
  const changes = isChanged ? describeChanges(base.tree, now) : noChanges;
  const named = base.uid ?? (isChanged || address.layout === suggested ? suggested : null);
  const toAddress = (full: string | null): LayoutAddress | null => changes && { layout: named, full, changes };
  useAddressFollows(
    toAddress(shownFull) ?? { layout: named, full: shownFull, changes: noChanges },
    isInAddress ? address : null,
  );

  // The panel to focus may have come with the last change.
  useEffect(() => {
    if (wanted.current === null) return;
    const frame = host.current?.querySelector(`[data-panel-of="${wanted.current}"]`);
    if (!(frame instanceof HTMLElement)) return;
    wanted.current = null;
    frame.focus();
    if (!afterDialog.current) return;
    afterDialog.current = false;
    afterFrames(3, () => frame.focus());
  });
  const focus = (id: string) => {
    wanted.current = id;
    if (shownFull !== null && shownFull !== id) setFull(id);
    change((layout) => showTab(layout, id), `tab ${id}`);
    setFocused(id);
  };

  const editing: LayoutEditing = {
    layout: now,
    subject,
    readOnly,
    focused,
    full: shownFull,
    setFull: (id) => {
      wanted.current = id ?? shownFull;
      setFull(id);
    },
    focus,
    choose: setPlace,
    set: (id, panel, about) => change((layout) => setPanel(layout, id, panel), about),
    showRaw: (topic) => {
      const panel = toPanel("raw", { topic });
      const known = listPanels(now.root).find((id) => now.panels[id]?.type === "raw");
      if (shownFull !== null) setFull(null);
      if (known === undefined) change((layout) => addPanel(layout, null, "row", panel));
      else change((layout) => showTab(setPanel(layout, known, panel), known));
      wanted.current = known ?? nextId(now.panels);
      setFocused(wanted.current);
    },
    duplicate: (id) => {
      const panel = now.panels[id];
      if (!panel) return;
      wanted.current = nextId(now.panels);
      change((layout) => addPanel(layout, id, "row", panel));
    },
    move: (id, direction) => {
      wanted.current = id;
      change((layout) => movePanel(layout, id, direction));
    },
    stack: (id, target) => change((layout) => stackPanel(layout, id, target)),
    dock: (id, target, side) => {
      wanted.current = id;
      change((layout) => dockPanel(layout, id, target, side));
    },
    moveBorder: (id, direction) => change((layout) => moveBorder(layout, id, direction), `border of ${id}`),
    resize: (path, sizes) => change((layout) => resizeGroup(layout, path, sizes), `sizes of ${path.join(".")}`),
    showTab: (id) => change((layout) => showTab(layout, id), "tabs"),
    close: (id) => {
      const panel = now.panels[id];
      if (!panel) return;
      const order = listPanels(now.root);
      const at = order.indexOf(id);
      const next = order[at + 1] ?? order[at - 1] ?? null;
      wanted.current = next;
      setFocused(next);
      if (shownFull === id) setFull(null);
      change((layout) => closePanel(layout, id));
      toast.undo(`Closed ${getTitle(panel)}`, () => dispatch({ type: "undo" }));
    },
    undo: () => dispatch({ type: "undo" }),
    redo: () => dispatch({ type: "redo" }),
    linkTo: (id) => {
      const parts = toAddress(id);
      if (parts === null) return null;
      const url = new URL(location.href);
      url.search = withLayout(url.searchParams, { ...parts, layout: base.uid ?? suggested }).toString();
      return url.href;
    },
  };
  const add = (panel: PanelState) => {
    if (place === null) return;
    wanted.current = place.kind === "instead" ? place.panel : nextId(now.panels);
    afterDialog.current = true;
    setPlace(null);
    if (place.kind === "instead") change((layout) => setPanel(layout, place.panel, panel));
    else if (place.kind === "tab") change((layout) => addTab(layout, place.panel, panel));
    else change((layout) => addPanel(layout, place.panel, place.dir, panel));
  };
  return {
    editing,
    isChanged,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    discard: () => dispatch({ type: "change", change: () => base.tree }),
    place,
    setPlace,
    add,
    setFocused,
  };
}

/** A dialog gives the focus back to where it was a few frames after it closed. */
function afterFrames(count: number, run: () => void): void {
  if (count === 0) run();
  else requestAnimationFrame(() => afterFrames(count - 1, run));
}

/** Writes what is shown into the address whenever that says something else. */
function useAddressFollows(address: LayoutAddress, initial: LayoutAddress | null): void {
  const write = useLayoutAddress();
  const text = JSON.stringify(address);
  const written = useRef(JSON.stringify(initial));
  useEffect(() => {
    if (written.current !== text) write(JSON.parse(text) as LayoutAddress);
    written.current = text;
  });
}
