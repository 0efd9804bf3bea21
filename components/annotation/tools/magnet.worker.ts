/**
 * The thread of the magnet: it holds the picture and finds the lines along its edges, so that a press stops nothing. Built by
 * scripts/page-workers.mjs.
 */
import { expose, transfer } from "comlink";
import { findEdge, findWires, measureCosts } from "@/domain/annotations/live-wire";

/** A part of a picture around the point where lines begin. */
export interface WireRequest {
  url: string;
  /** In pixels of the picture, whole ones. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** Pixels that are looked at for one of the picture. */
  scale: number;
  /** Where lines begin, in the pixels that are looked at. */
  seed: readonly [number, number];
  /** How many of them the beginning may be moved to be on an edge. */
  within: number;
}

/** The lines to every pixel of a part of a picture. */
export interface Wires {
  width: number;
  height: number;
  /** Of each pixel the one before it; the beginning is before itself. */
  before: Int32Array<ArrayBuffer>;
  costs: Uint8Array<ArrayBuffer>;
  seed: number;
}

let opened: { url: string; picture: Promise<ImageBitmap> } | null = null;

async function read(url: string): Promise<ImageBitmap> {
  const response = await fetch(url, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  // Turned as its camera was held.
  return createImageBitmap(await response.blob(), { imageOrientation: "from-image" });
}

function open(url: string): Promise<ImageBitmap> {
  if (opened?.url === url) return opened.picture;
  void opened?.picture.then(
    (picture) => picture.close(),
    () => {},
  );
  const picture = read(url);
  opened = { url, picture };
  // The next press asks again.
  picture.catch(() => void (opened = null));
  return picture;
}

const thread = {
  async prepare(url: string): Promise<void> {
    await open(url);
  },
  async trace({ url, x, y, width, height, scale, seed, within }: WireRequest): Promise<Wires> {
    const picture = await open(url);
    const [across, down] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
    const context = new OffscreenCanvas(across, down).getContext("2d", { willReadFrequently: true });
    if (!context) throw new Error("This browser draws no canvas.");
    context.drawImage(picture, x, y, width, height, 0, 0, across, down);
    const costs = measureCosts(context.getImageData(0, 0, across, down));
    const place = [Math.min(across - 1, seed[0]), Math.min(down - 1, seed[1])] as const;
    const start = within > 0 ? findEdge(costs, across, down, place, within) : place[1] * across + place[0];
    const before = findWires(costs, across, down, start);
    return transfer({ width: across, height: down, before, costs, seed: start }, [before.buffer, costs.buffer]);
  },
};
export type MagnetThread = typeof thread;

expose(thread);
