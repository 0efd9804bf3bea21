import { AuditExport, AuditFilters } from "@/domain/audit/schema";
import { exportAudit, listAudit } from "@/server/features/audit/audit-queries";
import { adminProcedure, router } from "@/server/transport/trpc/init";

export const audit = router({
  list: adminProcedure.input(AuditFilters).query(({ ctx, input }) => listAudit(ctx.ctx, input)),
  export: adminProcedure.input(AuditExport).mutation(({ ctx, input }) => exportAudit(ctx.ctx, input)),
});
