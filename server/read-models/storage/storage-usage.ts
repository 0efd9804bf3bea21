import { isVisible } from "@/server/features/membership/assignment-queries";
import { getStorageConfig } from "@/server/features/storage-configs/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { float8, int4, text } from "@/server/platform/rows";
import { getStorageOverview } from "@/server/read-models/storage/storage-list";

/** How many datasets are listed, the largest. */
const listedDatasets = 100;

export interface StorageUsage {
  /** The largest datasets in the bucket that the caller sees. */
  datasets: { uid: string; name: string; items: number; bytes: number }[];
  /** How many there are, listed or not. */
  dataset_count: number;
  recordings: number;
  exports: number;
  objects: number;
  bytes: number;
}

/** What is in a bucket: by dataset, and of recordings and exports together. Throws `not_found`. */
export async function getStorageUsage(ctx: Ctx, uid: string): Promise<StorageUsage> {
  await getStorageConfig(ctx, uid);
  const [overview, datasets] = await Promise.all([
    getStorageOverview(ctx, uid),
    sql(
      { uid: text, name: text, items: int4, bytes: float8 },
      Prisma.sql`select d.uid, d.name, d.item_count as items, d.size_bytes::float8 as bytes from datasets d
        where d.storage_config_id = ${uid} and d.organization_id = ${ctx.organizationId}
          and ${isVisible(ctx, "dataset", Prisma.sql`d.uid`)}
        order by d.size_bytes desc, d.uid limit ${listedDatasets}::int`,
    ),
  ]);
  const { used_by, objects, bytes } = overview;
  return {
    datasets,
    dataset_count: used_by.datasets,
    recordings: used_by.recordings,
    exports: used_by.exports,
    objects,
    bytes,
  };
}
