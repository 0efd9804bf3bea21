import { CheckImport, CreateImport, ImportFilters, ImportUid, StartImport } from "@/domain/annotation-imports/schema";
import {
  checkImport,
  createImport,
  getImport,
  getImportReport,
  listImports,
  stopImport,
} from "@/server/features/imports/service";
import { startImport } from "@/server/features/imports/start-service";
import { adminProcedure, router } from "@/server/transport/trpc/init";

export const imports = router({
  list: adminProcedure
    .input(ImportFilters.extend(ImportUid.shape))
    .query(({ ctx, input: { uid, ...filters } }) => listImports(ctx.ctx, uid, filters)),
  get: adminProcedure.input(ImportUid).query(({ ctx, input }) => getImport(ctx.ctx, input.uid)),
  report: adminProcedure.input(ImportUid).query(({ ctx, input }) => getImportReport(ctx.ctx, input.uid)),
  create: adminProcedure
    .input(CreateImport.extend(ImportUid.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => createImport(ctx.ctx, uid, input)),
  check: adminProcedure
    .input(CheckImport.extend(ImportUid.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => checkImport(ctx.ctx, uid, input)),
  start: adminProcedure
    .input(StartImport.extend(ImportUid.shape))
    .mutation(({ ctx, input: { uid, ...input } }) => startImport(ctx.ctx, uid, input)),
  stop: adminProcedure.input(ImportUid).mutation(({ ctx, input }) => stopImport(ctx.ctx, input.uid)),
});
