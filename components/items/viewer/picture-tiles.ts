import { wrap, type Remote } from "comlink";
import { unlessMissing } from "@/components/kit/thread-loading";
import workers from "@/public/engine/workers.json";
import type { PictureThread } from "./item-picture.worker";

/** Pixels of a tile's sides. */
export const tilePixels = 1_024;
/** Tiles that are held: about 190 MB. */
const maxTiles = 48;

interface Opened {
  width: number;
  height: number;
  overview: ImageBitmap;
}

/** A large picture, of which a small one is held and tiles of what is seen. */
export class PictureTiles {
  private readonly worker = new Worker(workers["item-picture"], { name: "item-picture", type: "module" });
  private readonly thread: Remote<PictureThread> = wrap<PictureThread>(this.worker);
  private readonly tiles = new Map<string, ImageBitmap>();
  private readonly wanted = new Set<string>();
  private opened: Opened | null = null;
  private isClosed = false;

  constructor(private readonly onChange: () => void) {}

  /** Resolves to the size of the picture; throws when it cannot be decoded. */
  async open(url: string): Promise<{ width: number; height: number }> {
    const opened = await unlessMissing("item-picture", this.worker, this.thread.open(url));
    if (this.isClosed) opened.overview.close();
    else this.opened = opened;
    this.onChange();
    return opened;
  }

  get overview(): ImageBitmap | null {
    return this.opened?.overview ?? null;
  }

  /** A tile by its column and row; null while it is cut, after which `onChange` is called. */
  get(column: number, row: number): ImageBitmap | null {
    const key = `${column} ${row}`;
    const tile = this.tiles.get(key);
    if (tile) {
      // Those that were seen last are held longest.
      this.tiles.delete(key);
      this.tiles.set(key, tile);
      return tile;
    }
    if (!this.wanted.has(key)) void this.cut(key, column, row);
    return null;
  }

  private async cut(key: string, column: number, row: number): Promise<void> {
    const { opened } = this;
    if (!opened) return;
    this.wanted.add(key);
    const [x, y] = [column * tilePixels, row * tilePixels];
    const [width, height] = [Math.min(tilePixels, opened.width - x), Math.min(tilePixels, opened.height - y)];
    const tile = width > 0 && height > 0 ? await this.thread.cut(x, y, width, height) : null;
    this.wanted.delete(key);
    if (!tile) return;
    if (this.isClosed) return tile.close();
    this.tiles.set(key, tile);
    for (const [oldest, passed] of this.tiles) {
      if (this.tiles.size <= maxTiles) break;
      passed.close();
      this.tiles.delete(oldest);
    }
    this.onChange();
  }

  close(): void {
    this.isClosed = true;
    for (const tile of this.tiles.values()) tile.close();
    this.tiles.clear();
    this.opened?.overview.close();
    this.worker.terminate();
  }
}
