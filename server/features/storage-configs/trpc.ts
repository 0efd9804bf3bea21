import { z } from "zod";
import {
  CreateStorageConfig,
  StorageConfigUid,
  StorageTestFilters,
  UpdateStorageConfig,
} from "@/domain/storage-configs/schema";
import {
  createStorageConfig,
  deleteStorageConfig,
  storageSetupInfo,
  updateStorageConfig,
} from "@/server/features/storage-configs/service";
import { listStorageTests, testStorageConfig, tryBucket } from "@/server/features/storage-configs/test-service";
import { adminProcedure, memberProcedure, router } from "@/server/transport/trpc/init";

export const storage = router({
  setUpInfo: memberProcedure.query(({ ctx }) => storageSetupInfo(ctx.ctx, ctx.session.organizationSlug)),
  tests: memberProcedure.input(StorageTestFilters).query(({ ctx, input }) => listStorageTests(ctx.ctx, input)),
  create: adminProcedure
    .input(CreateStorageConfig)
    .mutation(({ ctx, input }) => createStorageConfig(ctx.ctx, ctx.session.organizationSlug, input)),
  tryOut: adminProcedure.input(CreateStorageConfig).mutation(({ input }) => tryBucket(input)),
  update: adminProcedure
    .input(z.object({ ...StorageConfigUid.shape, change: UpdateStorageConfig }))
    .mutation(({ ctx, input }) => updateStorageConfig(ctx.ctx, input.uid, input.change)),
  test: adminProcedure.input(StorageConfigUid).mutation(({ ctx, input }) => testStorageConfig(ctx.ctx, input.uid)),
  delete: adminProcedure.input(StorageConfigUid).mutation(({ ctx, input }) => deleteStorageConfig(ctx.ctx, input.uid)),
});
