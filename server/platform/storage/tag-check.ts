import { createHash, type Hash } from "node:crypto";
import { getPartSize } from "@/server/platform/storage/part-size";

/** Compares bytes with an entity tag: the MD5 of all of them, or as S3 computes it, of the MD5 of each part. */
export class TagCheck {
  private readonly whole = createHash("md5");
  private readonly parts: Hash | null;
  private part = createHash("md5");
  private left: number;
  private readonly step: number;
  private readonly count: number;

  constructor(
    private readonly etag: string,
    sizeBytes: number,
  ) {
    this.step = getPartSize(sizeBytes);
    this.left = this.step;
    this.count = Math.ceil(sizeBytes / this.step);
    this.parts = etag.endsWith(`-${this.count}"`) ? createHash("md5") : null;
  }

  update(bytes: Uint8Array): void {
    if (!this.parts) return void this.whole.update(bytes);
    for (let rest = bytes; rest.length > 0;) {
      const piece = rest.subarray(0, this.left);
      this.part.update(piece);
      this.left -= piece.length;
      rest = rest.subarray(piece.length);
      if (this.left === 0) this.endPart(this.parts);
    }
  }

  private endPart(parts: Hash): void {
    parts.update(this.part.digest());
    this.part = createHash("md5");
    this.left = this.step;
  }

  /** Whether all bytes have this tag; null when it has another form. Called once, after the last bytes. */
  matches(): boolean | null {
    if (this.parts) {
      if (this.left < this.step) this.endPart(this.parts);
      return this.etag === `"${this.parts.digest("hex")}-${this.count}"`;
    }
    return /^"[0-9a-f]{32}"$/.test(this.etag) ? this.etag === `"${this.whole.digest("hex")}"` : null;
  }
}

/** A file that is open in this process, and the tag that its bytes should have. */
export interface TaggedFile {
  descriptor: number;
  sizeBytes: number;
  etag: string;
}

/** Another thread that reads files and compares them with their tags. */
export interface TagThread {
  /** Resolves as `TagCheck.matches`, or to "ended" when the thread is no more. Rejects with what reading failed with. */
  compare(file: TaggedFile, signal?: AbortSignal): Promise<boolean | null | "ended">;
}
