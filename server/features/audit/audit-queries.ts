import type { AuditExport, AuditFilters } from "@/domain/audit/schema";
import { csvLine } from "@/domain/csv";
import type { AuditCsv, AuditResource } from "@/server/features/audit/resource";
import { databaseNow } from "@/server/platform/clock";
import { requireRole, type Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { noteDownload } from "@/server/platform/observability/access-notes";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { int4, jsonbObject, nullable, text, timestamptz } from "@/server/platform/rows";
import { uidFloor } from "@/server/platform/uid";

const columns = Prisma.sql`
  uid, actor_type, actor_id, actor_name, action, target_type, target_id, target_name, before, after, ip, request_id, count, created_at`;

const auditRow = {
  uid: text,
  actor_type: text,
  actor_id: text,
  actor_name: text,
  action: text,
  target_type: text,
  target_id: text,
  target_name: text,
  before: nullable(jsonbObject),
  after: nullable(jsonbObject),
  ip: nullable(text),
  request_id: nullable(text),
  count: int4,
  created_at: timestamptz,
};

/**
 * The time in an entry's uid is taken during its transaction, `created_at` at the transaction's start: they differ by
 * less than this.
 */
const slackMs = 5 * 60_000;

const day = (time: Date): string => time.toISOString().slice(0, 10);

function matching(ctx: Ctx, { actor_id: actorId, action, target_id: targetId, since, until }: AuditExport): Prisma.Sql {
  const conditions = [Prisma.sql`organization_id = ${ctx.organizationId}`];
  if (actorId !== undefined) conditions.push(Prisma.sql`actor_id = ${actorId}`);
  if (targetId !== undefined) conditions.push(Prisma.sql`target_id = ${targetId}`);
  if (action?.length === 1) conditions.push(Prisma.sql`action = ${action[0]}`);
  else if (action?.length) conditions.push(Prisma.sql`action = any(${action})`);
  // The uid limits the range of the index that is read; `created_at` is exact.
  if (since)
    conditions.push(Prisma.sql`uid >= ${uidFloor(null, since.getTime() - slackMs)} and created_at >= ${since}`);
  if (until) conditions.push(Prisma.sql`uid < ${uidFloor(null, until.getTime() + slackMs)} and created_at < ${until}`);
  return Prisma.join(conditions, " and ");
}

/** The audit log of the organization, newest first. Admins and the owner only. */
export async function listAudit(ctx: Ctx, filters: AuditFilters): Promise<Page<AuditResource>> {
  requireRole(ctx, "admin");
  const { limit, cursor, ...narrow } = filters;
  return keysetPage<AuditResource>(ctx, {
    name: "audit",
    filters: narrow,
    page: { limit, cursor },
    order: { columns: ["uid"], direction: "desc" },
    key: (entry) => [entry.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        auditRow,
        Prisma.sql`
        select ${columns} from audit_entries where ${matching(ctx, narrow)} and ${where} order by ${orderBy} limit ${rows}`,
      ),
  });
}

const csvColumns = [
  "created_at",
  "actor_type",
  "actor_id",
  "actor_name",
  "action",
  "target_type",
  "target_id",
  "target_name",
  "before",
  "after",
  "ip",
  "request_id",
  "count",
] as const satisfies readonly (keyof AuditResource)[];

const exportRows = 20_000;
const chunkRows = 1_000;

/** The audit log as a CSV file of at most 20,000 entries, newest first. Admins and the owner only. */
export async function exportAudit(ctx: Ctx, filters: AuditExport, maxRows: number = exportRows): Promise<AuditCsv> {
  requireRole(ctx, "admin");
  noteDownload(ctx.organizationId, ctx.actor, { type: "export", id: "audit", name: "audit.csv" }, ctx);
  const lines = [csvLine(csvColumns)];
  let last: string | null = null;
  for (;;) {
    const wanted = Math.min(chunkRows, maxRows - (lines.length - 1)) + 1;
    const rows: AuditResource[] = await sql(
      auditRow,
      Prisma.sql`
      select ${columns} from audit_entries
      where ${matching(ctx, filters)} ${last === null ? Prisma.empty : Prisma.sql`and uid < ${last}`}
      order by uid desc limit ${wanted}`,
    );
    const more = rows.length === wanted;
    if (more) rows.pop();
    lines.push(...rows.map((entry) => csvLine(csvColumns.map((column) => entry[column]))));
    last = rows.at(-1)?.uid ?? last;
    const truncated = more && lines.length - 1 >= maxRows;
    if (more && !truncated) continue;
    const fileName = `audit-${filters.since ? `${day(filters.since)}-` : ""}${day(filters.until ?? databaseNow())}.csv`;
    return { file_name: fileName, csv: lines.join(""), rows: lines.length - 1, truncated };
  }
}
