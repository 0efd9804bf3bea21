import { listAudit } from "@/server/audit/listing";
import { AuditResource } from "@/server/audit/resource";
import { AuditFilters } from "@/server/audit/schema";
import { endpoint } from "@/server/rest/endpoint";
import { pageOf } from "@/server/rest/page";

export const list = endpoint({
  method: "GET",
  path: "/audit-log/",
  id: "audit.list",
  summary: "List the audit log",
  description: "Who did what to which object from where, newest first. For owners and admins.",
  permission: ["full"],
  role: "admin",
  query: AuditFilters,
  response: pageOf(AuditResource),
  handler: ({ ctx, query }) => listAudit(ctx, query),
});
