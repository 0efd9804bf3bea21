"use client";

import { useShortcuts, type Shortcut } from "@/components/kit/shortcuts";
import { toast } from "@/components/product/toast";
import type { Subject } from "@/components/recording/session/panel-type";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { listPanels, type Direction } from "@/domain/layouts/tree";
import { isVideoSchema } from "@/engine/messages/pictures/picture-schemas";
import type { LayoutEditing } from "./layout-editing";

const directions: readonly Direction[] = ["left", "right", "up", "down"];

/** All keys of panels. Those of one panel work while it has the focus. */
export function useLayoutKeys(editing: LayoutEditing, openLayouts: () => void): void {
  const { layout, focused, full, readOnly, subject } = editing;
  const { axis, session } = useTimeline();
  const order = listPanels(layout.root);
  const anywhere = (keys: string, label: string, run: () => void, more: Partial<Shortcut> = {}): Shortcut => ({
    keys,
    label,
    group: "Panels",
    run,
    ...more,
  });
  const onPanel = (keys: string, label: string, run: (id: string) => void, more: Partial<Shortcut> = {}): Shortcut => ({
    keys,
    label,
    group: "Panel with the focus",
    when: () => focused !== null,
    run: () => focused !== null && run(focused),
    ...more,
  });
  const panel = focused === null ? undefined : layout.panels[focused];
  const video = panel?.type === "image" && isVideo(panel.config.topic, subject) ? panel.config.topic : null;
  const goToKeyframe = async (isNext: boolean) => {
    if (video === null) return;
    try {
      const found = await session.findKeyframe(video, axis.ns(axis.playhead ?? axis.bounds.from), isNext);
      if (found !== null) session.goTo(found);
    } catch (error) {
      toast.failure(error, { title: `Keyframes of ${video} could not be read` });
    }
  };
  const onVideo = (keys: string, label: string, isNext: boolean) =>
    onPanel(keys, label, () => void goToKeyframe(isNext), { when: () => video !== null });
  const focusAt = (at: number) => {
    const id = order[at];
    if (id !== undefined) editing.focus(id);
  };
  const next = () => focusAt(focused === null ? 0 : (order.indexOf(focused) + 1) % order.length);
  useShortcuts(
    [
      ...order.slice(0, 9).map((_, at) =>
        anywhere(
          `alt+${at + 1}`,
          at === 0 ? "Go to the first panel, and so on" : `Go to panel ${at + 1}`,
          () => focusAt(at),
          {
            hidden: at > 0,
          },
        ),
      ),
      ...(order.length > 0 ? [anywhere("f6", "Go to the next panel", next)] : []),
      anywhere("shift+l", "Layouts", openLayouts),
      onPanel("f", "Full screen, or all panels", (id) => editing.setFull(full === id ? null : id)),
      anywhere("escape", "Show all panels", () => editing.setFull(null), { hidden: true, when: () => full !== null }),
      onPanel("\\", "Split right", (panel) => editing.choose({ kind: "beside", panel, dir: "row" })),
      onPanel("|", "Split below", (panel) => editing.choose({ kind: "beside", panel, dir: "col" })),
      onVideo("k", "Next keyframe of its video", true),
      onVideo("shift+k", "Previous keyframe of its video", false),
      onPanel("w", "Close", editing.close),
      onPanel("mod+z", "Undo the last change of the layout", editing.undo),
      onPanel("mod+shift+z", "Redo it", editing.redo),
      ...directions.flatMap((direction, at) => [
        onPanel(`alt+arrow${direction}`, "Move its border", (id) => editing.moveBorder(id, direction), {
          hidden: at > 0,
        }),
        onPanel(`alt+shift+arrow${direction}`, "Move it", (id) => editing.move(id, direction), { hidden: at > 0 }),
      ]),
    ],
    !readOnly,
  );
}

const isVideo = (topic: string, { topics }: Subject): boolean =>
  topics.some(({ name, schema }) => name === topic && isVideoSchema(schema));
