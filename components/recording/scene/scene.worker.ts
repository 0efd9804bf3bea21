/**
 * The thread that draws a 3-D scene. It receives objects from the recording's thread through a port, and pointers, keys and
 * settings from the page, so that neither waits for the graphics card. Built by scripts/page-workers.mjs.
 */
import { expose } from "comlink";
import type { RobotFiles } from "@/components/recording/thread/mesh-parts";
import type { SceneDrawn, SceneFeed } from "@/components/recording/thread/scene-feed";
import type { Vector } from "@/engine/messages/pose";
import type { PixelBox, SeenBox } from "./isolation";
import type { ScenePick, SceneReport } from "./scene-report";
import type { SceneSettings, SceneTheme } from "./scene-settings";
import { SceneView, type SceneSize } from "./scene-view";

/** Milliseconds without a movement of the camera after which all points are drawn again. */
const restMs = 150;
/** Milliseconds between two reports to the page. */
const reportMs = 100;

let view: SceneView | null = null;
let feeder: MessagePort | null = null;
let report: (value: SceneReport) => void = () => {};
let owesAnswer = false;
let isScheduled = false;
let restTimer: ReturnType<typeof setTimeout> | undefined;
let reportTimer: ReturnType<typeof setTimeout> | undefined;

const nextFrame = (run: () => void): void => {
  if (typeof requestAnimationFrame === "function") requestAnimationFrame(run);
  else setTimeout(run, 16);
};

function draw(): void {
  isScheduled = false;
  view?.draw();
  if (owesAnswer) feeder?.postMessage("drawn" satisfies SceneDrawn);
  owesAnswer = false;
  reportTimer ??= setTimeout(() => {
    reportTimer = undefined;
    if (view) report(view.report());
  }, reportMs);
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  nextFrame(draw);
}

/** While the camera moves, few points are drawn. */
function move(): void {
  if (!view) return;
  view.isMoving = true;
  clearTimeout(restTimer);
  restTimer = setTimeout(() => {
    if (view) view.isMoving = false;
    schedule();
  }, restMs);
  schedule();
}

function change(act: (view: SceneView) => void): void {
  if (view) act(view);
  schedule();
}

const thread = {
  /** Draws into a canvas from now on what comes through the port. Throws when the browser has no WebGL. */
  open(
    canvas: OffscreenCanvas,
    { size, meshThread }: { size: SceneSize; meshThread: string },
    port: MessagePort,
    onReport: (value: SceneReport) => void,
  ): void {
    view = new SceneView(canvas, size, meshThread, schedule);
    report = onReport;
    feeder = port;
    port.onmessage = ({ data }: MessageEvent<SceneFeed>) => {
      view?.take(data);
      if (data.type !== "moment") return;
      owesAnswer = true;
      schedule();
    };
  },
  resize: (size: SceneSize): void => change((each) => each.resize(size)),
  configure: (settings: SceneSettings): void => change((each) => each.configure(settings)),
  setRobot: (robot: RobotFiles | null): void => change((each) => each.setRobot(robot)),
  paint: (theme: SceneTheme): void => change((each) => each.paint(theme)),
  turn(dx: number, dy: number): void {
    view?.turn(dx, dy);
    move();
  },
  pan(dx: number, dy: number): void {
    view?.pan(dx, dy);
    move();
  },
  zoom(factor: number): void {
    view?.zoom(factor);
    move();
  },
  /** Looks from a side, in degrees: around from the x axis, and above the ground. */
  look: (azimuth: number, elevation: number): void => change((each) => each.look(azimuth, elevation)),
  fit: (): void => change((each) => each.fit()),
  pick: (x: number, y: number): ScenePick | null => view?.pick(x, y) ?? null,
  see: (box: PixelBox): SeenBox | null => view?.see(box) ?? null,
  isolate: (boxes: readonly SeenBox[]): void => change((each) => each.isolate(boxes)),
  countInside: (box: PixelBox): number => view?.countInside(box) ?? 0,
  showMeasure: (places: readonly Vector[]): void => change((each) => each.showMeasure(places)),
  close(): void {
    view?.close();
    view = null;
  },
};
export type SceneThread = typeof thread;

expose(thread);
