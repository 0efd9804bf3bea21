import { useState } from "react";
import { expect } from "vitest";
import { userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import { applyOps, listByPosition } from "@/domain/annotations/draft-shape";
import { Editor } from "../editor";
import type { KeptWork } from "../store/editor-snapshot";
import { makeLabel } from "./drafts-of-tests";

/** The editor for tests of it, by keys and by pointer. */

/** A picture of stripes, 1,000 by 800 pixels. */
function drawPicture(): string {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1_000, height: 800 });
  const context = canvas.getContext("2d");
  if (!context) throw new Error("no canvas");
  for (let x = 0; x < 1_000; x += 50) {
    context.fillStyle = (x / 50) % 2 === 0 ? "#334" : "#ccd";
    context.fillRect(x, 0, 50, 800);
  }
  return canvas.toDataURL("image/png");
}

export const picture = { url: drawPicture(), width: 1_000, height: 800 };
export const labels = [
  makeLabel("forklift", {
    attributes: [{ key: "load", name: "Load", kind: "text", options: [], required: false }],
  }),
  makeLabel("pallet", { color: "#c2410c" }),
  makeLabel("night", { types: ["classification"], color: "#7c3aed" }),
];

interface Work {
  ops: DraftOp[];
  kept: KeptWork[];
}

/** The editor as a page shows it, with what it passed on. */
export async function open(shapes: readonly DraftShape[] = [], props: Partial<Parameters<typeof Editor>[0]> = {}) {
  const work: Work = { ops: [], kept: [] };
  const submitted: (readonly string[])[] = [];
  function Page() {
    const [given] = useState(shapes);
    return (
      <div className="flex h-full flex-col">
        <Editor
          labels={labels}
          picture={picture}
          shapes={given}
          onOps={(ops, kept) => {
            work.ops.push(...ops);
            work.kept.push(kept);
          }}
          onSubmit={(ignored) => void submitted.push(ignored)}
          {...props}
        />
      </div>
    );
  }
  const screen = await show(<Page />, "/");
  const stage = screen.getByRole("application", { name: /^Picture/ });
  await expect.element(stage).toHaveAttribute("data-ready");
  const now = () => listByPosition(applyOps(new Map(shapes.map((shape) => [shape.id, shape])), work.ops).values());
  return { screen, stage, work, submitted, now };
}

export const press = (keys: string) => userEvent.keyboard(keys);
export const options = (screen: Awaited<ReturnType<typeof show>>) => screen.getByRole("option");

/** Presses, moves and releases a pointer at places of the picture, which lies fitted on the stage. */
export async function drag(
  stage: Element,
  places: readonly (readonly [number, number])[],
  held: { altKey?: boolean; shiftKey?: boolean } = {},
) {
  HTMLElement.prototype.setPointerCapture = () => {};
  const box = stage.getBoundingClientRect();
  const scale = Math.min(box.width / 1_000, box.height / 800);
  const at = ([x, y]: readonly [number, number]) => ({
    clientX: box.left + box.width / 2 + (x - 500) * scale,
    clientY: box.top + box.height / 2 + (y - 400) * scale,
  });
  const say = (type: string, place: readonly [number, number]) =>
    stage.dispatchEvent(
      new PointerEvent(type, { ...at(place), ...held, pointerId: 1, button: 0, bubbles: true, isPrimary: true }),
    );
  const [first = [0, 0] as const] = places;
  const last = places.at(-1) ?? first;
  say("pointermove", first);
  say("pointerdown", first);
  for (const place of places) say("pointermove", place);
  say("pointerup", last);
}
