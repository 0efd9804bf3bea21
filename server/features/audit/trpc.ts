import { AuditExport, AuditFilters } from "@/domain/audit/schema";
import { exportAudit, listAudit } from "@/server/features/audit/audit-queries";
import { procedureFor, router } from "@/server/transport/trpc/init";

export const audit = router({
  list: procedureFor("admin")
    .input(AuditFilters)
    .query(({ ctx, input }) => listAudit(ctx.ctx, input)),
  export: procedureFor("admin")
    .input(AuditExport)
    .mutation(({ ctx, input }) => exportAudit(ctx.ctx, input)),
});
