import { exportAudit, listAudit } from "@/server/audit/listing";
import { AuditExport, AuditFilters } from "@/server/audit/schema";
import { procedureFor, router } from "@/server/trpc/init";

export const audit = router({
  list: procedureFor("admin")
    .input(AuditFilters)
    .query(({ ctx, input }) => listAudit(ctx.ctx, input)),
  export: procedureFor("admin")
    .input(AuditExport)
    .mutation(({ ctx, input }) => exportAudit(ctx.ctx, input)),
});
