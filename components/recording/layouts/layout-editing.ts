"use client";

import { createContext, use } from "react";
import type { Subject } from "@/components/recording/session/panel-type";
import type { DockSide } from "@/domain/layouts/docking";
import type { PanelState } from "@/domain/layouts/panel-configs";
import type { Axis, Direction, Layout, NodePath } from "@/domain/layouts/tree";

/** Where a chosen panel goes. */
export type Place =
  | { kind: "beside"; panel: string | null; dir: Axis }
  | { kind: "instead"; panel: string }
  | { kind: "tab"; panel: string };

/** The layout of a page and everything that changes it. */
export interface LayoutEditing {
  layout: Layout;
  subject: Subject;
  readOnly: boolean;
  /** The panel that keys concern; null while none has the focus. */
  focused: string | null;
  /** The panel shown alone; null for all. */
  full: string | null;
  setFull: (id: string | null) => void;
  /** Shows the panel and gives it the focus. */
  focus: (id: string) => void;
  /** Asks what to show, and puts it there. */
  choose: (place: Place) => void;
  set: (id: string, panel: PanelState, about?: string) => void;
  /** Shows the messages of a topic in the panel for that, or in a new one where there is room. */
  showRaw: (topic: string) => void;
  duplicate: (id: string) => void;
  move: (id: string, direction: Direction) => void;
  stack: (id: string, target: string) => void;
  /** Puts it beside another, or beside all, or into the place of another. */
  dock: (id: string, target: string | null, side: DockSide) => void;
  moveBorder: (id: string, direction: Direction) => void;
  resize: (path: NodePath, sizes: readonly number[]) => void;
  showTab: (id: string) => void;
  /** Removes a panel, with a way to take that back. */
  close: (id: string) => void;
  undo: () => void;
  redo: () => void;
  /** The address that shows a panel alone, with all that is not saved; null for what is too long for one. */
  linkTo: (full: string | null) => string | null;
}

export const LayoutEditingContext = createContext<LayoutEditing | null>(null);

/** The layout that a component is part of. */
export function useLayoutEditing(): LayoutEditing {
  const editing = use(LayoutEditingContext);
  if (!editing) throw new Error("useLayoutEditing needs a LayoutEditingContext around it.");
  return editing;
}
