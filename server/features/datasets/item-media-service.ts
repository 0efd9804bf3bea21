import { createHash } from "node:crypto";
import { drawnTypes, type ItemMediaKind } from "@/domain/datasets/media";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { nullable, text } from "@/server/platform/rows";
import { bucketStore } from "@/server/platform/storage/buckets";
import { objectStore } from "@/server/platform/storage/current";
import { displayName } from "@/server/platform/storage/file-name";
import { inBucket } from "@/server/platform/storage/keys";

/** What is stored of an item, as pages load it. */
interface ItemMedia {
  key: string;
  size: number;
  /** Quoted; the bytes of a tag never change. */
  etag: string;
  /** One that pages draw, else null. */
  mediaType: string | null;
  fileName: string;
}

const mediaRow = { key: text, media_type: text, storage_key: text, thumbnail_key: nullable(text) };

const toTag = (storageKey: string): string =>
  `"${createHash("sha256").update(storageKey).digest("base64url").slice(0, 27)}"`;

/**
 * The thumbnail, file or poster of an item that the caller sees. Null when there is none; `disconnected` when it is in a
 * bucket that is not connected any more.
 */
export async function findItemMedia(
  ctx: Ctx,
  uid: string,
  kind: ItemMediaKind,
): Promise<ItemMedia | "disconnected" | null> {
  const [row] = await query(
    ctx,
    mediaRow,
    Prisma.sql`select i.key, i.media_type, i.storage_key, i.thumbnail_key from items i
      where i.uid = ${uid} and i.organization_id = ${ctx.organizationId}
        and ${isVisible(ctx, "dataset", Prisma.sql`i.dataset_id`)}`,
  );
  const storageKey = kind === "data" ? row?.storage_key : row?.thumbnail_key;
  if (!row || !storageKey) return null;
  const bucket = inBucket(storageKey);
  if (bucket && (await bucketStore(bucket.configUid)) === null) return "disconnected";
  const stored = await objectStore().head(storageKey);
  if (!stored) return null;
  const isDrawn = drawnTypes.some((type) => type === row.media_type);
  return {
    key: storageKey,
    size: stored.sizeBytes,
    etag: toTag(storageKey),
    mediaType: kind === "data" ? (isDrawn ? row.media_type : null) : "image/webp",
    fileName: displayName(row.key),
  };
}
