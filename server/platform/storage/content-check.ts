import { createHash, type Hash } from "node:crypto";
import { getPartSize } from "@/server/platform/storage/s3";
import { ObjectMissing, type ObjectStore } from "@/server/platform/storage/store";

/**
 * `unverifiable`: the tag does not follow from the bytes (some encryption of S3, stores other than S3), or from parts of
 * a size that we do not know.
 */
export type Content = "intact" | "damaged" | "missing" | "unverifiable";

/** A file as its rows describe it; null where they do not. */
export interface Recorded {
  key: string;
  etag: string | null;
  sizeBytes: number | null;
}

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

/**
 * Compares a stored file with its record. Reads its bytes, unless `trusted`: then the tag that the store has now is
 * enough, because a bucket checks its bytes itself.
 */
export async function checkContent(
  store: Pick<ObjectStore, "head" | "read">,
  { key, etag, sizeBytes }: Recorded,
  { trusted = false, signal }: { trusted?: boolean; signal?: AbortSignal } = {},
): Promise<Content> {
  try {
    const stored = await store.head(key);
    if (!stored) return "missing";
    if (sizeBytes !== null && stored.sizeBytes !== sizeBytes) return "damaged";
    const recorded = etag ?? stored.etag;
    if (trusted && recorded === stored.etag) return "intact";
    const check = new TagCheck(recorded, stored.sizeBytes);
    for await (const chunk of (await store.read(key)) as unknown as AsyncIterable<Uint8Array>) {
      signal?.throwIfAborted();
      check.update(chunk);
    }
    const matches = check.matches();
    if (matches) return "intact";
    return matches === null || stored.opaque ? "unverifiable" : "damaged";
  } catch (error) {
    if (error instanceof ObjectMissing) return "missing";
    throw error;
  }
}
