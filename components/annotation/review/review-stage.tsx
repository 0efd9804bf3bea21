"use client";

import { useEffect, useRef, useState, type ReactNode } from "react";
import { EditorStage } from "@/components/annotation/stage/editor-stage";
import { stepShape } from "@/components/annotation/store/commands";
import type { EditorStore } from "@/components/annotation/store/editor-store";
import { BrightnessMenu, plainLook, toFilter } from "@/components/items/viewer/brightness-menu";
import { useShortcuts } from "@/components/kit/shortcuts";
import { measureDistance, type Point } from "@/domain/annotations/geometry";
import type { PictureSource } from "../stage/editor-picture";

interface ReviewStageProps {
  store: EditorStore;
  picture: PictureSource;
  /** What is shown, where that is not the result itself. */
  head: string;
  onFailure: () => void;
  /** A place of the picture was pressed, not dragged. */
  onPress: (at: Point) => void;
  /** What lies above the shapes: pins. */
  children?: ReactNode;
}

const group = "Picture";
/** Pixels by which a hand that presses may move. */
const maxShake = 6;

/** The picture with the shapes of a result, to look at. */
export function ReviewStage({ store, picture, head, onFailure, onPress, children }: ReviewStageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const pressed = useRef<Point | null>(null);
  const [look, setLook] = useState(plainLook);
  const [isLookOpen, setLookOpen] = useState(false);
  const [isPanning, setPanning] = useState(false);
  useShortcuts([
    { keys: "+", label: "Enlarge", group, run: () => store.view.zoom(1.25) },
    { keys: "=", label: "Enlarge", group, hidden: true, run: () => store.view.zoom(1.25) },
    { keys: "-", label: "Reduce", group, run: () => store.view.zoom(0.8) },
    { keys: "0", label: "Fit the picture", group, run: () => store.view.fit() },
    { keys: "h", label: "Hide or show all shapes", group, run: () => store.hideAll(!store.snapshot.areHidden) },
    { keys: "b", label: "Brightness and contrast", group, run: () => setLookOpen(!isLookOpen) },
  ]);
  useEffect(() => {
    const element = stage.current;
    if (!element) return;
    const onKey = (event: KeyboardEvent) => {
      const isDown = event.type === "keydown";
      if (event.key === " ") {
        event.preventDefault();
        setPanning(isDown);
      }
      // After the last shape Tab leaves the stage.
      if (event.key === "Tab" && isDown && stepShape(store, !event.shiftKey)) event.preventDefault();
    };
    const onBlur = () => setPanning(false);
    element.addEventListener("keydown", onKey);
    element.addEventListener("keyup", onKey);
    element.addEventListener("blur", onBlur);
    return () => {
      element.removeEventListener("keydown", onKey);
      element.removeEventListener("keyup", onKey);
      element.removeEventListener("blur", onBlur);
    };
  }, [store]);
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div
        className="relative flex min-h-0 flex-1 flex-col"
        onPointerDownCapture={({ isPrimary, clientX, clientY, target }) =>
          (pressed.current = isPrimary && target === stage.current ? [clientX, clientY] : null)
        }
        onPointerUpCapture={({ isPrimary, clientX, clientY }) => {
          const [from, box] = [pressed.current, stage.current?.getBoundingClientRect()];
          pressed.current = null;
          if (!isPrimary || !from || !box || measureDistance(from, [clientX, clientY]) > maxShake) return;
          onPress(store.view.toPicture([clientX - box.left, clientY - box.top]));
        }}
      >
        <EditorStage
          store={store}
          ref={stage}
          source={picture}
          filter={toFilter(look)}
          isPanning={isPanning}
          said=""
          hint="Press a shape to select it; a drag moves, the wheel enlarges"
          onFailure={onFailure}
        />
        {head !== "" && (
          <p className="pointer-events-none absolute top-2 left-2 max-w-[70%] truncate rounded-panel border bg-background/90 px-2 py-1 text-meta text-foreground">
            {head}
          </p>
        )}
        <div className="absolute top-2 right-2 rounded-panel border bg-background/90">
          <BrightnessMenu look={look} onChange={setLook} open={isLookOpen} onOpenChange={setLookOpen} />
        </div>
        {children}
      </div>
    </div>
  );
}
