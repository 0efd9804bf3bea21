import { AttributionControl, Map as TileMap, setWorkerUrl, type ErrorEvent } from "maplibre-gl";
import "maplibre-gl/dist/maplibre-gl.css";
import workers from "@/public/engine/workers.json";
import type { MapWindow } from "./map-window";
import { metresAround, toDegrees } from "./place";

/** Pixels of the world's width at zoom 0. */
const worldPixels = 512;
const maxZoom = 24;

interface TileOptions {
  styleUrl: string;
  /** Called once, when the map cannot be shown. */
  onFail: (reason: string) => void;
  /** Called when some tile cannot be loaded. */
  onMissing: () => void;
}

/**
 * A map of tiles below a canvas, which decides what part of it is shown. The track is drawn on that canvas, not as a layer
 * of MapLibre: no place of it is simplified away, and playing makes no new tiles.
 */
export class TileLayer {
  private readonly map: TileMap;
  private readonly credits = new AttributionControl({ compact: false });
  private isLoaded = false;

  /** Throws where the browser has no WebGL. `container` is empty. */
  constructor(container: HTMLElement, credits: HTMLElement, { styleUrl, onFail, onMissing }: TileOptions) {
    setWorkerUrl(workers.tiles);
    this.map = new TileMap({
      container,
      style: styleUrl,
      interactive: false,
      attributionControl: false,
      renderWorldCopies: true,
      maxZoom,
      fadeDuration: 0,
    });
    this.map.on("style.load", () => (this.isLoaded = true));
    this.map.on("error", (event) => (this.isLoaded ? onMissing() : onFail(describeError(event))));
    credits.append(this.credits.onAdd(this.map));
  }

  /** Shows the part of the world that a window of Mercator's plane shows. */
  show({ centre, scale }: MapWindow): void {
    const { latitude, longitude } = toDegrees(centre);
    this.map.jumpTo({ center: [longitude, latitude], zoom: Math.log2((scale * metresAround) / worldPixels) });
  }

  remove(): void {
    this.credits.onRemove();
    this.map.remove();
  }
}

/** Why a style could not be loaded, without its address, which may hold a key. */
function describeError({ error }: ErrorEvent): string {
  if ("status" in error && typeof error.status === "number" && error.status > 0)
    return `the server of its style answered ${error.status}`;
  return "its style could not be loaded";
}
