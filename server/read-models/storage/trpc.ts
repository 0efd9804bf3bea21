import { StorageConfigUid, StorageFilters } from "@/domain/storage-configs/schema";
import { getStorageOverview, listStorageOverviews } from "@/server/read-models/storage/storage-list";
import { getStorageUsage } from "@/server/read-models/storage/storage-usage";
import { memberProcedure, router } from "@/server/transport/trpc/init";

export const storageScreens = router({
  overview: memberProcedure.input(StorageFilters).query(({ ctx, input }) => listStorageOverviews(ctx.ctx, input)),
  get: memberProcedure.input(StorageConfigUid).query(({ ctx, input }) => getStorageOverview(ctx.ctx, input.uid)),
  usage: memberProcedure.input(StorageConfigUid).query(({ ctx, input }) => getStorageUsage(ctx.ctx, input.uid)),
});
