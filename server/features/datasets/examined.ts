/** What a file says of itself. */
export interface Examined {
  /** `image/jpeg`, `video/mp4`, `pointcloud/pcd`, `recording/mcap`, … */
  mediaType: string;
  metadata: Record<string, unknown>;
  /** A small WebP of it. */
  thumbnail: Buffer | null;
}

/** The file cannot be an item; the message is fit for users. */
export class NotAnItem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NotAnItem";
  }
}
