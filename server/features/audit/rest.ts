import { AuditFilters } from "@/domain/audit/schema";
import { listAudit } from "@/server/features/audit/audit-queries";
import { AuditResource } from "@/server/features/audit/resource";
import { endpoint } from "@/server/transport/rest/endpoint";
import { toPageSchema } from "@/server/transport/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/audit-log/",
  id: "audit.list",
  summary: "List the audit log",
  description: "Who did what to which object from where, newest first. For owners and admins.",
  permission: ["full"],
  role: "admin",
  query: AuditFilters,
  response: toPageSchema(AuditResource),
  handler: ({ ctx, query }) => listAudit(ctx, query),
});
