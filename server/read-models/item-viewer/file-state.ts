import type { ViewedItem } from "@/domain/items/viewer-schema";
import { getDataset } from "@/server/features/datasets/service";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { logFor } from "@/server/platform/log";
import { objectStore } from "@/server/platform/storage/current";
import { inBucket } from "@/server/platform/storage/keys";

/** Where the file of an item is, for a page that could not show it. */
export type FileState = "there" | "gone" | "disconnected" | "unreachable";

/**
 * Whether the file of an item is stored: `disconnected` when the storage configuration of its bucket was deleted. Throws
 * `not_found`.
 */
export async function readFileState(ctx: Ctx, input: ViewedItem): Promise<{ state: FileState }> {
  const dataset = await getDataset(ctx, input);
  const item = await ctx.db.item.findFirst({
    where: { uid: input.uid, datasetId: dataset.uid, organizationId: ctx.organizationId },
    select: { storageKey: true },
  });
  if (!item) throw notFound();
  const bucket = inBucket(item.storageKey);
  if (bucket) {
    const where = { uid: bucket.configUid, organizationId: ctx.organizationId };
    if ((await ctx.db.storageConfig.count({ where })) === 0) return { state: "disconnected" };
  }
  try {
    return { state: (await objectStore().head(item.storageKey)) ? "there" : "gone" };
  } catch (error) {
    logFor("items").warn({ err: error, item: input.uid }, "the file of an item could not be looked up");
    return { state: "unreachable" };
  }
}
