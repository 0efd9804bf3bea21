"use client";

import {
  createContext,
  use,
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
} from "react";
import {
  fitPlace,
  movePlace,
  toMatrix,
  toPicturePoint,
  zoomPlace,
  type PictureFrame,
  type PicturePlace,
} from "./picture-place";

/** Pixels of the screen that an arrow key moves a picture by. */
const keyStep = 40;
const keyFactor = 1.25;

type ChosenPlace = readonly [place: PicturePlace | null, choose: (place: PicturePlace | null) => void];

/** A place that cameras beside each other share; null where each has its own. */
export const SharedPlaceContext = createContext<ChosenPlace | null>(null);

interface PlacedPicture {
  /** The style of the picture's element. */
  matrix: string;
  scale: number;
  isFitted: boolean;
  /** The pixel of the picture at a place of the window. */
  toPixel: (event: { clientX: number; clientY: number }) => { x: number; y: number };
  zoom: (factor: number) => void;
  fit: () => void;
  handlers: {
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
    onPointerDown: (event: PointerEvent<HTMLElement>) => void;
    onPointerMove: (event: PointerEvent<HTMLElement>) => void;
    onDoubleClick: () => void;
  };
}

/** Where a picture lies in its panel: fitted at first, then as wheel, pointer and keys move it. */
export function usePicturePlace(
  panel: RefObject<HTMLElement | null>,
  picture: { width: number; height: number },
  turned: { rotation: number; mirrored: boolean },
): PlacedPicture {
  const [size, setSize] = useState({ width: 0, height: 0 });
  const own = useState<PicturePlace | null>(null);
  const [chosen, setChosen] = use(SharedPlaceContext) ?? own;
  const frame: PictureFrame = { panel: size, picture, ...turned };
  const place = chosen ?? fitPlace(frame);
  const current = useRef({ frame, place });
  useEffect(() => {
    current.current = { frame, place };
  });
  useEffect(() => {
    const element = panel.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    const onWheel = (event: WheelEvent) => {
      // Without the focus the wheel scrolls the page on which the panel lies.
      if (!event.ctrlKey && !event.metaKey && !element.contains(document.activeElement)) return;
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const at = { x: event.clientX - box.left, y: event.clientY - box.top };
      setChosen(zoomPlace(current.current.frame, current.current.place, at, Math.exp(-event.deltaY / 300)));
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      observer.disconnect();
      element.removeEventListener("wheel", onWheel);
    };
  }, [panel, setChosen]);
  const middle = { x: size.width / 2, y: size.height / 2 };
  const zoom = (factor: number) => setChosen(zoomPlace(frame, place, middle, factor));
  const move = (dx: number, dy: number) => setChosen(movePlace(frame, place, dx, dy));
  const fit = () => setChosen(null);
  const act = (event: KeyboardEvent<HTMLElement>): (() => void) | null => {
    if (event.altKey || event.ctrlKey || event.metaKey) return null;
    if (event.code === "Digit0") return event.shiftKey ? () => zoom(1 / place.scale) : fit;
    if (event.key === "+" || event.key === "=") return () => zoom(keyFactor);
    if (event.key === "-") return () => zoom(1 / keyFactor);
    // The arrows move the playhead until there is something to move here.
    const arrows: Record<string, readonly [number, number]> = {
      ArrowLeft: [keyStep, 0],
      ArrowRight: [-keyStep, 0],
      ArrowUp: [0, keyStep],
      ArrowDown: [0, -keyStep],
    };
    const by = chosen === null || event.shiftKey ? undefined : arrows[event.key];
    return by ? () => move(...by) : null;
  };
  return {
    matrix: toMatrix(frame, place),
    scale: place.scale,
    isFitted: chosen === null,
    toPixel: ({ clientX, clientY }) => {
      const box = panel.current?.getBoundingClientRect();
      const at = toPicturePoint(frame, place, { x: clientX - (box?.left ?? 0), y: clientY - (box?.top ?? 0) });
      return { x: Math.floor(at.x), y: Math.floor(at.y) };
    },
    zoom,
    fit,
    handlers: {
      onKeyDown: (event) => {
        const action = act(event);
        if (action === null) return;
        event.preventDefault();
        action();
      },
      onPointerDown: (event) => {
        if (event.button === 0) event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: (event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId) && event.buttons === 1)
          move(event.movementX, event.movementY);
      },
      onDoubleClick: fit,
    },
  };
}
