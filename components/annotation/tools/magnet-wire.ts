import { wrap, type Remote } from "comlink";
import { unlessMissing } from "@/components/kit/thread-loading";
import type { Point } from "@/domain/annotations/geometry";
import { findEdge, walkBack } from "@/domain/annotations/live-wire";
import workers from "@/public/engine/workers.json";
import type { MagnetThread, WireRequest, Wires } from "./magnet.worker";

/** Pixels of the sides of the part that is looked at. */
const windowPixels = 512;
/** Pixels by which a press is moved to be on an edge. */
const snapPixels = 5;

interface Opened {
  worker: Worker;
  thread: Remote<MagnetThread>;
}
let opened: Opened | null = null;

function open(): Opened {
  if (opened) return opened;
  const worker = new Worker(workers.magnet, { name: "magnet", type: "module" });
  return (opened = { worker, thread: wrap<MagnetThread>(worker) });
}

let prepared = "";

/** Has the thread read a picture, once, which the first press then need not wait for. */
export function prepare(url: string): void {
  if (url === prepared) return;
  prepared = url;
  const { worker, thread } = open();
  // The first press says what is wrong.
  unlessMissing("magnet", worker, thread.prepare(url)).catch(() => {});
}

export interface TracedPicture {
  url: string;
  width: number;
  height: number;
}

/**
 * The part of a picture around a point, at the scale of the screen: what people do not see is not followed. Enlarged beyond its
 * own pixels a picture shows nothing more.
 */
export function aim(
  { url, width, height }: TracedPicture,
  [x, y]: Point,
  screenScale: number,
  isFirst: boolean,
): WireRequest {
  const scale = Math.min(1, screenScale);
  const side = windowPixels / scale;
  const left = Math.max(0, Math.min(Math.floor(x - side / 2), Math.floor(width - side)));
  const top = Math.max(0, Math.min(Math.floor(y - side / 2), Math.floor(height - side)));
  return {
    url,
    x: left,
    y: top,
    width: Math.min(width - left, Math.ceil(side)),
    height: Math.min(height - top, Math.ceil(side)),
    scale,
    seed: [Math.max(0, Math.floor((x - left) * scale)), Math.max(0, Math.floor((y - top) * scale))],
    within: isFirst ? snapPixels : 0,
  };
}

/** The lines that begin at a point; before they are known they are straight. */
export class Wire {
  private wires: Wires | null = null;
  /** Why there are none; null while none is known. */
  failure: string | null = null;
  readonly settled: Promise<void>;

  constructor(
    readonly from: Point,
    private readonly request: WireRequest,
    trace: (request: WireRequest) => Promise<Wires> = traceBeside,
  ) {
    this.settled = trace(request).then(
      (wires) => void (this.wires = wires),
      (error: unknown) => void (this.failure = error instanceof Error ? error.message : "The picture cannot be read."),
    );
  }

  get isSettled(): boolean {
    return this.wires !== null || this.failure !== null;
  }

  private toPoint(pixel: number, { width }: Wires): Point {
    const { x, y, scale } = this.request;
    return [x + ((pixel % width) + 0.5) / scale, y + (Math.floor(pixel / width) + 0.5) / scale];
  }

  /** Where the lines begin: on an edge near the first press. */
  get start(): Point {
    return this.wires && this.request.within > 0 ? this.toPoint(this.wires.seed, this.wires) : this.from;
  }

  /** The line to a place, its ends included. With `isExact` it ends there, and otherwise on an edge nearby. */
  lead(to: Point, isExact: boolean): Point[] {
    const { wires, request } = this;
    const { x, y, width, height, scale } = request;
    const isOutside = to[0] < x || to[1] < y || to[0] > x + width || to[1] > y + height;
    if (!wires) return [this.start, to];
    const column = Math.min(wires.width - 1, Math.max(0, Math.floor((to[0] - x) * scale)));
    const row = Math.min(wires.height - 1, Math.max(0, Math.floor((to[1] - y) * scale)));
    const isHere = isExact || isOutside;
    const end = isHere
      ? row * wires.width + column
      : findEdge(wires.costs, wires.width, wires.height, [column, row], snapPixels);
    const line = walkBack(wires.before, end).map((pixel) => this.toPoint(pixel, wires));
    // The beginning and an exact end are not the middles of pixels.
    const inner = line.slice(1, isHere && !isOutside ? -1 : undefined);
    return isHere ? [this.start, ...inner, to] : [this.start, ...inner];
  }

  /** Pixels of the picture by which a line may be simplified unseen. */
  get tolerance(): number {
    return 0.75 / this.request.scale;
  }
}

function traceBeside(request: WireRequest): Promise<Wires> {
  const { worker, thread } = open();
  return unlessMissing("magnet", worker, thread.trace(request)).catch((error: unknown) => {
    worker.terminate();
    // The next press begins another thread.
    if (opened?.worker === worker) opened = null;
    throw error;
  });
}
