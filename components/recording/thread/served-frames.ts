import type { PictureView } from "./picture-view";

/** Milliseconds between two pictures while the recording plays: each costs the server a process. */
const intervalMs = 200;

/** Requests a path of the recording's media. */
export type GetMedia = (path: string) => Promise<Response>;

/** Pictures of a video that the server decodes, for browsers that cannot. */
export class ServedFrames {
  private requestedAt = -Infinity;
  private isUnavailable = false;

  constructor(
    private readonly topic: string,
    private readonly view: PictureView,
    private readonly getMedia: GetMedia,
  ) {}

  /** Whether it is too early for another picture while the recording plays. */
  get isPaused(): boolean {
    return performance.now() - this.requestedAt < intervalMs;
  }

  /** Draws the picture of a message; resolves to why there is none: null when there is, "unavailable" when there never is. */
  async draw(time: bigint): Promise<{ reason: string } | "unavailable" | null> {
    if (this.isUnavailable) return "unavailable";
    this.requestedAt = performance.now();
    const response = await this.getMedia(`frame?topic=${encodeURIComponent(this.topic)}&t=${time}`);
    if (response.status === 503) {
      const { detail } = (await response.json()) as { detail?: unknown };
      this.isUnavailable = detail === "The server has no ffmpeg.";
      return this.isUnavailable ? "unavailable" : { reason: "The server is busy decoding other pictures." };
    }
    if (!response.ok) {
      const { detail } = (await response.json()) as { detail?: unknown };
      return { reason: typeof detail === "string" ? detail : `The server gave no picture (${response.status}).` };
    }
    const bitmap = await createImageBitmap(await response.blob());
    try {
      this.view.drawBitmap(bitmap, bitmap.width, bitmap.height);
    } finally {
      bitmap.close();
    }
    return null;
  }
}
