/** Where a small picture lies in the object of its recording. */
interface FilmFrame {
  offset: number;
  length: number;
}

/** Pictures of one request: neighbours are seen together. */
const blockSize = 10;

/** The small pictures of a camera, requested in blocks as they are seen. */
export class FilmPictures {
  private readonly bitmaps = new Map<number, ImageBitmap>();
  private readonly requested = new Set<number>();
  private isClosed = false;

  /** `address`: of the object, to which `<offset>-<length>` is added. */
  constructor(
    private readonly address: string,
    private readonly frames: readonly FilmFrame[],
    private readonly onLoad: () => void,
  ) {}

  /** A picture; null while it is requested, or when it cannot be read. */
  get(index: number): ImageBitmap | null {
    this.isClosed = false;
    const block = Math.floor(index / blockSize);
    if (!this.requested.has(block)) {
      this.requested.add(block);
      void this.load(block);
    }
    return this.bitmaps.get(index) ?? null;
  }

  /** Frees all pictures; what is seen afterwards is requested again. */
  close(): void {
    this.isClosed = true;
    for (const bitmap of this.bitmaps.values()) bitmap.close();
    this.bitmaps.clear();
    this.requested.clear();
  }

  private async load(block: number): Promise<void> {
    const first = block * blockSize;
    const frames = this.frames.slice(first, first + blockSize);
    const [start, last] = [frames[0], frames.at(-1)];
    if (!start || !last) return;
    const length = last.offset + last.length - start.offset;
    try {
      const response = await fetch(`${this.address}/${start.offset}-${length}`);
      if (!response.ok) return;
      const bytes = await response.blob();
      await Promise.all(
        frames.map(async ({ offset, length: size }, n) => {
          const from = offset - start.offset;
          const bitmap = await createImageBitmap(bytes.slice(from, from + size, "image/jpeg"));
          if (this.isClosed) bitmap.close();
          else this.bitmaps.set(first + n, bitmap);
        }),
      );
    } catch {
      return; // the lane stays empty; the panel of the camera says what is wrong
    }
    if (!this.isClosed) this.onLoad();
  }
}
