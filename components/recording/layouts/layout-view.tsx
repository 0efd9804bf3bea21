"use client";

import { useEffect, useRef, useState } from "react";
import { Group, Panel, Separator, useGroupRef } from "react-resizable-panels";
import { cn } from "@/components/kit/cn";
import { useLatest } from "@/components/kit/latest";
import {
  isGroup,
  isTabs,
  listPanels,
  minShare,
  type GroupNode,
  type LayoutNode,
  type TabsNode,
} from "@/domain/layouts/tree";
import { useLayoutEditing } from "./layout-editing";
import { DragArea, useDragHandle } from "./panel-dragging";
import { PanelFrame } from "./panel-frame";
import { getTitle } from "./panel-types";

/** Percent that sizes may differ by rounding. */
const tolerance = 0.1;

/** The panels as the layout arranges them. */
export function LayoutView() {
  const { layout, full } = useLayoutEditing();
  const order = listPanels(layout.root);
  const numbers = new Map(order.map((id, at) => [id, at + 1]));
  if (full !== null && numbers.has(full)) return <PanelFrame id={full} number={numbers.get(full) ?? 1} />;
  return (
    layout.root && (
      <DragArea>
        <Part node={layout.root} path={[]} numbers={numbers} />
      </DragArea>
    )
  );
}

interface PartProps<Node> {
  node: Node;
  path: readonly number[];
  numbers: ReadonlyMap<string, number>;
}

function Part({ node, path, numbers }: PartProps<LayoutNode>) {
  if (isGroup(node)) return <Items node={node} path={path} numbers={numbers} />;
  if (isTabs(node)) return <Stack node={node} path={path} numbers={numbers} />;
  return <PanelFrame id={node.panel} number={numbers.get(node.panel) ?? 0} />;
}

/** A part keeps its name while what is beside it changes, so that its panels are not opened again. */
const toName = (node: LayoutNode, depth: number): string =>
  `${isGroup(node) ? `group${depth}` : "place"}-${listPanels(node)[0] ?? ""}`;

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name) => b.includes(name));

function Items({ node, path, numbers }: PartProps<GroupNode>) {
  const { resize } = useLayoutEditing();
  const group = useGroupRef();
  const names = node.items.map((item) => toName(item, path.length));
  const sizes = Object.fromEntries(names.map((name, at) => [name, node.sizes[at] ?? 0]));
  const [initial] = useState(sizes);
  const wanted = JSON.stringify(sizes);
  const applied = useRef(wanted);
  // The layout leads, as when a step is undone; what the separators do comes back as a change of it.
  const follow = useLatest(() => {
    const shown = group.current?.getLayout() ?? {};
    // A panel that is new is known to the group a moment later.
    if (applied.current === wanted || !isSameSet(Object.keys(shown), names)) return;
    applied.current = wanted;
    if (names.some((name) => Math.abs((shown[name] ?? 0) - (sizes[name] ?? 0)) > tolerance))
      group.current?.setLayout(sizes);
  });
  useEffect(follow, [follow, wanted]);
  const isRow = node.dir === "row";
  return (
    <Group
      groupRef={group}
      orientation={isRow ? "horizontal" : "vertical"}
      defaultLayout={initial}
      onLayoutChanged={(shown, { isUserInteraction }) => {
        if (isUserInteraction)
          resize(
            path,
            names.map((name) => shown[name] ?? 0),
          );
        else follow();
      }}
    >
      {node.items.flatMap((item, at) => {
        const name = names[at] ?? "";
        const size = `${node.sizes[at] ?? 0}%`;
        return [
          ...(at > 0
            ? [
                <Separator
                  key={`before ${name}`}
                  aria-label={`Border of ${describe(item)}`}
                  className={cn(
                    "rounded-full bg-transparent transition-colors hover:bg-border-strong data-[separator=active]:bg-accent",
                    isRow ? "w-1.5" : "h-1.5",
                  )}
                />,
              ]
            : []),
          <Panel key={name} id={name} defaultSize={size} minSize={`${minShare}%`} className="overflow-hidden!">
            <Part node={item} path={[...path, at]} numbers={numbers} />
          </Panel>,
        ];
      })}
    </Group>
  );

  function describe(item: LayoutNode): string {
    return listPanels(item)
      .map((id) => `panel ${numbers.get(id) ?? ""}`)
      .join(", ");
  }
}

function Stack({ node, numbers }: PartProps<TabsNode>) {
  const { layout, showTab } = useLayoutEditing();
  return (
    <div className="flex size-full min-w-0 flex-col">
      <div role="tablist" aria-label="Panels in one place" className="flex h-7 shrink-0 gap-1 overflow-x-auto">
        {node.tabs.map((id) => {
          const panel = layout.panels[id];
          return (
            <Tab
              key={id}
              id={id}
              title={panel ? getTitle(panel) : id}
              isActive={id === node.active}
              onShow={() => showTab(id)}
              onStep={(step, tabs) => {
                const next = node.tabs[(node.tabs.indexOf(id) + step + node.tabs.length) % node.tabs.length];
                if (next === undefined) return;
                showTab(next);
                const tab = tabs[node.tabs.indexOf(next)];
                if (tab instanceof HTMLElement) tab.focus();
              }}
            />
          );
        })}
      </div>
      <div className="min-h-0 flex-1">
        <PanelFrame key={node.active} id={node.active} number={numbers.get(node.active) ?? 0} />
      </div>
    </div>
  );
}

interface TabProps {
  id: string;
  title: string;
  isActive: boolean;
  onShow: () => void;
  /** Goes to the tab before or after; given all of them. */
  onStep: (step: number, tabs: ArrayLike<Element>) => void;
}

function Tab({ id, title, isActive, onShow, onStep }: TabProps) {
  const handle = useDragHandle(id);
  return (
    <button
      type="button"
      role="tab"
      aria-selected={isActive}
      tabIndex={isActive ? 0 : -1}
      {...handle}
      onClick={onShow}
      onKeyDown={(event) => {
        const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
        if (step === 0 || event.altKey) return;
        event.preventDefault();
        onStep(step, event.currentTarget.parentElement?.children ?? []);
      }}
      className={cn(
        "max-w-48 truncate rounded-t-control px-2 text-meta -outline-offset-2!",
        isActive ? "bg-selected font-medium" : "text-muted hover:bg-hover",
      )}
    >
      {title}
    </button>
  );
}
