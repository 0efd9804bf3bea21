"use client";

import {
  ArrowDown,
  ArrowLeft,
  ArrowRight,
  ArrowUp,
  Copy,
  Layers,
  Link2,
  Maximize2,
  Minimize2,
  Replace,
  SquareSplitHorizontal,
  SquareSplitVertical,
  X,
} from "lucide-react";
import { useCopy } from "@/components/kit/copy-button";
import type { MenuItem } from "@/components/kit/menu";
import { hasRoom, isStacked, listPanels, maxPanels, movePanel, type Direction } from "@/domain/layouts/tree";
import { useLayoutEditing, type LayoutEditing } from "./layout-editing";
import { getTitle } from "./panel-types";
import { listOffers } from "./suggestion";

/** Topics that a menu lists at most. */
const maxTopics = 30;

const moves: readonly { direction: Direction; label: string; icon: React.ReactNode }[] = [
  { direction: "left", label: "Move left", icon: <ArrowLeft aria-hidden /> },
  { direction: "right", label: "Move right", icon: <ArrowRight aria-hidden /> },
  { direction: "up", label: "Move up", icon: <ArrowUp aria-hidden /> },
  { direction: "down", label: "Move down", icon: <ArrowDown aria-hidden /> },
];

/** Everything that can be done with a panel. */
export function usePanelItems(id: string): () => readonly MenuItem[] {
  const editing = useLayoutEditing();
  const { copy } = useCopy();
  return () => listItems(id, editing, copy);
}

function listItems(id: string, editing: LayoutEditing, copy: (text: string) => Promise<void>): readonly MenuItem[] {
  const { layout, full, subject } = editing;
  const panel = layout.panels[id];
  if (!panel) return [];
  const isFull = full === id;
  const noRoom = hasRoom(layout) ? undefined : `A layout has at most ${maxPanels} panels.`;
  const link = editing.linkTo(id);
  const title = getTitle(panel);
  const others = listOffers(panel.type, subject).slice(0, maxTopics);
  const order = listPanels(layout.root);
  const before = order[order.indexOf(id) - 1] ?? order[order.indexOf(id) + 1];
  const beforeTitle = before && layout.panels[before] ? getTitle(layout.panels[before]) : "";
  return [
    ...(others.length > 1
      ? [
          { heading: "Shows" },
          ...others.map((other) => ({
            label: other.note ? `${getTitle(other.panel)}, ${other.note}` : getTitle(other.panel),
            checked: getTitle(other.panel) === title,
            onSelect: () => editing.set(id, other.panel),
          })),
          "separator" as const,
        ]
      : []),
    {
      label: isFull ? "Show all panels" : "Full screen",
      icon: isFull ? <Minimize2 aria-hidden /> : <Maximize2 aria-hidden />,
      keys: "f",
      onSelect: () => editing.setFull(isFull ? null : id),
    },
    {
      label: "Copy link",
      icon: <Link2 aria-hidden />,
      disabledReason: link === null ? "Save the layout first: it is too long for a link." : undefined,
      onSelect: () => link !== null && void copy(link),
    },
    "separator",
    {
      label: "Split right",
      icon: <SquareSplitHorizontal aria-hidden />,
      keys: "\\",
      disabledReason: noRoom,
      onSelect: () => editing.choose({ kind: "beside", panel: id, dir: "row" }),
    },
    {
      label: "Split below",
      icon: <SquareSplitVertical aria-hidden />,
      keys: "|",
      disabledReason: noRoom,
      onSelect: () => editing.choose({ kind: "beside", panel: id, dir: "col" }),
    },
    {
      label: "Add as a tab",
      icon: <Layers aria-hidden />,
      disabledReason: noRoom,
      onSelect: () => editing.choose({ kind: "tab", panel: id }),
    },
    {
      label: "Replace",
      icon: <Replace aria-hidden />,
      onSelect: () => editing.choose({ kind: "instead", panel: id }),
    },
    { label: "Duplicate", icon: <Copy aria-hidden />, disabledReason: noRoom, onSelect: () => editing.duplicate(id) },
    "separator",
    ...moves.map(({ direction, label, icon }) => ({
      label,
      icon,
      keys: `alt+shift+arrow${direction}`,
      disabled: movePanel(layout, id, direction) === layout,
      onSelect: () => editing.move(id, direction),
    })),
    ...(before !== undefined && !(isStacked(layout.root, id) && isStacked(layout.root, before))
      ? [
          {
            label: `Stack on ${beforeTitle}`,
            icon: <Layers aria-hidden />,
            onSelect: () => editing.stack(id, before),
          },
        ]
      : []),
    "separator",
    { label: "Close", icon: <X aria-hidden />, keys: "w", onSelect: () => editing.close(id) },
  ];
}
