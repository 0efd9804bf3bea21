import type { FileMetadata } from "@/domain/datasets/schema";

/** What was read from a file. */
export interface Examined {
  /** `image/jpeg`, `video/mp4`, `pointcloud/pcd`, `recording/mcap`, … */
  mediaType: string;
  metadata: FileMetadata;
  /** A small WebP image. */
  thumbnail: Buffer | null;
  /** Its mean colour, `#rrggbb`. */
  tint: string | null;
  /** The hash of the file, in hexadecimal, where it was read as a whole. */
  sha256: string | null;
}

/** Thrown for a file that cannot be an item; the message is shown to users. */
export class NotAnItem extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NotAnItem";
  }
}
