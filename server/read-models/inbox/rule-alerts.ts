import { alertStatuses } from "@/domain/alerts/lifecycle";
import type { PageOnly } from "@/domain/rules/schema";
import { alertColumns, alertRow, alertTables } from "@/server/features/alerts/alert-queries";
import { serializeAlert, type AlertResource, type AlertRow } from "@/server/features/alerts/resource";
import { activeSilences } from "@/server/features/silences/match-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { keysetPage, type Page } from "@/server/platform/pagination";

/** The alerts of a rule in every state, the last opened first. */
export async function listRuleAlerts(
  ctx: Ctx,
  { uid, limit, cursor }: PageOnly & { uid: string },
): Promise<Page<AlertResource>> {
  const silences = await activeSilences(ctx);
  const page = await keysetPage<AlertRow>(ctx, {
    name: "rule alerts",
    filters: { uid },
    page: { limit, cursor },
    order: { columns: ["a.uid"], direction: "desc" },
    key: (alert) => [alert.uid],
    // As many of each state by its index: a rule may have opened very many.
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        alertRow,
        Prisma.sql`
        select ${alertColumns(silences)} from ${alertTables}
        where a.organization_id = ${ctx.organizationId} and a.uid in (
          select n.uid from unnest(${[...alertStatuses]}::text[]) as s(status) cross join lateral (
            select a.uid from alerts a
            where a.rule_id = ${uid} and a.status = s.status and a.organization_id = ${ctx.organizationId} and ${where}
            order by ${orderBy} limit ${rows}) n)
        order by ${orderBy} limit ${rows}`,
      ),
  });
  return { ...page, results: page.results.map(serializeAlert) };
}
